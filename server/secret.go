package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"math/big"
)

// randomToken is 256 bits, the master token.
func randomToken() ([]byte, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return []byte(hex.EncodeToString(b)), nil
}

// randomNac is a dispatch NAC id that a person can type: 10 digits, 33 bits,
// which the lock-out makes enough (10 guesses in 7 minutes).
func randomNac() ([]byte, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(9_000_000_000))
	if err != nil {
		return nil, err
	}
	return []byte(n.Add(n, big.NewInt(1_000_000_000)).String()), nil
}

// randomPassword is 96 bits for the administration page.
func randomPassword() ([]byte, error) {
	b := make([]byte, 12)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}
