package srtp

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
)

// Profile is a protection profile by its number in DTLS (RFC 5764 section 4.1.2, RFC 7714
// section 14.2).
type Profile uint16

// The profiles of this package.
const (
	AES_CM_128_HMAC_SHA1_80 Profile = 0x0001
	AEAD_AES_128_GCM        Profile = 0x0007
)

func (p Profile) String() string {
	switch p {
	case AES_CM_128_HMAC_SHA1_80:
		return "AES_CM_128_HMAC_SHA1_80"
	case AEAD_AES_128_GCM:
		return "AEAD_AES_128_GCM"
	}
	return fmt.Sprintf("profile %#04x", uint16(p))
}

// Lengths in bytes, the same for both profiles unless the name says which one.
const (
	keyLen     = 16
	authKeyLen = 20
	saltLenCM  = 14
	saltLenGCM = 12
	wordLen    = 4 // the ESRTCP word: the E flag and the SRTCP index
	tagLenCM   = 10
	tagLenGCM  = 16
)

// Overhead is the most that protection adds to a packet, in bytes: the tag and the index of
// SRTCP with AEAD_AES_128_GCM. RTP packets grow by 16 with it, and by 10 with
// AES_CM_128_HMAC_SHA1_80.
const Overhead = tagLenGCM + wordLen

// Keys protect one direction of a connection. No two directions or connections may have the
// same.
type Keys struct {
	Profile Profile
	Key     []byte // master key, 16 bytes
	Salt    []byte // master salt, 12 bytes for AEAD_AES_128_GCM and 14 for AES_CM_128_HMAC_SHA1_80
}

// Exporter is a connection after its DTLS handshake (RFC 5705).
type Exporter interface {
	ExportKeyingMaterial(label string, context []byte, length int) ([]byte, error)
}

// DTLSKeys gives the keys for what the DTLS client sends, and for what the DTLS server
// sends, after they have agreed on p (RFC 5764 section 4.2).
func DTLSKeys(p Profile, dtls Exporter) (client, server Keys, err error) {
	salt, err := p.saltLen()
	if err != nil {
		return Keys{}, Keys{}, err
	}
	m, err := dtls.ExportKeyingMaterial("EXTRACTOR-dtls_srtp", nil, 2*(keyLen+salt))
	if err != nil {
		return Keys{}, Keys{}, err
	}
	next := func(n int) (b []byte) { b, m = m[:n:n], m[n:]; return b }
	client.Profile, server.Profile = p, p
	client.Key, server.Key = next(keyLen), next(keyLen)
	client.Salt, server.Salt = next(salt), next(salt)
	return client, server, nil
}

func (p Profile) saltLen() (int, error) {
	switch p {
	case AES_CM_128_HMAC_SHA1_80:
		return saltLenCM, nil
	case AEAD_AES_128_GCM:
		return saltLenGCM, nil
	}
	return 0, fmt.Errorf("srtp: %v is not supported, only %v and %v", p, AEAD_AES_128_GCM, AES_CM_128_HMAC_SHA1_80)
}

// master is a copy of Keys with the right lengths.
type master struct {
	profile Profile
	key     [keyLen]byte
	salt    [saltLenCM]byte // zeros follow the salt of AEAD_AES_128_GCM
}

func (k Keys) master() (m master, err error) {
	salt, err := k.Profile.saltLen()
	switch {
	case err != nil:
		return m, err
	case len(k.Key) != keyLen:
		return m, fmt.Errorf("srtp: master key of %d bytes, want %d", len(k.Key), keyLen)
	case len(k.Salt) != salt:
		return m, fmt.Errorf("srtp: master salt of %d bytes, want %d for %v", len(k.Salt), salt, k.Profile)
	}
	m.profile = k.Profile
	copy(m.key[:], k.Key)
	copy(m.salt[:], k.Salt)
	return m, nil
}

// session are the keys that one transform uses. RTP and RTCP have their own.
type session struct {
	key  [keyLen]byte
	auth [authKeyLen]byte
	salt [saltLenCM]byte
}

// The first of three key derivation labels (RFC 3711 section 4.3.2): key, authentication key,
// salt.
const (
	labelRTP  = 0
	labelRTCP = 3
)

// session derives session keys (RFC 3711 section 4.3.1, RFC 7714 section 11), with a key
// derivation rate of 0.
func (m *master) session(label byte) (s session, err error) {
	block, err := aes.NewCipher(m.key[:])
	if err != nil {
		return s, err
	}
	for i, out := range [][]byte{s.key[:], s.auth[:], s.salt[:]} {
		var x [aes.BlockSize]byte
		copy(x[:], m.salt[:])
		x[7] ^= label + byte(i)
		cipher.NewCTR(block, x[:]).XORKeyStream(out, out)
	}
	return s, nil
}
