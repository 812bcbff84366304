package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// refusal is the error for a store folder that was checked on a copy. NATS ran on the
// copy, but the operator knows only original. A flaw names the file, as near as can
// be told without knowing how NATS keeps its files.
func refusal(err error, original, copied string, complaints []string) error {
	var wrong *flaw
	if !errors.As(err, &wrong) {
		return err
	}
	path, why := blame(wrong, original, copied, complaints)
	return damaged(path, "%s%s", wrong, why)
}

// blame finds the file to name: the one that NATS complained of; else the one in
// which the record, or one beside it, begins; else one that is empty; else the
// stream's folder, or the store's.
func blame(wrong *flaw, original, copied string, complaints []string) (path, why string) {
	folder := streamFolder(original, wrong.stream)
	files := filesBelow(folder)
	for _, complaint := range complaints {
		for _, file := range files {
			name := filepath.Join(copied, strings.TrimPrefix(file, original))
			if strings.Contains(complaint, name) || strings.Contains(complaint, strconv.Quote(name)) {
				return file, "; NATS says: " + strings.TrimSpace(strings.ReplaceAll(complaint, copied, original))
			}
		}
	}
	near := []struct {
		number uint64
		why    string
	}{
		{wrong.number, ""},
		{wrong.number - 1, "; the record before it is in this file"},
		{wrong.number + 1, "; the record after it is in this file"},
	}
	if wrong.number == 0 {
		near = nil
	}
	for _, n := range near {
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, recordStart(n.number)) {
				return file, n.why
			}
		}
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			return file, "; this file is empty"
		}
	}
	return folder, ""
}

// streamFolder is the folder below root that has the stream's name; root if there
// is none.
func streamFolder(root, stream string) string {
	found := root
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == stream {
			found = path
			return fs.SkipAll
		}
		return nil // whoever must read it names what cannot be read
	})
	return found
}

// filesBelow lists the files under folder.
func filesBelow(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}
