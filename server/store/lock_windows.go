package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errHeld = errors.New("held by another process")

// lockFile locks a byte far behind the pid, so that the pid stays readable.
func lockFile(file *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 20}
	err := windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// syncFolder does nothing: Windows cannot flush a folder.
func syncFolder(string) error { return nil }
