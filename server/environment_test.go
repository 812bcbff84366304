package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"squelch/server/config"
)

// settings is an environment.
type settings map[string]string

func (s settings) get(name string) string { return s[name] }

// TestTheEnvironmentSetsFlags that the command line does not give.
func TestTheEnvironmentSetsFlags(t *testing.T) {
	for name, c := range map[string]struct {
		line []string
		env  settings
		want map[string]string
		err  string
	}{
		"a flag with a dash":      {nil, settings{"SQUELCH_LOG_FORMAT": "json"}, map[string]string{"log-format": "json"}, ""},
		"the command line wins":   {[]string{"--data", "here"}, settings{"SQUELCH_DATA": "there"}, map[string]string{"data": "here"}, ""},
		"empty is not given":      {nil, settings{"SQUELCH_DATA": ""}, map[string]string{"data": "./data"}, ""},
		"a switch":                {nil, settings{"SQUELCH_ALLOW_DEFAULT_SECRETS": "true"}, map[string]string{"allow-default-secrets": "true"}, ""},
		"a switch that is none":   {nil, settings{"SQUELCH_ALLOW_DEFAULT_SECRETS": "maybe"}, nil, "SQUELCH_ALLOW_DEFAULT_SECRETS"},
		"what is hidden is not":   {nil, settings{"SQUELCH_FIGURES": "true"}, map[string]string{"figures": "false"}, ""},
		"help is asked for by me": {nil, settings{"SQUELCH_HELP": "true"}, map[string]string{"help": "false"}, ""},
	} {
		cmd := serveCommand()
		cmd.InitDefaultHelpFlag()
		if err := cmd.ParseFlags(c.line); err != nil {
			t.Fatal(err)
		}
		err := fromEnvironment(cmd, c.env.get)
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
		for flag, want := range c.want {
			if got := cmd.Flags().Lookup(flag).Value.String(); got != want {
				t.Errorf("%s: --%s is %q, want %q", name, flag, got, want)
			}
		}
	}
}

// TestAWrongVariableIsAUsageError, as a wrong flag is.
func TestAWrongVariableIsAUsageError(t *testing.T) {
	t.Setenv("SQUELCH_LOG_LEVEL", "loud")
	if _, errs := exits(t, exitUsage, "serve", "--data", t.TempDir()); !strings.Contains(errs, `"loud" is no level of the log`) {
		t.Errorf("%q", errs)
	}
	t.Setenv("SQUELCH_JSON", "perhaps")
	if _, errs := exits(t, exitUsage, "version"); !strings.Contains(errs, "SQUELCH_JSON: ") {
		t.Errorf("%q", errs)
	}
}

// TestSecretsComeFromTheEnvironment, or from the files that it names, before those of
// the configuration.
func TestSecretsComeFromTheEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nac")
	if err := os.WriteFile(file, []byte("D-4711-county\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &config.Loaded{Server: config.ServerConfig{AuthToken: "of the file", Missing: []string{"dispatchNacId", "adminPassword"}}}
	if err := secretsOf(l, settings{"SQUELCH_AUTH_TOKEN": "of the environment", "SQUELCH_DISPATCH_NAC_ID_FILE": file}.get); err != nil {
		t.Fatal(err)
	}
	if s := l.Server; s.AuthToken != "of the environment" || s.DispatchNacID != "D-4711-county" || l.Core.DispatchNac != "D-4711-county" || len(s.Missing) != 1 {
		t.Errorf("%+v", s)
	}
	empty, long := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "long")
	_ = os.WriteFile(empty, []byte(" \n"), 0o600)
	_ = os.WriteFile(long, []byte(strings.Repeat("x", maxSecretFile+1)), 0o600)
	for want, env := range map[string]settings{
		"both set":            {"SQUELCH_AUTH_TOKEN": "a", "SQUELCH_AUTH_TOKEN_FILE": file},
		"is empty":            {"SQUELCH_AUTH_TOKEN_FILE": empty},
		"more than 4096":      {"SQUELCH_ADMIN_PASSWORD_FILE": long},
		"no such file":        {"SQUELCH_ADMIN_PASSWORD_FILE": file + "x"},
		"ADMIN_PASSWORD_FILE": {"SQUELCH_ADMIN_PASSWORD_FILE": t.TempDir()},
	} {
		if err := secretsOf(l, env.get); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "cannot find the file", "no such file"), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAMisspeltVariableIsNoticed, and those of other programs are not.
func TestAMisspeltVariableIsNoticed(t *testing.T) {
	root := rootCommand(io.Discard)
	got := unknownVariables(root, []string{"SQUELCH_LISTN=0.0.0.0:7777", "SQUELCH_AUTH_TOKEN=secret", "SQUELCH_DATA=x", "PATH=/bin", "SQUELCH_NONSENSE_AT_ALL=1"})
	want := []string{"the environment variable SQUELCH_LISTN sets nothing, did you mean SQUELCH_LISTEN?", "the environment variable SQUELCH_NONSENSE_AT_ALL sets nothing"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

// TestShellsCanComplete: the command is in the help, and flags with fixed values offer
// them.
func TestShellsCanComplete(t *testing.T) {
	if help, _ := exits(t, 0, "--help"); !strings.Contains(help, "completion ") {
		t.Errorf("the help does not mention completion:\n%s", help)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script, _ := exits(t, 0, "completion", shell); !strings.Contains(script, "squelch") {
			t.Errorf("%s: %q", shell, script)
		}
	}
	if out, _ := exits(t, 0, cobra.ShellCompRequestCmd, "serve", "--log-level", "v"); !strings.Contains(out, "verbose") {
		t.Errorf("--log-level offers %q", out)
	}
}
