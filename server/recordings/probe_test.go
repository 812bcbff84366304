package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestAProbeFindsOutWhetherTheDiskWorks: and it leaves nothing behind.
func TestAProbeFindsOutWhetherTheDiskWorks(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(); err != nil {
		t.Errorf("an ordinary disk: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, probeFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the probe is still there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, probeFile), 0o700); err != nil { // nobody can write there, root neither
		t.Fatal(err)
	}
	var disk *DiskError
	if err := s.Probe(); !errors.As(err, &disk) || disk.Reason == "" {
		t.Errorf("where nothing can be written: %v", err)
	}
	s.o.KeepFree = 1 << 60
	if err := s.Probe(); !errors.As(err, &disk) || disk.Err != nil {
		t.Errorf("on a disk that is nearly full: %v", err)
	}
	s.o.KeepFree = 0
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
