package recordings

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

var reasons = []saying{
	{windows.ERROR_DISK_FULL, "the disk is full"},
	{windows.ERROR_HANDLE_DISK_FULL, "the disk is full"},
	{windows.ERROR_WRITE_PROTECT, "the disk is read-only"},
	{syscall.EMFILE, "the service has too many files open"},
}

// systemInUse says whether a file cannot be removed because somebody reads it.
func systemInUse(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
