//go:build unix

package imbe

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time that this process has used. On a busy machine it shows
// what a frame costs; wall-clock time does not.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
