package logs

import (
	"fmt"
	"os"
	"sync"
)

// maxFile is how many bytes a log file may have before it is put aside: two of them are on
// the disk at most.
const maxFile = 16 << 20

// File is a log file of bounded size, for a service that has no console and no journal: the
// earlier one is kept beside it with .1 behind its name.
type File struct {
	path string
	most int64
	mu   sync.Mutex
	file *os.File
	size int64
}

// OpenFile opens a log file to append to it.
func OpenFile(path string) (*File, error) {
	f := &File{path: path, most: maxFile}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("the log file cannot be opened: %w", err)
	}
	return f, nil
}

func (f *File) open() error {
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	f.file, f.size = file, info.Size()
	return nil
}

// Write appends a line.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return 0, os.ErrClosed
	}
	if f.size > 0 && f.size+int64(len(line)) > f.most {
		if err := f.putAside(); err != nil {
			return 0, err
		}
	}
	n, err := f.file.Write(line)
	f.size += int64(n)
	return n, err
}

// putAside begins a new file. The old one is closed before it is renamed, because Windows
// renames no open file. If it cannot be renamed, because somebody reads it there, the old
// one begins anew.
func (f *File) putAside() error {
	err := f.file.Close()
	f.file = nil
	if err != nil {
		return err
	}
	if err := os.Rename(f.path, f.path+".1"); err != nil {
		if err := os.Truncate(f.path, 0); err != nil {
			return err
		}
	}
	return f.open()
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
