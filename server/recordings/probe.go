package recordings

import (
	"errors"
	"fmt"
	"os"
)

// probeFile is written and removed again by Probe.
const probeFile = "recordings.probe"

// Probe finds out whether the disk takes recordings; again: after it did not, with some
// room to spare, so that they do not stop again at once. *DiskError: it does not.
func (s *Shelf) Probe(again bool) error {
	least := s.o.KeepFree
	if again {
		least += spareFree
	}
	if err := s.nearlyFull(least); err != nil {
		return err
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return ErrClosed
	}
	file, err := s.root.OpenFile(probeFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = file.Write(make([]byte, probeBytes))
		err = errors.Join(err, file.Sync(), file.Close(), s.root.Remove(probeFile))
	}
	if err != nil {
		return diskError(s.dir, err)
	}
	return s.note(indexing, s.index.write(nil, true))
}

// nearlyFull is a *DiskError if less than this many bytes are free.
func (s *Shelf) nearlyFull(least int64) error {
	free := s.free()
	if free < 0 || free >= least {
		return nil
	}
	const GB, MB = 1e9, 1e6
	unit, name, digits := float64(GB), "GB", 1
	if least < GB {
		unit, name, digits = MB, "MB", 0
	}
	if free > least/100*99 { // as one sees that it is less
		digits += 2
	}
	return &DiskError{Reason: fmt.Sprintf("the disk is nearly full: %.*f %s free, %.*f %s required", digits, float64(free)/unit, name, digits, float64(least)/unit, name), Path: s.dir}
}
