// Package filelock keeps processes from changing the same folder at once, makes their
// changes of folders durable, knows how much room there is for them, and keeps them their
// owner's.
package filelock

import "errors"

// ErrHeld means that another process has the lock.
var ErrHeld = errors.New("held by another process")
