package sfu

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// carrier is what carries the connections of the tests.
var carrier Engine

// TestMain runs the tests on every engine. It is also the other process of the tests that
// need one. It fails if a goroutine is left at the end.
func TestMain(m *testing.M) {
	if os.Getenv(clientsEnv) != "" {
		os.Exit(beClients())
	}
	for _, carrier = range []Engine{OneSocket, Pion} {
		code := m.Run()
		if code == 0 {
			if err := goleak.Find(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		if code != 0 {
			fmt.Fprintf(os.Stderr, "with engine %q\n", carrier)
			os.Exit(code)
		}
	}
}
