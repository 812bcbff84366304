package game

import (
	"os/exec"
	"path/filepath"
	"testing"

	"squelch/server/testpeers"
)

// TestRules runs the simulator's own tests, in both of its VMs.
func TestRules(t *testing.T) {
	for _, program := range []string{"lua5.4", "luac5.4"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is not installed; run `just deps`", program)
		}
	}
	run(t, "*.test.mjs", 5)
}

// TestResource looks at the resource where no service is needed. What needs one is in
// server/e2e.
func TestResource(t *testing.T) {
	run(t, "radio/names.test.mjs", 1)
	run(t, "radio/client.test.mjs", 1)
	run(t, "radio/server.test.mjs", 1)
	run(t, "radio/examples.test.mjs", 1)
}

func run(t *testing.T, pattern string, least int) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%d files of tests: %v", len(files), err)
	}
	for i, file := range files {
		files[i] = filepath.Join("game", file)
	}
	testpeers.NodeTests(t, nil, files...)
}
