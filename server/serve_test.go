package main

import (
	"testing"

	"squelch/server/config"
)

func TestAnotherCertificateKeepsHSTS(t *testing.T) {
	s := config.ServerConfig{TLS: config.TLS{Cert: "c", Key: "k", HSTS: true}}
	override(&s, serveFlags{cert: "a", key: "b"})
	if s.TLS != (config.TLS{Cert: "a", Key: "b", HSTS: true}) {
		t.Errorf("the flags name another certificate: %+v", s.TLS)
	}
	override(&s, serveFlags{auto: "radio.example.org"})
	if s.TLS != (config.TLS{Auto: "radio.example.org", HSTS: true}) {
		t.Errorf("the flags ask for an automatic one: %+v", s.TLS)
	}
}
