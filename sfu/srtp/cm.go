package srtp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"hash"
)

// cm is AES_CM_128_HMAC_SHA1_80: AES in counter mode (RFC 3711 section 4.1.1), and 80 bits of
// HMAC-SHA1 over what is sent (4.2.1). The block cipher is shared with its forks.
type cm struct {
	block cipher.Block
	salt  [saltLenCM]byte
	auth  [authKeyLen]byte
	mac   hash.Hash // nil until the first packet: what streams are forked from has none

	counter   [aes.BlockSize]byte
	keystream [8 * aes.BlockSize]byte
	sum       [sha1.Size]byte
}

func newCM(s session) (*cm, error) {
	block, err := aes.NewCipher(s.key[:])
	return &cm{block: block, salt: s.salt, auth: s.auth}, err
}

func (c *cm) fork() transform { return &cm{block: c.block, salt: c.salt, auth: c.auth} }

// xor encrypts or decrypts in place. cipher.NewCTR would allocate and copy the key schedule
// for each packet.
func (c *cm) xor(data []byte, ssrc uint32, index uint64) {
	// The counter is salt * 2^16 XOR SSRC * 2^64 XOR index * 2^16, and its last 16 bits count
	// blocks.
	clear(c.counter[:])
	copy(c.counter[:], c.salt[:])
	binary.BigEndian.PutUint64(c.counter[:], binary.BigEndian.Uint64(c.counter[:])^uint64(ssrc))
	low := binary.BigEndian.Uint64(c.counter[8:]) ^ index<<16
	for len(data) > 0 {
		n := min(len(data), len(c.keystream))
		for i := 0; i < n; i += aes.BlockSize {
			binary.BigEndian.PutUint64(c.counter[8:], low)
			c.block.Encrypt(c.keystream[i:i+aes.BlockSize], c.counter[:])
			low++
		}
		subtle.XORBytes(data, data[:n], c.keystream[:n])
		data = data[n:]
	}
}

// tag is the authentication tag of data, followed by the roll-over counter for RTP. It is
// valid until the next call.
func (c *cm) tag(data []byte) []byte {
	return c.finish(c.start(data))
}

func (c *cm) tagRTP(data []byte, index uint64) []byte {
	mac := c.start(data)
	binary.BigEndian.PutUint32(c.sum[:], uint32(index>>16))
	mac.Write(c.sum[:4])
	return c.finish(mac)
}

func (c *cm) start(data []byte) hash.Hash {
	if c.mac == nil {
		c.mac = hmac.New(sha1.New, c.auth[:])
	}
	c.mac.Reset()
	c.mac.Write(data)
	return c.mac
}

func (c *cm) finish(mac hash.Hash) []byte { return mac.Sum(c.sum[:0])[:tagLenCM] }

func (c *cm) sealRTP(dst, header, payload []byte, ssrc uint32, index uint64) []byte {
	start := len(dst)
	dst = append(append(dst, header...), payload...)
	c.xor(dst[start+len(header):], ssrc, index)
	return append(dst, c.tagRTP(dst[start:], index)...)
}

func (c *cm) openRTP(packet []byte, header int, ssrc uint32, index uint64) []byte {
	end := len(packet) - tagLenCM
	if !hmac.Equal(c.tagRTP(packet[:end], index), packet[end:]) {
		return nil
	}
	c.xor(packet[header:end], ssrc, index)
	return packet[:end]
}

func (c *cm) sealRTCP(dst, compound []byte, ssrc, index uint32) []byte {
	start := len(dst)
	dst = append(dst, compound...)
	c.xor(dst[start+rtcpHeaderLen:], ssrc, uint64(index))
	dst = binary.BigEndian.AppendUint32(dst, encryptedFlag|index)
	return append(dst, c.tag(dst[start:])...)
}

func (c *cm) openRTCP(packet []byte, ssrc, index uint32) []byte {
	end := len(packet) - tagLenCM
	if !hmac.Equal(c.tag(packet[:end]), packet[end:]) {
		return nil
	}
	c.xor(packet[rtcpHeaderLen:end-wordLen], ssrc, uint64(index))
	return packet[:end-wordLen]
}
