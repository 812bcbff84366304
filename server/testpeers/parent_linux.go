package testpeers

import (
	"os/exec"
	"syscall"
)

// bindToParent makes a process end with this one, however this one ends: a test that
// is killed cleans nothing up. For Linux the parent is the thread that starts the
// process, so that thread must stay until the process has ended.
func bindToParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
