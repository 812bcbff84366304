//go:build !unix

package imbe

import (
	"testing"
	"time"
)

// cpuTime falls back on wall-clock time.
func cpuTime(*testing.B) time.Duration { return time.Duration(time.Now().UnixNano()) }
