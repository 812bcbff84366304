package rest_test

import (
	"os"
	"testing"

	"squelch/core/wire"
	"squelch/server/internal/contract"
)

// excused are routes that have no good answer here, and where they have one.
var excused = map[string]string{}

// TestMain fails if a route has given no good answer in any test.
func TestMain(m *testing.M) { os.Exit(contract.Run(m, wire.Routes, excused)) }
