package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// verify makes the release of the last commit twice, in two fresh clones in folders of
// different names, compares every byte, and starts what is for other processors under qemu.
func verify(ctx context.Context, o options) error {
	c, err := look(ctx, o)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "squelch-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var list []string
	for _, t := range o.targets {
		list = append(list, t.String())
	}
	if o.container {
		list = append(list, "container")
	}
	var outs []string
	for _, name := range []string{"one", "another-folder"} {
		clone := filepath.Join(dir, name)
		out := filepath.Join(clone, "build", "release")
		for _, line := range [][]string{{"git", "clone", "-q", c.source, clone},
			{"npx", "-y", "rust-just@1.57.0", "release", "--only", strings.Join(list, ","), "--version", c.version}} {
			cmd := exec.CommandContext(ctx, line[0], line[1:]...)
			if line[0] != "git" {
				cmd.Dir = clone
			}
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(line, " "), err)
			}
		}
		outs = append(outs, out)
	}
	if err := same(outs[0], outs[1]); err != nil {
		return err
	}
	o.progress("both have the same bytes")
	for _, t := range o.targets {
		emulator := map[target]string{{"linux", "arm64"}: "qemu-aarch64-static", {"linux", "arm"}: "qemu-arm-static"}[t]
		if emulator == "" {
			continue
		}
		if _, err := exec.LookPath(emulator); err != nil {
			return fmt.Errorf("%s is needed: apt-get install qemu-user-static", emulator)
		}
		archive := filepath.Join(outs[0], folderName(c.version, t)+".tar.gz")
		if out, err := exec.CommandContext(ctx, "tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", archive, err, out)
		}
		if err := c.starts(ctx, emulator, filepath.Join(dir, folderName(c.version, t))); err != nil {
			return fmt.Errorf("%s under %s: %w", t, emulator, err)
		}
		o.progress("%s starts", t)
	}
	return nil
}

// same compares two folders.
func same(a, b string) error {
	entries, err := os.ReadDir(a)
	if err != nil {
		return err
	}
	others, err := os.ReadDir(b)
	if err != nil {
		return err
	}
	if len(entries) != len(others) || len(entries) == 0 {
		return fmt.Errorf("%s has %d files, %s %d", a, len(entries), b, len(others))
	}
	for _, e := range entries {
		x, err := os.ReadFile(filepath.Join(a, e.Name()))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, e.Name()))
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s differs from one build to the other", e.Name())
		}
	}
	return nil
}

// starts runs version, check and serve of an unpacked archive, asks the service for its page
// and whether it is ready, and has a client join a channel.
func (c checkout) starts(ctx context.Context, emulator, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	program := filepath.Join(folder, "squelch")
	version, err := exec.CommandContext(ctx, emulator, program, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(version), c.version) {
		return fmt.Errorf("version: %w: %s", err, version)
	}
	if out, err := exec.CommandContext(ctx, emulator, program, "check", "--config", filepath.Join(folder, "config.example.lua")).CombinedOutput(); err != nil {
		return fmt.Errorf("check: %w: %s", err, out)
	}
	serve := exec.CommandContext(ctx, emulator, program, "serve", "--config", filepath.Join(folder, "config.example.lua"), "--data", filepath.Join(folder, "data"), "--listen", "127.0.0.1:0", "--media", "127.0.0.1:0")
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	serve.WaitDelay = time.Minute
	var errs bytes.Buffer
	serve.Stderr = &errs
	said, err := serve.StdoutPipe()
	if err != nil {
		return err
	}
	if err := serve.Start(); err != nil {
		return err
	}
	url := ""
	for lines := bufio.NewScanner(said); url == "" && lines.Scan(); {
		if _, rest, is := strings.Cut(lines.Text(), " is on the air at "); is {
			url, _, _ = strings.Cut(rest, " ")
		}
	}
	err = errors.New("it is not on the air")
	if url != "" {
		if err = answers(ctx, url); err == nil {
			err = joins(ctx, emulator, folder, url)
		}
	}
	_ = serve.Process.Signal(os.Interrupt)
	if ended := serve.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("serve: %w\n%s", err, errs.String())
	}
	return nil
}

func answers(ctx context.Context, url string) error {
	for _, path := range []string{"/readyz", "/", "/api/health"} {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return err
		}
		reply, err := http.DefaultClient.Do(q)
		if err != nil {
			return err
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", path, reply.Status)
		}
	}
	return nil
}

// joins has the same program, as a client over Socket.IO, listen to a channel, with the
// login that the service has generated.
func joins(ctx context.Context, emulator, folder, url string) error {
	program := filepath.Join(folder, "squelch")
	text, err := exec.CommandContext(ctx, emulator, program, "secrets", "--data", filepath.Join(folder, "data"), "--json").Output()
	if err != nil {
		return fmt.Errorf("secrets: %w", err)
	}
	var secrets struct{ DispatchNacID string }
	if err := json.Unmarshal(text, &secrets); err != nil {
		return err
	}
	said, err := exec.CommandContext(ctx, emulator, program, "client", "--server", url, "--nac-id", secrets.DispatchNacID, "--callsign", "Listener", "--scan", "154.755", "--for", "3s", "--json").CombinedOutput()
	if err != nil {
		return fmt.Errorf("client: %w: %s", err, said)
	}
	return nil
}
