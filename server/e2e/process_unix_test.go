//go:build unix

package e2e

import "syscall"

// freeze stops a process where it is, and thaw lets it go on.
const freeze, thaw = syscall.SIGSTOP, syscall.SIGCONT

// careless makes new files readable by everybody, as an operator has it who never thought of
// it, until the returned function is called.
func careless() (end func()) {
	old := syscall.Umask(0o022)
	return func() { syscall.Umask(old) }
}

// receiveBuffer sets how many bytes a socket keeps for its reader.
func receiveBuffer(fd uintptr, size int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, size)
}
