package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"squelch/core/wire"
	"squelch/server/resource"
)

// exits runs a command line and expects an exit code.
func exits(t *testing.T, want int, args ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	if got := run(t.Context(), args, &stdout, &stderr); got != want {
		t.Errorf("squelch %s: exit code %d, want %d: %s", strings.Join(args, " "), got, want, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// TestExitCodes runs the examples of README's table of exit codes.
func TestExitCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	row := regexp.MustCompile(`(?m)^\| ([0-9]+) \| [^|]+ \| ([^|]+) \|$`)
	example := regexp.MustCompile("`squelch ([^`]+)`")
	codes := map[int]bool{}
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		code, _ := strconv.Atoi(r[1])
		examples := example.FindAllStringSubmatch(r[2], -1)
		if codes[code] = true; len(examples) < 3 {
			t.Errorf("code %d has only the examples %s", code, r[2])
		}
		for _, e := range examples {
			exits(t, code, strings.Fields(e[1])...)
		}
	}
	if len(codes) != 3 || !codes[0] || !codes[exitFailed] || !codes[exitUsage] {
		t.Errorf("README has the exit codes %v", codes)
	}
	if left, _ := os.ReadDir("."); len(left) > 0 {
		t.Errorf("the examples left %v behind", left)
	}
}

func TestWrongFlagsAndArgumentsAreErrorsOfUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range [][]string{
		{"check", "config.lua"},
		{"check", "--permissions", "permissions.cfg"},
		{"serve", "--tls-key", "key.pem"},
		{"serve", "--listen", "7777"},
		{"serve", "--media", "127.0.0.1:70000"},
		{"replay"},
		{"imbe", "compare", "one.wav"},
		{"imbe", "encode", "--ber", "7"},
		{"bench", "relay", "--load", "many"},
		{"bench", "relay", "--beside", "none"},
		{"bench", "voice", "--rounds", "0"},
		{"audit", "verify", "data"},
		{"help", "nothing"},
	} {
		exits(t, exitUsage, line...)
	}
	if _, errs := exits(t, exitUsage, "secret"); !strings.Contains(errs, `did you mean secrets?`) {
		t.Errorf("the nearest command is not named: %s", errs)
	}
}

// TestEveryCommandKnowsItsHelp: it goes to standard output, with exit code 0; and
// each command refuses a flag, and each group a command, that it does not have.
func TestEveryCommandKnowsItsHelp(t *testing.T) {
	seen := 0
	var try func(cmd *cobra.Command, path []string)
	try = func(cmd *cobra.Command, path []string) {
		seen++
		for _, line := range [][]string{slices.Concat(path, []string{"--help"}), slices.Concat([]string{"help"}, path)} {
			if out, errs := exits(t, 0, line...); !strings.Contains(out, "Usage:\n  "+cmd.CommandPath()) || errs != "" {
				t.Errorf("squelch %s: %s%s", strings.Join(line, " "), out, errs)
			}
		}
		exits(t, exitUsage, slices.Concat(path, []string{"--no-such-flag"})...)
		if cmd.HasSubCommands() {
			exits(t, exitUsage, slices.Concat(path, []string{"no-such-command"})...)
		}
		for _, sub := range cmd.Commands() {
			try(sub, slices.Concat(path, []string{sub.Name()}))
		}
	}
	try(rootCommand(io.Discard), nil)
	if seen < 20 {
		t.Errorf("only %d commands were seen", seen)
	}
}

// With the page the resource is written; without it the command says how to build it.
func TestTheResourceIsWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	line := []string{"resource", "--out", folder, "--address", "http://10.0.0.2:7777"}
	if _, err := resource.Zip(""); errors.Is(err, resource.ErrUnbuilt) {
		if _, errs := exits(t, exitFailed, line...); !strings.Contains(errs, "just panel") {
			t.Error(errs)
		}
		return
	}
	for name, line := range map[string][]string{"radio.zip": line, "radio": append(line, "--unpack")} {
		if out, _ := exits(t, 0, line...); out != filepath.Join(folder, name)+"\n" {
			t.Errorf("%s: told %q", name, out)
		}
	}
	if zip, err := os.ReadFile(filepath.Join(folder, "radio.zip")); err != nil || !bytes.HasPrefix(zip, []byte("PK")) {
		t.Errorf("%.20q, %v", zip, err)
	}
	for name, part := range map[string]string{"server/address.lua": "'http://10.0.0.2:7777'", "nui/index.html": "app.js", "fxmanifest.lua": "ui_page"} {
		if text, err := os.ReadFile(filepath.Join(folder, "radio", name)); err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s: %.60q, %v", name, text, err)
		}
	}
	exits(t, exitFailed, "resource", "--out", folder, "--address", "radio.example")
}

func TestTheVersion(t *testing.T) {
	flag, _ := exits(t, 0, "--version")
	command, _ := exits(t, 0, "version")
	if flag != command || !strings.HasPrefix(flag, "squelch ") || !strings.Contains(flag, wire.Version) {
		t.Errorf("--version prints %q, version prints %q", flag, command)
	}
	out, _ := exits(t, 0, "version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(out), &v); err != nil || v["interface"] != wire.Version || v["build"] == "" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestAnExternalLoginWithoutAnAddressRefusesTheStart(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "config.lua")
	lua := `Config.useDiscordAuth = true Config.discord = { clientId = "1", clientSecret = "s", allowedUsers = { "5" } }`
	if err := os.WriteFile(file, []byte(lua), 0o600); err != nil {
		t.Fatal(err)
	}
	root := rootCommand(io.Discard)
	root.SetArgs([]string{"serve", "--config", file, "--data", filepath.Join(folder, "data"), "--listen", "0.0.0.0:0"})
	root.SetOut(io.Discard)
	err := root.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "serverAddress is missing") {
		t.Error(err)
	}
}
