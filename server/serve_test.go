package main

import (
	"os"
	"path/filepath"
	"strings"
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

// TestAReloadIsCheckedAsTheStartWas: a service that was started with placeholder secrets on
// purpose, or with secrets of its environment, takes its file again.
func TestAReloadIsCheckedAsTheStartWas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(file, []byte(`Config = { authToken = "changeme", dispatchNacId = "desk-1", adminPassword = "correct horse" }`), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(f serveFlags) error {
		f.config = file
		l, _, err := f.reread(t.Context(), "0.0.0.0:7777")
		if err == nil {
			l.Callbacks.Close()
		}
		return err
	}
	if err := read(serveFlags{}); err == nil || !strings.Contains(err.Error(), "placeholder secrets") {
		t.Errorf("a placeholder on every address: %v", err)
	}
	if err := read(serveFlags{allowDefaultSecrets: true}); err != nil {
		t.Errorf("with --allow-default-secrets: %v", err)
	}
	t.Setenv("SQUELCH_AUTH_TOKEN", "a-master-token-of-the-county")
	if err := read(serveFlags{}); err != nil {
		t.Errorf("with SQUELCH_AUTH_TOKEN: %v", err)
	}
}
