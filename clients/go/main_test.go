package client_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

// programs is the folder of the service and the bots, built once.
var programs string

// raceFlags build programs with the race detector if the tests have it.
var raceFlags []string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "clients"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	args := slices.Concat([]string{"build"}, raceFlags, []string{"-o", programs + string(filepath.Separator),
		"squelch/server", "squelch/clients/go/examples/listen", "squelch/clients/go/examples/cad", "squelch/clients/go/examples/answer"})
	build := exec.Command("go", args...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the service and the bots cannot be built:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(programs)
		os.Exit(code)
	}))
}
