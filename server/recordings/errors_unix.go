//go:build !windows

package recordings

import "syscall"

var reasons = []saying{
	{syscall.ENOSPC, "the disk is full"},
	{syscall.EDQUOT, "the disk quota of this user is used up"},
	{syscall.EFBIG, "a file has reached the system's limit for files"},
	{syscall.EROFS, "the disk is read-only"},
	{syscall.EMFILE, "the service has too many files open"},
	{syscall.ENFILE, "the system has too many files open"},
}

// systemInUse says whether a file cannot be removed because somebody reads it. That does
// not happen here: who reads a removed file reads on.
func systemInUse(error) bool { return false }
