package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sioclient "squelch/server/sio/client"
	"squelch/server/testpeers"
)

// certificate writes a key and a certificate for 127.0.0.1 and returns the pool that
// trusts it.
func certificate(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "radio"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trust = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret), trust
}

func TestTheRadioOverTLS(t *testing.T) {
	cert, key, trust := certificate(t)
	p := testpeers.Start(t, exec.Command(program, "serve", "--config", filepath.Join("testdata", "config.lua"),
		"--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key))
	line, _ := p.Line(0)
	_, rest, found := strings.Cut(line, "https://")
	address, _, _ := strings.Cut(rest, " ")
	if !found {
		t.Fatalf("the service greets with %q", line)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("https://" + address + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("health answers %s", resp.Status)
	}
	up := make(chan error, 1)
	joined := make(chan string, 64)
	c, err := sioclient.New(sioclient.Options{URL: "https://" + address, TLS: &tls.Config{RootCAs: trust},
		Auth:           func() any { return map[string]any{"authToken": masterToken, "serverId": -1} },
		OnConnect:      func(bool) { up <- nil },
		OnConnectError: func(err error) { up <- err },
		OnEvent:        func(e sioclient.Event) { joined <- e.Name },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := <-up; err != nil {
		t.Fatal(err)
	}
	if err := c.Emit("setSpeakerChannel", "154.755"); err != nil {
		t.Fatal(err)
	}
	for name := range joined {
		if name == "speakerJoined" {
			return
		}
	}
}

func TestTLSFlagsThatCannotWorkAreRefused(t *testing.T) {
	cert, key, _ := certificate(t)
	for name, args := range map[string][]string{
		"a certificate alone":   {"--tls-cert", cert},
		"a key alone":           {"--tls-key", key},
		"files and ACME":        {"--tls-cert", cert, "--tls-key", key, "--tls-auto", "radio.example.org"},
		"files that are not so": {"--tls-cert", key, "--tls-key", cert},
	} {
		cmd := exec.Command(program, append([]string{"serve", "--config", filepath.Join("testdata", "config.lua"),
			"--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(strings.ToLower(string(out)), "tls") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
