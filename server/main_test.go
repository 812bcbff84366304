package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrongFlagsAndArgumentsAreErrorsOfUsage(t *testing.T) {
	for _, line := range [][]string{
		{"check", "config.lua"},
		{"check", "--permissions", "permissions.cfg"},
		{"serve", "--tls-key", "key.pem"},
		{"serve", "now"},
		{"replay"},
		{"imbe", "compare", "one.wav"},
		{"audit", "verify", "data"},
	} {
		root := rootCommand()
		root.SetArgs(line)
		root.SetOut(io.Discard)
		var usage usageError
		if err := root.ExecuteContext(t.Context()); !errors.As(err, &usage) {
			t.Errorf("%q: %v", line, err)
		}
	}
	root := rootCommand()
	root.SetArgs([]string{"check", "--config", "none.lua"})
	var usage usageError
	if err := root.ExecuteContext(t.Context()); err == nil || errors.As(err, &usage) {
		t.Errorf("a configuration that is not there: %v", err)
	}
}

func TestAnExternalLoginWithoutAnAddressRefusesTheStart(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "config.lua")
	lua := `Config.useDiscordAuth = true Config.discord = { clientId = "1", clientSecret = "s", allowedUsers = { "5" } }`
	if err := os.WriteFile(file, []byte(lua), 0o600); err != nil {
		t.Fatal(err)
	}
	root := rootCommand()
	root.SetArgs([]string{"serve", "--config", file, "--data", filepath.Join(folder, "data"), "--listen", "0.0.0.0:0"})
	root.SetOut(io.Discard)
	err := root.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "serverAddress is missing") {
		t.Error(err)
	}
}
