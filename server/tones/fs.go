package tones

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// FS returns the built-in tones as a flat file system, so that they can be served
// beside an operator's own.
func FS() fs.FS { return files{} }

type files struct{}

func (files) Open(name string) (fs.File, error) {
	b, found := Files()[name]
	if !fs.ValidPath(name) || !found {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{bytes.NewReader(b), name, int64(len(b))}, nil
}

// file is one tone; it can seek, so that parts of it can be served.
type file struct {
	io.ReadSeeker
	name string
	size int64
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return f.name }
func (f *file) Size() int64                { return f.size }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }
