package host

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"

	"golang.org/x/crypto/acme/autocert"
)

// TLS is a certificate from files or an automatic one; if all fields are empty, plain
// HTTP.
type TLS struct {
	Cert, Key string
	Auto      string // host name; needs port 443
	HSTS      bool   // tell browsers to use only TLS on this host, on every port
}

// on says whether there is a certificate.
func (t TLS) on() bool { return t.Auto != "" || t.Cert != "" }

// suites of TLS 1.2: AEAD ciphers with forward secrecy (RFC 9325, section 4.2).
// TLS 1.3 has no others.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// strictTransport makes browsers refuse plain HTTP for a year, on every port of the
// host and so for its other services too.
const strictTransport = "max-age=31536000"

// secure sets up the HTTP server for plain HTTP or TLS. Browsers offer no microphone
// on plain HTTP, except on localhost.
func (h *Host) secure() error {
	h.server, h.scheme = newServer(slog.NewLogLogger(h.log.Handler(), slog.LevelInfo)), "http"
	if !h.tls.on() {
		if h.tls.HSTS {
			h.log.Warn("tls.hsts has no effect without tls.cert or tls.auto; if a proxy has the certificate, set HSTS there")
		}
		return nil
	}
	h.scheme = "https"
	c := &tls.Config{}
	if h.tls.Auto != "" {
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(h.tls.Auto),
			Cache: autocert.DirCache(filepath.Join(h.data, "acme"))}
		c = m.TLSConfig()
		c.NextProtos = []string{"http/1.1", "acme-tls/1"}
	} else {
		pair, err := tls.LoadX509KeyPair(h.tls.Cert, h.tls.Key)
		if err != nil {
			return fmt.Errorf("the certificate of --tls-cert and --tls-key, or tls of the configuration: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	c.MinVersion, c.CipherSuites = tls.VersionTLS12, suites
	h.server.TLSConfig = c
	return nil
}

// serve answers requests until the server is shut down.
func (h *Host) serve() error {
	if h.tls.on() {
		return h.server.ServeTLS(h.web, "", "")
	}
	return h.server.Serve(h.web)
}

// strict adds the HSTS header, if it is configured and TLS is on.
func (h *Host) strict(inner http.Handler) http.Handler {
	if !h.tls.HSTS || !h.tls.on() {
		return inner
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", strictTransport)
		inner.ServeHTTP(w, r)
	})
}
