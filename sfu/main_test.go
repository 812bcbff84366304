package sfu

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also serves as the other process of the tests that need one, and
// fails the package when a goroutine is left at the end.
func TestMain(m *testing.M) {
	if os.Getenv(clientsEnv) != "" {
		os.Exit(beClients())
	}
	goleak.VerifyTestMain(m)
}
