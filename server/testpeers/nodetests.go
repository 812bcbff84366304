package testpeers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NodeTests runs files of node:test, named below the testpeers folder, as subtests. A
// file without tests, a skipped test and an early end fail. environment is added as
// NAME=VALUE. What the tests print on stderr is logged.
func NodeTests(t *testing.T, environment []string, files ...string) {
	t.Helper()
	folder, err := Folder()
	if err != nil {
		t.Fatalf("test peers: %v", err)
	}
	if err := installed(folder); err != nil {
		t.Fatalf("node tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) {
			runNodeTests(t, folder, environment, file)
		})
	}
}

func runNodeTests(t *testing.T, folder string, environment []string, file string) {
	cmd := exec.Command("node", "--test-reporter=./node-tests-reporter.mjs", "node-tests.mjs", file)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), environment...)
	p := Start(t, cmd)
	ran, ended := 0, false
	for i := 1; ; i++ {
		line, running := p.Line(i)
		if !running {
			break
		}
		var result struct {
			Name, Error string
			OK          bool
		}
		if json.Unmarshal([]byte(line), &result) != nil {
			t.Log(line) // a figure that a test printed
			continue
		}
		if result.Name == "" {
			ended = true
			break
		}
		ran++
		t.Run(result.Name, func(t *testing.T) {
			if !result.OK {
				t.Error(result.Error)
			}
		})
	}
	if !ended || ran == 0 {
		t.Errorf("%d tests ran, and the end was reached: %v", ran, ended)
	}
	p.Kill()
	if text := p.Stderr(); text != "" {
		t.Log(text)
	}
}
