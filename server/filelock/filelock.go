// Package filelock keeps processes from changing the same folder at once, and makes
// their changes of folders durable.
package filelock

import "errors"

// ErrHeld means that another process has the lock.
var ErrHeld = errors.New("held by another process")
