package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"squelch/server/filelock"
)

// folderLock is the exclusive right to a data folder. The operating system releases
// it when the process ends, however it ends.
type folderLock struct {
	file    *os.File
	created bool // the lock file did not exist before
}

// lockFolder takes the lock without changing an existing lock file, so that a
// refused start leaves the folder as it was. dir must exist.
func lockFolder(dir string) (*folderLock, error) {
	path := filepath.Join(dir, lockName)
	for {
		_, statErr := os.Lstat(path)
		created := errors.Is(statErr, fs.ErrNotExist)
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, notWritable(dir, fmt.Errorf("lock file %s cannot be opened: %w", path, err))
		}
		if err := filelock.Try(file); err != nil {
			defer file.Close()
			if errors.Is(err, filelock.ErrHeld) {
				return nil, fmt.Errorf("%w: %s is used by process %s; stop it first", ErrLocked, dir, holder(file))
			}
			return nil, fmt.Errorf("lock file %s cannot be locked: %w", path, err)
		}
		if sameFile(file, path) {
			return &folderLock{file: file, created: created}, nil
		}
		// Somebody removed the file between our open and our lock: the lock we hold
		// guards nothing, so try again.
		file.Close()
	}
}

func sameFile(file *os.File, path string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

func holder(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 32))
	if pid, convErr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && convErr == nil {
		return strconv.Itoa(pid)
	}
	return "(unknown pid)"
}

// sign writes our pid into the lock file, for the other process's error.
func (l *folderLock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// release releases the lock. With untouched it also removes a lock file that we made,
// so that a refused folder is left as it was found.
func (l *folderLock) release(untouched bool) error {
	var err error
	if untouched && l.created {
		err = os.Remove(l.file.Name())
	}
	return errors.Join(err, l.file.Close())
}
