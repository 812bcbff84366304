package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is a system and its processor, as Go names them. arm is version 7, as of a
// Raspberry Pi 2 and later.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) program() string {
	if t.os == "windows" {
		return "squelch.exe"
	}
	return "squelch"
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "arm"},
	{"windows", "amd64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
}

// choose reads a list of targets; "" means all, and the container.
func choose(list string) (chosen []target, container bool, err error) {
	if list == "" {
		return targets, true, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		switch {
		case name == "container":
			container = true
		case i < 0:
			return nil, false, fmt.Errorf("%q is none of %s, container", name, strings.Trim(fmt.Sprint(targets), "[]"))
		default:
			chosen = append(chosen, targets[i])
		}
	}
	if container && !slices.ContainsFunc(chosen, func(t target) bool { return t.os == "linux" }) {
		return nil, false, fmt.Errorf("a container needs a linux target too")
	}
	return chosen, container, nil
}

// build compiles the programs, and one for this machine, which describes itself.
func (r *release) build(ctx context.Context, chosen []target) error {
	if _, err := os.Stat(filepath.Join(r.source, "server/panel/dist/index.html")); err != nil {
		return fmt.Errorf("the panel is not built, run just panel: %w", err)
	}
	here := target{runtime.GOOS, runtime.GOARCH}
	all := slices.Clone(chosen)
	if !slices.Contains(all, here) {
		all = append(all, here)
	}
	for i, t := range all {
		began := time.Now()
		out := filepath.Join(r.work, t.os+"-"+t.arch, t.program())
		cmd := exec.CommandContext(ctx, "go", "-C", r.source, "build", "-trimpath", "-buildvcs=false",
			"-ldflags", "-s -w -buildid= -X main.build="+r.version, "-o", out, "./server")
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOARM=7", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=")
		if _, err := run(cmd); err != nil {
			return err
		}
		r.programs[t] = out
		r.progress("  %d of %d programs: %s, %s", i+1, len(all), t, time.Since(began).Round(time.Second))
	}
	return nil
}

// describe has the program write its manual page and the completions of shells.
func (r *release) describe(ctx context.Context) ([]file, error) {
	program := r.programs[target{runtime.GOOS, runtime.GOARCH}]
	var files []file
	for _, f := range []struct {
		name string
		args []string
	}{
		{"man/squelch.1", []string{"manual"}},
		{"completions/squelch.bash", []string{"completion", "bash"}},
		{"completions/_squelch", []string{"completion", "zsh"}},
		{"completions/squelch.fish", []string{"completion", "fish"}},
		{"completions/squelch.ps1", []string{"completion", "powershell"}},
	} {
		cmd := exec.CommandContext(ctx, program, f.args...)
		cmd.Env = []string{}
		text, err := run(cmd)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: f.name, text: []byte(text + "\n")})
	}
	return files, nil
}
