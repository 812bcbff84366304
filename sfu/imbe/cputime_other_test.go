//go:build !unix

package imbe

import (
	"testing"
	"time"
)

// cpuTime falls back on the clock on the wall.
func cpuTime(*testing.B) time.Duration { return time.Duration(time.Now().UnixNano()) }
