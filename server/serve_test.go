package main

import (
	"testing"

	"squelch/server/config"
)

func TestAnotherCertificateKeepsHSTS(t *testing.T) {
	l := &config.Loaded{Server: config.ServerConfig{TLS: config.TLS{Cert: "c", Key: "k", HSTS: true}}}
	s := &l.Server
	if err := (serveFlags{cert: "a", key: "b"}).override(l); err != nil {
		t.Fatal(err)
	}
	if s.TLS != (config.TLS{Cert: "a", Key: "b", HSTS: true}) {
		t.Errorf("the flags name another certificate: %+v", s.TLS)
	}
	if err := (serveFlags{auto: "radio.example.org"}).override(l); err != nil {
		t.Fatal(err)
	}
	if s.TLS != (config.TLS{Auto: "radio.example.org", HSTS: true}) {
		t.Errorf("the flags ask for an automatic one: %+v", s.TLS)
	}
}
