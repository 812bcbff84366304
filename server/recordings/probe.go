package recordings

import (
	"errors"
	"fmt"
	"os"
)

// probeFile is written and removed again by Probe.
const probeFile = "recordings.probe"

// Probe finds out whether the disk takes recordings again, with some room to spare, so
// that they do not stop again at once. *DiskError: it does not.
func (s *Shelf) Probe() error {
	if free := s.free(); free >= 0 && free < s.o.KeepFree+spareFree {
		return &DiskError{Reason: fmt.Sprintf("the disk is nearly full: %d MB are free, and recording begins again at %d MB", free>>20, (s.o.KeepFree+spareFree)>>20), Path: s.dir}
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
