package e2e

import (
	"os"
	"syscall"
)

// Windows can neither freeze a process by a signal nor has it a umask: tests that need the
// first fail there, and files have the folder's rights.
var freeze, thaw os.Signal = os.Kill, os.Kill

func careless() (end func()) { return func() {} }

// receiveBuffer sets how many bytes a socket keeps for its reader.
func receiveBuffer(fd uintptr, size int) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, size)
}
