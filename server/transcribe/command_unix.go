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

// kill ends everything in the program's process group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func reap(*exec.Cmd) error { return nil }
