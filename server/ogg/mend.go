package ogg

import (
	"errors"
	"io"
)

// File is what Mend works on.
type File interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
}

// Mended tells what Mend has found.
type Mended struct {
	Head    Head
	Tags    Tags
	Samples uint64 // at 48 kHz, pauses included
	Packets int    // with voice
	Bytes   int64  // size of the file
	Whole   bool   // its last page was there: nothing was changed
}

// Mend makes a file whole whose writer was killed: what comes after the last whole page
// is cut off, and the last page written. ErrNotOpus: there are no headers, so nothing can
// be heard; the file is unchanged.
func Mend(f File) (Mended, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Mended{}, err
	}
	r, err := NewReader(f)
	if err != nil {
		return Mended{}, err
	}
	m := Mended{Head: r.Head, Tags: r.Tags}
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrTooLong) {
			break
		}
		if err != nil {
			return m, err
		}
		if !IsGap(p) {
			m.Packets++
		}
	}
	m.Samples, m.Bytes, m.Whole = r.granule, r.whole, r.done
	if m.Whole {
		m.Bytes, err = f.Seek(0, io.SeekEnd)
		return m, err
	}
	if err := f.Truncate(r.whole); err != nil {
		return m, err
	}
	if _, err := f.Seek(r.whole, io.SeekStart); err != nil {
		return m, err
	}
	w := Writer{w: f, serial: r.serial, page: r.page, granule: r.granule, ends: noGranule}
	w.flush(last)
	m.Bytes += headerSize
	return m, w.err
}
