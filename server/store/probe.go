package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// probeName is a file beside the store that is written and removed again.
const probeName = "squelch.probe"

// Probe finds out whether the disk takes this many bytes, and makes the store ready
// for a write. A write that fails is expensive: NATS is then stopped, and everything
// is read again. Only one Probe may run at a time.
func (s *Store) Probe(ctx context.Context, bytes int) error {
	path := filepath.Join(s.dir, probeName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, bytes))
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close(), s.removeProbe())
	if err != nil {
		return err
	}
	return s.host.ready(ctx)
}

// removeProbe also removes what a killed process has left of one.
func (s *Store) removeProbe() error {
	err := os.Remove(filepath.Join(s.dir, probeName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
