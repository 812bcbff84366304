package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Modes of everything in a data folder: its owner's alone. NATS would let the
// group read; whoever runs it sets a umask as well.
const (
	fileMode   fs.FileMode = 0o600
	folderMode fs.FileMode = 0o700
)

// tighten takes away what others may do in a data folder, of an earlier program
// or copied there. Links are left alone, and so is what a file system keeps at the
// root of a disk, which is the system's.
func tighten(dir string) error {
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
		return os.Chmod(path, info.Mode().Perm()&most)
	})
	if err != nil {
		return fmt.Errorf("others may read the data folder, and that cannot be changed: %w", err)
	}
	return nil
}
