package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"path/filepath"

	"golang.org/x/crypto/acme/autocert"
)

// suites of TLS 1.2: AEAD ciphers with forward secrecy (RFC 9325, section 4.2).
// TLS 1.3 has no others.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// strictTransport makes browsers refuse plain HTTP for a year, on every port of
// the host: other services on it too.
const strictTransport = "max-age=31536000"

// secured chooses plain HTTP or TLS. Browsers give no microphone on plain HTTP
// except on localhost.
func (s *service) secured(l net.Listener) (serve func() error, scheme string, err error) {
	t := s.loaded.Server.TLS
	if t.Auto == "" && t.Cert == "" {
		if t.HSTS {
			s.log.Print("warning: tls.hsts has no effect without tls.cert or tls.auto; where a proxy has the certificate, the proxy says it")
		}
		return func() error { return s.http.Serve(l) }, "http", nil
	}
	s.http.TLSConfig = &tls.Config{}
	if t.Auto != "" {
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(t.Auto),
			Cache: autocert.DirCache(filepath.Join(s.data, "acme"))}
		s.http.TLSConfig = m.TLSConfig()
		s.http.TLSConfig.NextProtos = []string{"http/1.1", "acme-tls/1"}
	}
	s.http.TLSConfig.MinVersion = tls.VersionTLS12
	s.http.TLSConfig.CipherSuites = suites
	if t.HSTS {
		s.http.Handler = strict(s.http.Handler)
	}
	return func() error { return s.http.ServeTLS(l, t.Cert, t.Key) }, "https", nil
}

func strict(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", strictTransport)
		inner.ServeHTTP(w, r)
	})
}
