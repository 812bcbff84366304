package sfu

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the other process of the tests that need one. It fails if a
// goroutine is left at the end.
func TestMain(m *testing.M) {
	if os.Getenv(clientsEnv) != "" {
		os.Exit(beClients())
	}
	goleak.VerifyTestMain(m)
}
