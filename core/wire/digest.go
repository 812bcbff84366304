package wire

import (
	"encoding/binary"
	"math/bits"
)

// Digest is SHA-256 (FIPS 180-4, section 6.2) of what is written to it. The standard
// library's is faster, but links the self-tests and other algorithms of a certified
// module into core.wasm: 50 kB when packed.
type Digest struct {
	h    [8]uint32
	rest []byte // the beginning of a block
	n    uint64 // bytes written
}

// NewDigest is the digest of nothing.
func NewDigest() *Digest {
	return &Digest{h: [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}}
}

// Write adds p. It never fails.
func (d *Digest) Write(p []byte) (int, error) {
	d.n += uint64(len(p))
	m := p
	if len(d.rest) > 0 {
		m = append(d.rest, p...)
	}
	for ; len(m) >= 64; m = m[64:] {
		d.block(m[:64])
	}
	d.rest = append([]byte(nil), m...)
	return len(p), nil
}

// Sum is the digest of what has been written so far; more may be written.
func (d *Digest) Sum() [32]byte {
	end := *d
	pad := append(make([]byte, 0, 72), 0x80)
	for (end.n+uint64(len(pad)))%64 != 56 {
		pad = append(pad, 0)
	}
	end.rest = append([]byte(nil), d.rest...)
	end.Write(binary.BigEndian.AppendUint64(pad, d.n*8))
	var sum [32]byte
	for i, v := range end.h {
		binary.BigEndian.PutUint32(sum[i*4:], v)
	}
	return sum
}

// block takes a block of 64 bytes into the digest.
func (d *Digest) block(block []byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[i*4:])
	}
	for i := 16; i < 64; i++ {
		a, b := w[i-15], w[i-2]
		s0 := bits.RotateLeft32(a, -7) ^ bits.RotateLeft32(a, -18) ^ a>>3
		s1 := bits.RotateLeft32(b, -17) ^ bits.RotateLeft32(b, -19) ^ b>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	v := d.h
	for i := range 64 {
		s1 := bits.RotateLeft32(v[4], -6) ^ bits.RotateLeft32(v[4], -11) ^ bits.RotateLeft32(v[4], -25)
		t1 := v[7] + s1 + (v[4]&v[5] ^ ^v[4]&v[6]) + sha256Constants[i] + w[i]
		s0 := bits.RotateLeft32(v[0], -2) ^ bits.RotateLeft32(v[0], -13) ^ bits.RotateLeft32(v[0], -22)
		t2 := s0 + (v[0]&v[1] ^ v[0]&v[2] ^ v[1]&v[2])
		v = [8]uint32{t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]}
	}
	for i := range v {
		d.h[i] += v[i]
	}
}

// sha256Constants are the first 32 bits of the fractional parts of the cube roots of
// the first 64 primes (FIPS 180-4, section 4.2.2).
var sha256Constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
