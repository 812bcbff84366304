//go:build unix

package host

import "golang.org/x/sys/unix"

// errInUse is the system's error for a port that is taken.
var errInUse error = unix.EADDRINUSE
