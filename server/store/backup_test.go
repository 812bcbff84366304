package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestACopyWhileTheServiceWrites: each copy has every record that was acknowledged before it
// began, is whole, and opens as after a clean stop. The folder goes on.
func TestACopyWhileTheServiceWrites(t *testing.T) {
	dir := t.TempDir()
	s := openWith(t, dir, Options{TimelineMax: 200}) // so that old records go meanwhile
	var entries atomic.Int64
	var work sync.WaitGroup
	over := make(chan struct{})
	work.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-over:
				return
			default:
			}
			must(t, s.Sessions().Put(t.Context(), fmt.Sprint("session ", n%50), fmt.Append(nil, n)))
			if _, err := s.Timeline().Append(t.Context(), fmt.Appendf(nil, "moment %d", n)); err != nil {
				t.Error(err)
			}
			if _, err := s.Audit().Append(t.Context(), auditRecord(n)); err != nil {
				t.Error(err)
			}
			entries.Store(int64(n))
		}
	})
	for n := range 4 {
		for before := entries.Load(); entries.Load() < before+100; {
		}
		known := entries.Load()
		to := filepath.Join(t.TempDir(), "copy")
		if err := Copy(t.Context(), dir, to); err != nil {
			t.Fatal(err)
		}
		must(t, Sealed(to))
		c := open(t, to)
		if first, last := c.Audit().Bounds(); first != 1 || last < uint64(known) {
			t.Errorf("copy %d has entries %d to %d of %d", n, first, last, known)
		}
		closeStore(t, c)
	}
	close(over)
	work.Wait()
	closeStore(t, s)
	must(t, Sealed(dir))
	if left, _ := filepath.Glob(filepath.Join(dir, "store.*")); len(left) > 0 {
		t.Errorf("copies have left %v", left)
	}
}

// TestWhatCannotBeCopied, and where nothing can be restored to.
func TestWhatCannotBeCopied(t *testing.T) {
	dir := t.TempDir()
	to := filepath.Join(t.TempDir(), "copy")
	if err := Copy(t.Context(), dir, to); err == nil {
		t.Error("an empty folder was copied")
	}
	s := open(t, dir)
	closeStore(t, s)
	must(t, os.Mkdir(to, 0o700))
	if err := Copy(t.Context(), dir, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("to a folder that is there: %v", err)
	}
	if err := Vacant(dir); !errors.Is(err, ErrForeign) {
		t.Errorf("a data folder is vacant: %v", err)
	}
	must(t, Vacant(filepath.Join(dir, "missing")))
	must(t, Vacant(t.TempDir()))
	must(t, os.Remove(filepath.Join(dir, storeName, watermarkName)))
	if err := Copy(t.Context(), dir, filepath.Join(t.TempDir(), "copy")); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged folder: %v", err)
	}
	if err := Sealed(dir); !errors.Is(err, ErrDamaged) {
		t.Errorf("it counts as whole: %v", err)
	}
}
