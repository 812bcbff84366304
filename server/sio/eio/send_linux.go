//go:build linux && (amd64 || arm64) && !race

package eio

import (
	"syscall"
	"unsafe"
)

// sendNow writes to a non-blocking socket what fits. The kernel does not sleep in it, so
// the Go scheduler is not told: telling it costs more than it could gain, because it
// would wake another thread for the goroutines that wait, once per listener.
func sendNow(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, err := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}
