package mesh

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"math/big"
	"time"
)

// errStranger: the other end does not know the cluster's secret.
var errStranger = errors.New("the other node has another cluster secret")

// routeTLS is how nodes talk to each other: encrypted, and with nobody who does not know the
// secret. Both ends show a certificate whose key is made of it (HKDF, RFC 5869), so there is
// no certificate to hand out or to renew.
func routeTLS(secret string) (*tls.Config, error) {
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, "squelch cluster routes", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	public, _ := key.Public().(ed25519.PublicKey)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "squelch cluster"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}
	certificate, err := x509.CreateCertificate(nil, template, template, public, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		ClientAuth:   tls.RequireAnyClientCert,
		// The key itself is compared; there is no authority, and names mean nothing.
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 1 && public.Equal(s.PeerCertificates[0].PublicKey) {
				return nil
			}
			return errStranger
		},
	}, nil
}

// password is what this node's own connections show to its server, which listens on
// loopback.
func password(secret, account string) (string, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "squelch cluster account "+account, 24)
	return base64.RawURLEncoding.EncodeToString(key), err
}
