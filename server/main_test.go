package main

import (
	"errors"
	"io"
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
