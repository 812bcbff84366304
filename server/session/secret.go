package session

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"
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

// The forms of the tokens that the service makes: those of newSecret (sessions,
// players, and with a prefix API keys), and the master token of the first start,
// 256 bits in hex.
const (
	secretLength = 43 // of 256 bits in base64url
	base64url    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	masterLength = 64
	masterChars  = "0123456789abcdef"
)

// IsTokenForm says whether a text that is not a valid token has the form of one. Then
// it is an outdated token, as every open panel has after a day and every bot after
// its session was revoked: nobody guesses 256 bits. Every other text is a guess; the
// operator's own master token may have any form.
func IsTokenForm(text string) bool {
	switch len(text) {
	case secretLength:
		return strings.Trim(text, base64url) == ""
	case masterLength:
		return strings.Trim(text, masterChars) == ""
	}
	return KeyForm(text)
}
