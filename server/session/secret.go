package session

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
)

// secretBytes is the length of session ids and tokens: 256 bits.
const secretBytes = 32

// digest is the SHA-256 of a secret. Secrets themselves are never kept. They
// are random and long, so they need no salt and no slow hash.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// same compares in constant time.
func (d digest) same(other digest) bool {
	return subtle.ConstantTimeCompare(d[:], other[:]) == 1
}

func parseDigest(text string) (d digest, ok bool) {
	raw, err := hex.DecodeString(text)
	return d, err == nil && len(raw) == len(d) && copy(d[:], raw) == len(d)
}

// newSecret makes 256 random bits, as 43 characters that need no escaping in a
// header, URL or cookie. crypto/rand ends the process rather than fail.
func newSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}
