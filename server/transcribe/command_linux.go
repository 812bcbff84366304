package transcribe

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare puts the program into a process group of its own. If this process is killed,
// the program is killed too.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// restrain makes the program wait for the radio, and limits its files. It may already
// have ended.
func restrain(pid int) {
	_ = unix.Setpriority(unix.PRIO_PGRP, pid, childNice)
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: childFile, Max: childFile}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}

// await waits for the program's end, and leaves its number taken, so that kill meets
// nobody else.
func await(cmd *exec.Cmd) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// kill ends the program and everything in its process group.
func kill(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// reap says how the program has ended.
func reap(cmd *exec.Cmd) error { return cmd.Wait() }
