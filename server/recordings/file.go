package recordings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// File is a file of a recording that is read. Its length does not change: of a burst that
// is on the air it is what there was when it was opened.
type File struct {
	*io.SectionReader
	Entry    Entry // End is 0: it is on the air
	Modified time.Time
	file     *os.File
}

// Close ends reading.
func (f *File) Close() error { return f.file.Close() }

// Open opens a file of a recording to read: Ogg, IMBE or WebM. ErrNotFound: there is none.
// Who has it open reads it to its end, even if the recording is deleted meanwhile.
func (s *Shelf) Open(id, kind string) (*File, error) {
	i := slices.Index(kinds[:], kind)
	k, ok := parseID(id)
	if i < 0 || !ok {
		return nil, ErrNotFound
	}
	s.mu.RLock()
	at, found := s.find(k)
	b := s.live[k]
	var r *record
	if found {
		r = s.list[at]
	}
	s.mu.RUnlock()
	var e Entry
	var size int64
	switch {
	case r != nil:
		e = r.entry()
		size = e.sizeOf(kind)
	case b != nil:
		e = b.entry()
		size = e.sizeOf(kind)
	default:
		return nil, ErrNotFound
	}
	if size == 0 {
		return nil, ErrNotFound
	}
	file, err := s.root.Open(k.file(kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound // it was deleted just now
	}
	if err != nil {
		return nil, diskError(filepath.Join(s.dir, filepath.FromSlash(k.file(kind))), err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(ErrNotFound, err, file.Close())
	}
	return &File{SectionReader: io.NewSectionReader(file, 0, min(size, info.Size())), Entry: e, Modified: info.ModTime(), file: file}, nil
}

// sizeOf is the size of its file of a kind, in bytes; 0: it has none.
func (e *Entry) sizeOf(kind string) int64 {
	switch kind {
	case e.Format:
		return e.Bytes
	case IMBE:
		return e.IMBEBytes
	}
	return 0
}
