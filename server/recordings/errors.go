package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

var (
	// ErrLocked: another process uses the folder.
	ErrLocked = errors.New("the folder for recordings is in use")
	// ErrForeign: the folder is none for recordings, or of a newer Squelch.
	ErrForeign = errors.New("not a folder for recordings that this program can use")
	// ErrClosed: the shelf was closed.
	ErrClosed = errors.New("the shelf of recordings is closed")
	// ErrNotFound: there is no such recording, or it has no such file.
	ErrNotFound = errors.New("there is no such recording")
	// ErrForm: a burst has voice of one form, and this is of another.
	ErrForm = errors.New("a recording has Opus or WebM, not both")
)

// DiskError is a failure of the disk: recording cannot go on until somebody has seen to it.
type DiskError struct {
	Reason string // in plain words: "the disk is full"
	Path   string // of the file, or of the folder
	Err    error
}

func (e *DiskError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("recordings: %s (%s)", e.Reason, e.Path)
	}
	return fmt.Sprintf("recordings: %s (%s: %v)", e.Reason, e.Path, plain(e.Err))
}

func (e *DiskError) Unwrap() error { return e.Err }

// plain leaves the path out, which is said already.
func plain(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// diskError wraps an error of the file system; nil stays nil.
func diskError(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*DiskError](err); ok {
		return err
	}
	return &DiskError{Reason: reason(err), Path: path, Err: err}
}

func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.says
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the folder for recordings is gone: put it back and start the service again"
	case errors.Is(err, fs.ErrPermission):
		return "the folder for recordings cannot be written: give it to the user of the service"
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is in the place of a folder"
	}
	return "the disk does not work"
}

type saying struct {
	err  error
	says string
}
