package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestALogBeginsAtAnyNumber, and does so after a kill at any moment of it.
func TestALogBeginsAtAnyNumber(t *testing.T) {
	for _, before := range []int{0, 3} {
		t.Run(fmt.Sprint(before, " records before"), func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			for range before {
				_, err := s.Audit().Append(t.Context(), []byte("old"))
				must(t, err)
			}
			must(t, s.Audit().BeginAt(t.Context(), 250))
			must(t, s.Audit().BeginAt(t.Context(), 250))
			if first, last := s.Audit().Bounds(); first != 250 || last != 249 {
				t.Errorf("%d to %d", first, last)
			}
			closeStore(t, s)
			s = open(t, dir)
			must(t, s.Audit().AppendAt(t.Context(), 250, []byte("a"), []byte("b")))
			if err := s.Audit().BeginAt(t.Context(), 251); err == nil {
				t.Error("a record disappears")
			}
			copied := filepath.Join(t.TempDir(), "copy")
			must(t, Copy(t.Context(), dir, copied))
			closeStore(t, s)
			must(t, os.Remove(filepath.Join(dir, storeName, sealName))) // as after a kill
			for _, folder := range []string{dir, copied} {
				s := open(t, folder)
				first, records, err := s.Audit().Read(t.Context(), 0, 10)
				if err != nil || first != 250 || len(records) != 2 || string(records[1]) != "b" {
					t.Errorf("%s: %d %q %v", folder, first, records, err)
				}
				closeStore(t, s)
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir)
		for range 3 {
			_, err := s.Audit().Append(t.Context(), []byte("old"))
			must(t, err)
		}
		must(t, s.host.watermark.jump(streamAudit, 250)) // and then it was killed
		closeStore(t, s)
		must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
		s = open(t, dir)
		must(t, s.Audit().AppendAt(t.Context(), 250, []byte("a")))
		if first, records, err := s.Audit().Read(t.Context(), 0, 10); err != nil || first != 250 || len(records) != 1 {
			t.Errorf("%d %q %v", first, records, err)
		}
	})
}

// TestWhatIsSetAsideIsAFolderOfItsOwn, and the folder begins anew.
func TestWhatIsSetAsideIsAFolderOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := s.ID()
	must(t, s.Secrets().Put(t.Context(), "token", []byte("x")))
	aside := filepath.Join(dir, "aside")
	if err := SetAside(t.Context(), dir, aside); err == nil {
		t.Error("while a process uses it")
	}
	closeStore(t, s)
	must(t, SetAside(t.Context(), dir, aside))
	s, old := open(t, dir), open(t, aside)
	if _, found := s.Secrets().Get("token"); found || s.ID() == id {
		t.Error("it is the old one")
	}
	if v, _ := old.Secrets().Get("token"); string(v) != "x" || old.ID() != id {
		t.Errorf("aside is %q", v)
	}
}
