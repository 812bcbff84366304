package srtp

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func want(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n got %x\nwant %x", what, got, want)
	}
}

// TestKeyDerivation is RFC 3711 appendix B.3.
func TestKeyDerivation(t *testing.T) {
	m, err := Keys{
		Profile: AES_CM_128_HMAC_SHA1_80,
		Key:     unhex(t, "E1F97A0D3E018BE0D64FA32C06DE4139"),
		Salt:    unhex(t, "0EC675AD498AFEEBB6960B3AABE6"),
	}.master()
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.session(labelRTP)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "cipher key", s.key[:], unhex(t, "C61E7A93744F39EE10734AFE3FF7A087"))
	want(t, "cipher salt", s.salt[:], unhex(t, "30CBBC08863D8C85D49DB34A9AE1"))
	want(t, "auth key", s.auth[:], unhex(t, "CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
}

// TestCounterMode is RFC 3711 appendix B.2. Its key stream goes on past two batches of blocks.
func TestCounterMode(t *testing.T) {
	s := session{key: [16]byte(unhex(t, "2B7E151628AED2A6ABF7158809CF4F3C"))}
	copy(s.salt[:], unhex(t, "F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
	c, err := newCM(s)
	if err != nil {
		t.Fatal(err)
	}
	stream := make([]byte, 0xff02*16) // to the last block that the appendix gives
	c.xor(stream, 0, 0)
	want(t, "first blocks", stream[:48], unhex(t, `E03EAD0935C95E80E166B16DD92B4EB4
		D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0`))
	want(t, "last blocks", stream[0xfeff*16:], unhex(t, `EC8CDF7398607CB0F2D21675EA9EA1E4
		362B7C3C6773516318A077D7FC5073AE 6A2CC3787889374FBEB4C81B17BA6C44`))
}

// gallia has the session keys of the test vectors of RFC 7714.
func gallia(t *testing.T) *gcm {
	s := session{key: [16]byte(unhex(t, "000102030405060708090a0b0c0d0e0f"))}
	copy(s.salt[:], unhex(t, "51756964 2070726f 2071756f"))
	g, err := newGCM(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGCMOfRTP is RFC 7714 section 16.1.
func TestGCMOfRTP(t *testing.T) {
	g := gallia(t)
	header := unhex(t, "8040f17b 8041f8d3 5501a0b2")
	payload := []byte("Gallia est omnis divisa in partes tres")
	packet := unhex(t, `8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f
		42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce`)
	got := g.sealRTP([]byte("before"), header, payload, 0x5501a0b2, 0xf17b)
	want(t, "packet", got, slices.Concat([]byte("before"), packet))
	want(t, "plain packet", g.openRTP(packet, len(header), 0x5501a0b2, 0xf17b), slices.Concat(header, payload))
}

// TestGCMOfRTCP is RFC 7714 section 17.1.
func TestGCMOfRTCP(t *testing.T) {
	g := gallia(t)
	plain := unhex(t, `81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61
		deadbeef deadbeef deadbeef deadbeef deadbeef`)
	packet := unhex(t, `81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d
		c676a5f1 730d6fda 4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4`)
	got := g.sealRTCP([]byte("before"), plain, 0x4d617273, 0x5d4)
	want(t, "packet", got, slices.Concat([]byte("before"), packet))
	want(t, "plain packet", g.openRTCP(packet, 0x4d617273, 0x5d4), plain)
}
