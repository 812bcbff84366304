package main

import (
	"net"

	"golang.org/x/crypto/acme/autocert"

	"path/filepath"
)

// secured chooses plain HTTP or TLS. Browsers give no microphone on plain HTTP
// except on localhost.
func (s *service) secured(l net.Listener) (serve func() error, scheme string, err error) {
	t := s.loaded.Server.TLS
	switch {
	case t.Auto != "":
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(t.Auto),
			Cache: autocert.DirCache(filepath.Join(s.data, "acme"))}
		s.http.TLSConfig = m.TLSConfig()
		s.http.TLSConfig.NextProtos = []string{"http/1.1", "acme-tls/1"}
		return func() error { return s.http.ServeTLS(l, "", "") }, "https", nil
	case t.Cert != "":
		return func() error { return s.http.ServeTLS(l, t.Cert, t.Key) }, "https", nil
	}
	return func() error { return s.http.Serve(l) }, "http", nil
}
