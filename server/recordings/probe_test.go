package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAProbeFindsOutWhetherTheDiskWorks: and it leaves nothing behind.
func TestAProbeFindsOutWhetherTheDiskWorks(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(false); err != nil {
		t.Errorf("an ordinary disk: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, probeFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the probe is still there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, probeFile), 0o700); err != nil { // nobody can write there, root neither
		t.Fatal(err)
	}
	var disk *DiskError
	if err := s.Probe(false); !errors.As(err, &disk) || disk.Reason == "" {
		t.Errorf("where nothing can be written: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, probeFile)); err != nil {
		t.Fatal(err)
	}
	s.o.KeepFree = 1 << 60
	if err := s.Probe(false); !errors.As(err, &disk) || disk.Err != nil || !strings.HasSuffix(disk.Reason, " GB free, 1152921504.6 GB required") {
		t.Errorf("on a disk that is nearly full: %v", err)
	}
	s.o.KeepFree = s.free() - spareFree/2 // nothing is wrong yet, but it is too early to begin again
	if err := s.Probe(false); err != nil {
		t.Errorf("on a disk that has just enough: %v", err)
	}
	if err := s.Probe(true); !errors.As(err, &disk) {
		t.Errorf("again on a disk that has just enough: %v", err)
	}
	s.o.KeepFree = 0
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(false); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestARecordingThatIsBeingMadeKeepsNobodyWaiting: while the disk does not answer, it is as
// it was when somebody last asked.
func TestARecordingThatIsBeingMadeKeepsNobodyWaiting(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := s.Create(Entry{ID: "tx-1-1700000000000", Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	write := func() {
		if err := b.WriteWebM([]byte("voice")); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if e, ok := s.Get("tx-1-1700000000000"); !ok || e.Bytes != 5 {
		t.Errorf("%+v", e)
	}
	write()
	b.mu.Lock() // as the disk does
	if e, ok := s.Get("tx-1-1700000000000"); !ok || e.Bytes != 5 || e.Name != "Ann" || e.End != 0 {
		t.Errorf("while it is written: %+v", e)
	}
	b.mu.Unlock()
	if e, _ := s.Get("tx-1-1700000000000"); e.Bytes != 10 {
		t.Errorf("after that: %+v", e)
	}
}
