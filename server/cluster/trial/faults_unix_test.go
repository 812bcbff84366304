//go:build unix

package trial

import (
	"syscall"
	"time"
)

// stopOwner stops the owner's process for three seconds.
func stopOwner(f *field) ([]int, func()) {
	owner, _ := f.roles(true)
	_ = f.nodes[owner].Process().Signal(syscall.SIGSTOP)
	stopped := time.Now()
	return others(owner), func() {
		time.Sleep(time.Until(stopped.Add(3 * time.Second)))
		_ = f.nodes[owner].Process().Signal(syscall.SIGCONT)
	}
}
