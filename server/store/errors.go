package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// The kinds of refusal of [Open] and of the other calls; test with errors.Is.
// The message always names the file and what is wrong with it.
var (
	// ErrDamaged: a file is garbled, truncated, missing or unreadable.
	ErrDamaged = errors.New("the data folder is damaged")
	// ErrForeign: the folder is not one of Squelch, or of a newer Squelch.
	ErrForeign = errors.New("not a data folder that this program can use")
	// ErrNoRoom: the disk has no room for the copy on which a folder is checked.
	ErrNoRoom = errors.New("too little room on the disk")
	// ErrNotWritable: this process has no right to write to the folder.
	ErrNotWritable = errors.New("no right to write")
	// ErrLocked: another process uses the folder.
	ErrLocked = errors.New("the data folder is in use")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrTooLarge: a record, bucket or snapshot is over its limit.
	ErrTooLarge = errors.New("too large to store")
	// ErrFenced is for a radio that several nodes share: another one has taken it over.
	ErrFenced = errors.New("another node has written meanwhile")
)

func damaged(path, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s (nothing was changed; restore the folder from a backup, or move it away to start anew)",
		ErrDamaged, path, fmt.Sprintf(format, args...))
}

func foreign(path, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s (nothing was changed)", ErrForeign, path, fmt.Sprintf(format, args...))
}

// errNoData is the error for a folder that no service has used yet.
func errNoData(dir string) error {
	return foreign(dir, "holds no data yet: start the service once")
}

// notWritable is ErrNotWritable for an error that means that, and the error itself for others.
func notWritable(dir string, err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	return fmt.Errorf("%w: %s cannot be written by this process (user %d): %w; give the folder to that user", ErrNotWritable, dir, os.Getuid(), err)
}
