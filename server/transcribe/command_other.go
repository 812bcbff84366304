//go:build !unix

package transcribe

import "os/exec"

func prepare(*exec.Cmd) {}

func restrain(int) {}

// await waits for the program's end.
func await(cmd *exec.Cmd) error { return cmd.Wait() }

// kill ends the program; what it has started goes on.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func reap(*exec.Cmd) error { return nil }
