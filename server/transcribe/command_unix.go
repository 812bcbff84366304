//go:build unix && !linux

package transcribe

import (
	"os/exec"
	"syscall"
)

// prepare puts the program into a process group of its own.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func restrain(int) {}

// await waits for the program's end.
func await(cmd *exec.Cmd) error { return cmd.Wait() }

// kill ends everything in the program's process group. When the program has ended by itself,
// await has given its number back: if nothing of the group is left either, another group may
// have got the number in the moment between. Linux leaves it taken, see there; os/exec cannot,
// and its Cancel is called only for a program that runs.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func reap(*exec.Cmd) error { return nil }
