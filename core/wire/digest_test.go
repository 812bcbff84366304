package wire

import (
	"bytes"
	"crypto/sha256"
	"math/rand"
	"testing"
)

// digest writes a message in two parts and asks for a digest between them, too.
func digest(t testing.TB, message []byte, cut int) {
	t.Helper()
	d := NewDigest()
	d.Write(message[:cut])
	if got, want := d.Sum(), sha256.Sum256(message[:cut]); got != want {
		t.Fatalf("of %d bytes: %x, want %x", cut, got, want)
	}
	d.Write(message[cut:])
	if got, want := d.Sum(), sha256.Sum256(message); got != want {
		t.Fatalf("of %d bytes, %d of them first: %x, want %x", len(message), cut, got, want)
	}
}

// TestDigest compares our SHA-256 with the standard library's for messages of every
// length around the borders of its blocks.
func TestDigest(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 300 {
		message := make([]byte, n)
		r.Read(message)
		digest(t, message, n)
		digest(t, message, r.Intn(n+1))
	}
	digest(t, bytes.Repeat([]byte("radio"), 100_000), 77)
}

func FuzzDigest(f *testing.F) {
	f.Add([]byte("abc"), uint(1))
	f.Fuzz(func(t *testing.T, message []byte, cut uint) {
		digest(t, message, int(cut%uint(len(message)+1)))
	})
}
