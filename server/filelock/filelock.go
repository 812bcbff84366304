// Package filelock keeps processes from changing the same folder at once, makes their
// changes of folders durable, and knows how much room there is for them.
package filelock

import "errors"

// ErrHeld means that another process has the lock.
var ErrHeld = errors.New("held by another process")
