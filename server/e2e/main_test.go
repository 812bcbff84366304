package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

// program is the binary under test, built once; with the race detector if the tests
// have it, without if they measure.
var program string

var buildFlags = []string{"-tags", "inspect"}

// programVariable names the binary in a test that runs in a process of its own.
const programVariable = "SQUELCH_E2E_PROGRAM"

func TestMain(m *testing.M) {
	if program = os.Getenv(programVariable); program != "" {
		goleak.VerifyTestMain(m)
		return
	}
	folder, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(folder, "program")
	build := exec.Command("go", slices.Concat([]string{"build"}, buildFlags, []string{"-o", program, "squelch/server"})...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the program cannot be built:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}
