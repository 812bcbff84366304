package radio

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"math/big"

	"squelch/server/config"
)

// Secret is a generated secret.
type Secret struct{ Name, Value string }

// Secrets fills in the secrets that a configuration leaves out with those that were
// generated at the first start. Even with an error it returns those that it has just
// generated, because they are stored and will not be shown again.
func Secrets(ctx context.Context, kept Bucket, loaded *config.Loaded) (generated []Secret, err error) {
	c := &loaded.Server
	for _, secret := range []struct {
		name string
		at   *string
		make func() ([]byte, error)
	}{
		{"authToken", &c.AuthToken, randomToken},
		{"dispatchNacId", &c.DispatchNacID, randomNac},
		{"adminPassword", &c.AdminPassword, randomPassword},
	} {
		if *secret.at != "" {
			continue
		}
		v, created, err := kept.Ensure(ctx, secret.name, secret.make)
		if err != nil {
			return generated, err
		}
		*secret.at = string(v)
		if created {
			generated = append(generated, Secret{secret.name, string(v)})
		}
	}
	loaded.SetDispatchNac(c.DispatchNacID)
	return generated, nil
}

// randomToken makes a master token of 256 bits.
func randomToken() ([]byte, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return []byte(hex.EncodeToString(b)), nil
}

// randomNac makes a dispatch NAC id that a person can type: 10 digits, 33 bits, which
// is enough with the lock-out (10 guesses in 7 minutes).
func randomNac() ([]byte, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(9_000_000_000))
	if err != nil {
		return nil, err
	}
	return []byte(n.Add(n, big.NewInt(1_000_000_000)).String()), nil
}

// randomPassword makes a password of 96 bits for the administration page.
func randomPassword() ([]byte, error) {
	b := make([]byte, 12)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

// DispatchNac is what dispatchers log in with.
func (r *Radio) DispatchNac() string { return r.started.Server.DispatchNacID }
