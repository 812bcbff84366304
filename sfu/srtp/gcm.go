package srtp

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// gcm is AEAD_AES_128_GCM (RFC 7714). The cipher is shared with its forks.
type gcm struct {
	aead  cipher.AEAD
	salt  [saltLenGCM]byte
	nonce [saltLenGCM]byte
	aad   [rtcpHeaderLen + wordLen]byte
}

func newGCM(s session) (*gcm, error) {
	block, err := aes.NewCipher(s.key[:])
	if err != nil {
		return nil, err
	}
	g := &gcm{salt: [saltLenGCM]byte(s.salt[:])}
	g.aead, err = cipher.NewGCM(block)
	return g, err
}

func (g *gcm) fork() transform { f := *g; return &f }

// iv is two zero bytes, the SSRC and the index in 48 bits, XORed with the salt (RFC 7714
// sections 8.1 and 9.1).
func (g *gcm) iv(ssrc uint32, index uint64) []byte {
	n := g.nonce[:]
	binary.BigEndian.PutUint64(n, binary.BigEndian.Uint64(g.salt[:])^uint64(ssrc)<<16^index>>32)
	binary.BigEndian.PutUint32(n[8:], binary.BigEndian.Uint32(g.salt[8:])^uint32(index))
	return n
}

func (g *gcm) sealRTP(dst, header, payload []byte, ssrc uint32, index uint64) []byte {
	return g.aead.Seal(append(dst, header...), g.iv(ssrc, index), payload, header)
}

func (g *gcm) openRTP(packet []byte, header int, ssrc uint32, index uint64) []byte {
	_, err := g.aead.Open(packet[header:header], g.iv(ssrc, index), packet[header:], packet[:header])
	if err != nil {
		return nil
	}
	return packet[:len(packet)-tagLenGCM]
}

// The header and the ESRTCP word are authenticated but not encrypted (RFC 7714 section 9.2).

func (g *gcm) sealRTCP(dst, compound []byte, ssrc, index uint32) []byte {
	copy(g.aad[:], compound[:rtcpHeaderLen])
	binary.BigEndian.PutUint32(g.aad[rtcpHeaderLen:], encryptedFlag|index)
	dst = append(dst, compound[:rtcpHeaderLen]...)
	dst = g.aead.Seal(dst, g.iv(ssrc, uint64(index)), compound[rtcpHeaderLen:], g.aad[:])
	return append(dst, g.aad[rtcpHeaderLen:]...)
}

func (g *gcm) openRTCP(packet []byte, ssrc, index uint32) []byte {
	word := len(packet) - wordLen
	copy(g.aad[:], packet[:rtcpHeaderLen])
	copy(g.aad[rtcpHeaderLen:], packet[word:])
	_, err := g.aead.Open(packet[rtcpHeaderLen:rtcpHeaderLen], g.iv(ssrc, uint64(index)), packet[rtcpHeaderLen:word], g.aad[:])
	if err != nil {
		return nil
	}
	return packet[:word-tagLenGCM]
}
