package host

import "golang.org/x/sys/windows"

// errInUse is the system's error for a port that is taken.
var errInUse error = windows.WSAEADDRINUSE
