package admin

import (
	"crypto/rand"
	"time"

	"golang.org/x/crypto/argon2"
)

// Parameters of argon2id (RFC 9106): 19 MiB and two passes, which OWASP's Password Storage
// Cheat Sheet has as its first choice. At most hashPlaces are computed at once, so that
// guesses take no more memory than that.
const (
	hashMemory = 19 << 10 // KiB
	hashTime   = 2
	hashLength = 32
	hashPlaces = 2
	// hashWait is how long a login waits for its place.
	hashWait = 3 * time.Second
	// newPasswordLength is how many characters a generated password has: 95 bits.
	newPasswordLength = 16
)

// Alphabet of generated passwords, without letters that are read wrongly.
const passwordLetters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"

func hashOf(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, hashTime, hashMemory, 1, hashLength)
}

// noSalt is hashed for names that no account has, so that these take as long.
var noSalt = make([]byte, 16)

// withPassword is the account with another password.
func (a *Accounts) withPassword(one account, password string) account {
	one.Salt = make([]byte, 16)
	_, _ = rand.Read(one.Salt) // ends the process rather than fail
	one.Hash, one.Changed = hashOf(password, one.Salt), a.now().UnixMilli()
	return one
}

// newPassword makes one that can be read out.
func newPassword() string {
	out := make([]byte, 0, newPasswordLength)
	for len(out) < newPasswordLength {
		var b [1]byte
		_, _ = rand.Read(b[:])
		if n := int(b[0]); n < 256-256%len(passwordLetters) { // each letter equally often
			out = append(out, passwordLetters[n%len(passwordLetters)])
		}
	}
	return string(out)
}
