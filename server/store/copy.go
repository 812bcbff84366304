package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"squelch/server/filelock"
)

// treeSize is how many bytes the files under folder have. Anything that is neither
// file nor folder is an error: this program makes none.
func treeSize(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return damaged(path, "cannot be read: %v", err)
		}
		if entry.IsDir() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return damaged(path, "cannot be read: %v", err)
		}
		if !info.Mode().IsRegular() {
			return damaged(path, "is not a regular file")
		}
		size += info.Size()
		return nil
	})
	return size, err
}

// copyTree copies the files and folders under from to the new folder to, except those
// that skip selects. Errors name the file.
func copyTree(from, to string, skip func(entry fs.DirEntry) bool) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return damaged(path, "cannot be read: %v", err)
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if path != from && skip(entry) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return os.Mkdir(filepath.Join(to, name), folderMode)
		}
		return copyFile(path, filepath.Join(to, name))
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return damaged(from, "cannot be read: %v", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// syncTree makes every file and folder under root survive a loss of power.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return filelock.SyncFolder(path)
		}
		return syncFile(path)
	})
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// askRoom returns an error if the disk of dir has no room for need bytes; why says
// what they are for. If the system does not tell how much is free, it is no error:
// writing will show.
func askRoom(dir string, need int64, why string, free func(dir string) (int64, error)) error {
	have, err := free(dir)
	if err != nil || have >= need {
		return nil
	}
	return noRoom(dir, need, fmt.Sprintf("only %s is free", megabytes(have)), why)
}

func noRoom(dir string, need int64, have, why string) error {
	return fmt.Errorf("%w: %s %s: that needs %s, but %s (nothing was changed; make room and start again)",
		ErrNoRoom, dir, why, megabytes(need), have)
}

// megabytes rounds up.
func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", (bytes+999_999)/1_000_000) }
