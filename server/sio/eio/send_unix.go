//go:build unix && (race || !(linux && (amd64 || arm64)))

package eio

import "syscall"

// sendNow writes to a non-blocking socket what fits. The race detector sees the order of
// what happens on both ends of a connection only with the calls of package syscall.
func sendNow(fd uintptr, b []byte) (int, syscall.Errno) {
	n, err := syscall.Write(int(fd), b)
	if err != nil {
		errno, _ := err.(syscall.Errno)
		return 0, errno
	}
	return n, 0
}
