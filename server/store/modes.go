package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Modes of everything in a data folder: only its owner has access. NATS alone would
// let the group read, so the program sets a umask as well.
const (
	fileMode   fs.FileMode = 0o600
	folderMode fs.FileMode = 0o700
)

// tighten takes the access of others away from everything in a data folder, which an
// earlier program may have left or somebody may have copied there. It leaves links
// alone, and what a file system keeps at the root of a disk. If the folder belongs to
// somebody else (a mounted volume) or the file system has no modes, chmod fails: that
// is logged once and is no reason to keep a radio off the air.
func tighten(dir string, chmod func(string, fs.FileMode) error, logf func(string, ...any)) error {
	open, first := 0, error(nil)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(dir, lostAndFound) {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		most := fileMode
		switch {
		case info.IsDir():
			most = folderMode
		case !info.Mode().IsRegular():
			return nil
		}
		if info.Mode().Perm()&^most == 0 {
			return nil
		}
		if err := chmod(path, info.Mode().Perm()&most); err != nil {
			open++
			first = cmp.Or(first, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the data folder cannot be searched: %w", err)
	}
	if open > 0 {
		logf("warning: others may use %d files and folders of the data folder %s, and that cannot be changed: %v", open, dir, first)
	}
	return nil
}
