package host

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// certificate writes a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T, key any, public any) TLS {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "radio"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	files := TLS{Cert: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem")}
	for name, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: der}, files.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// certificates has one certificate of each kind of key.
func certificates(t *testing.T) map[string]TLS {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	primes, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]TLS{"ECDSA": certificate(t, curve, curve.Public()), "RSA": certificate(t, primes, primes.Public())}
}

// page is a Radio that only serves a page.
type page struct{ http.Handler }

func (page) HangUp(context.Context) error { return nil }
func (page) Close()                       {}

// onTLS serves "on the air" and returns the address and the log.
func onTLS(t *testing.T, c TLS) (addr, scheme string, logged *strings.Builder) {
	t.Helper()
	logged = &strings.Builder{}
	h, err := Open(t.Context(), Options{Data: t.TempDir(), TLS: c, Log: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	h.server.ErrorLog = log.New(io.Discard, "", 0) // it logs refused handshakes
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- h.Run(ctx, page{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "on the air") })})
	}()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, h.Close()); err != nil {
			t.Error(err)
		}
	})
	return h.Addr().String(), h.scheme, logged
}

func shake(addr string, c *tls.Config) (tls.ConnectionState, error) {
	c.InsecureSkipVerify = true // the certificate is self-signed; the test is about versions and suites
	conn, err := tls.Dial("tcp", addr, c)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	return conn.ConnectionState(), nil
}

// TestOnlyAuthenticatedCiphersAreSpoken: TLS 1.3, and 1.2 with AEAD
// suites that have forward secrecy.
func TestOnlyAuthenticatedCiphersAreSpoken(t *testing.T) {
	for kind, files := range certificates(t) {
		addr, scheme, _ := onTLS(t, files)
		if scheme != "https" {
			t.Errorf("scheme %s", scheme)
		}
		good := 0
		for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
			if slices.Contains(suite.SupportedVersions, tls.VersionTLS13) {
				continue // 1.3's own; a client cannot choose
			}
			fits := strings.HasPrefix(suite.Name, "TLS_ECDHE_"+kind) && (strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "POLY1305"))
			state, err := shake(addr, &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
			switch {
			case fits && (err != nil || state.CipherSuite != suite.ID || state.Version != tls.VersionTLS12):
				t.Errorf("%s: %s is refused: %v", kind, suite.Name, err)
			case !fits && err == nil:
				t.Errorf("%s: %s is spoken", kind, suite.Name)
			case fits:
				good++
			}
		}
		if good != 3 {
			t.Errorf("%s: %d suites of TLS 1.2 are spoken, want 3", kind, good)
		}
		if state, err := shake(addr, &tls.Config{}); err != nil || state.Version != tls.VersionTLS13 {
			t.Errorf("%s: TLS 1.3: %v, version %x", kind, err, state.Version)
		}
		for _, old := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
			if _, err := shake(addr, &tls.Config{MinVersion: old, MaxVersion: old}); err == nil || !strings.Contains(err.Error(), "version") {
				t.Errorf("%s: version %x: %v", kind, old, err)
			}
		}
	}
}

// TestAnAutomaticCertificateHasTheSameRules: a bad handshake is refused before a
// certificate is requested.
func TestAnAutomaticCertificateHasTheSameRules(t *testing.T) {
	h := &Host{data: t.TempDir(), tls: TLS{Auto: "radio.example.org"}, log: slog.New(slog.DiscardHandler)}
	if err := h.secure(); err != nil || h.scheme != "https" {
		t.Fatal(h.scheme, err)
	}
	c := h.server.TLSConfig
	if c.MinVersion != tls.VersionTLS12 || len(c.CipherSuites) != 6 || !slices.Contains(c.NextProtos, "acme-tls/1") || c.GetCertificate == nil {
		t.Errorf("version %x, suites %x, protocols %q", c.MinVersion, c.CipherSuites, c.NextProtos)
	}
}

// TestStrictTransportIsOnlyForThoseWhoAskForIt: the header would cover every port of
// the host.
func TestStrictTransportIsOnlyForThoseWhoAskForIt(t *testing.T) {
	header := func(c TLS) (string, string) {
		addr, scheme, logged := onTLS(t, c)
		client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // as above
		defer client.CloseIdleConnections()
		got, err := client.Get(scheme + "://" + addr + "/api/health")
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		if body, err := io.ReadAll(got.Body); err != nil || string(body) != "on the air" {
			t.Fatalf("%q, %v", body, err)
		}
		return got.Header.Get("Strict-Transport-Security"), logged.String()
	}
	files := certificates(t)["ECDSA"]
	if got, _ := header(files); got != "" {
		t.Errorf("not asked for: %q", got)
	}
	files.HSTS = true
	if got, _ := header(files); got != "max-age=31536000" {
		t.Errorf("asked for: %q", got)
	}
	got, logged := header(TLS{HSTS: true})
	if got != "" || !strings.Contains(logged, "tls.hsts has no effect") {
		t.Errorf("without TLS: %q, logged %q", got, logged)
	}
}

// TestTheServerHasTimeouts: nobody holds a connection by being slow.
func TestTheServerHasTimeouts(t *testing.T) {
	s := newServer(nil)
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= 0 || s.WriteTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Fatalf("server %+v", s)
	}
}
