package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// search says which files below a folder have a text in them, or in their names.
func search(t *testing.T, dir, text string) (list []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(text))) || strings.Contains(path, text) {
			list = append(list, path)
		}
		return err
	}))
	return list
}

func TestNothingOfAUnitIsLeftAfterItsDeletion(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	var gone, kept []string
	for i := range 40 {
		e := entry(i+1, noon+int64(i)*1000)
		if i%2 == 0 {
			e.Name, e.Unit, e.User = "Xavier Quimby", "9-Zebra-99", 4711
		}
		e = tape(t, s, e, 20)
		if i%2 == 0 {
			must(t, s.SetText(e.ID, "my mother's maiden name is Popocatepetl"))
			must(t, s.SetPeaks(e.ID, bytes.Repeat([]byte{0xA5}, MaxPeaks)))
			gone = append(gone, e.ID)
		} else {
			must(t, s.SetText(e.ID, "copy that"))
			kept = append(kept, e.ID)
		}
	}
	traces := []string{"quimby", "zebra", "4711", "popocatepetl", "paWlpaWl", gone[3]}
	for _, trace := range traces {
		if len(search(t, dir, trace)) == 0 {
			t.Fatalf("%q is nowhere: the test shows nothing", trace)
		}
	}
	before := s.State()
	n, size, err := s.Delete(t.Context(), s.Match(Query{UnitID: "9-zebra-99"})...)
	if err != nil || n != 20 || size == 0 || s.State().Bytes != before.Bytes-size {
		t.Errorf("%d are deleted, %d bytes: %v", n, size, err)
	}
	check := func() {
		t.Helper()
		for _, trace := range traces {
			if found := search(t, dir, trace); len(found) > 0 {
				t.Errorf("%q is still in %v", trace, found)
			}
		}
		page, _ := s.List(Query{})
		slices.Reverse(page)
		if !slices.Equal(ids(page), kept) || page[0].Text != "copy that" {
			t.Errorf("the others are %v", ids(page))
		}
	}
	check()
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	check()
	if n, size, err := s.Delete(t.Context(), append(gone, "nonsense", "")...); n != 0 || size != 0 || err != nil {
		t.Errorf("deleting again: %d, %d, %v", n, size, err)
	}
}

func TestABurstOnTheAirIsNotDeleted(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{})
	e := entry(1, noon)
	b, err := s.Create(e)
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	if n, _, err := s.Delete(t.Context(), e.ID); n != 0 || err != nil {
		t.Errorf("%d are deleted: %v", n, err)
	}
	must(t, s.compact()) // must not forget that it has begun
	must(t, b.WriteOpus(voice[1], 0))
	must(t, b.Done(e))
	if ms, n := play(t, s, e.ID); ms != 40 || n != 2 {
		t.Errorf("it plays for %d ms", ms)
	}
}

// On Windows a file that somebody reads cannot be removed. The recording is gone at once,
// and its file as soon as possible, also after a restart.
func TestAFileInUseIsRemovedLater(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	busy := errTestInUse
	s.unlink = func(name string) error {
		if busy != nil && strings.HasSuffix(name, ".ogg") {
			return &fs.PathError{Op: "remove", Path: name, Err: busy}
		}
		return s.root.Remove(name)
	}
	isBusy := func(err error) bool { return errors.Is(err, errTestInUse) }
	s.inUse = isBusy
	e := tape(t, s, entry(1, noon), 20)
	n, _, err := s.Delete(t.Context(), e.ID)
	if n != 1 || err != nil {
		t.Errorf("%d are deleted: %v", n, err)
	}
	if _, ok := s.Get(e.ID); ok || len(numbers(s)) != 0 || s.State().Bytes != 0 {
		t.Error("it is still listed")
	}
	if _, err := s.Create(e); err == nil {
		t.Error("another one may have its file")
	}
	must(t, s.Close()) // the process ends before the reader does
	s = openAt(t, dir, Options{})
	if len(numbers(s)) != 0 || strings.Contains(strings.Join(tree(t, dir), " "), "tx-") {
		t.Errorf("after a restart there are %v and %v", numbers(s), tree(t, dir))
	}

	s.inUse = isBusy
	s.unlink = func(name string) error {
		if busy != nil {
			return busy
		}
		return s.root.Remove(name)
	}
	e = tape(t, s, entry(2, noon), 20)
	_, _, err = s.Delete(t.Context(), e.ID)
	must(t, err)
	must(t, s.retain())
	busy = nil
	must(t, s.retain())
	if names := tree(t, dir); len(names) != 2 || len(s.doomed) != 0 {
		t.Errorf("the reader has ended, and the folder has %v", names)
	}
}

var errTestInUse = errors.New("used by another process")

// A file that cannot be removed for another reason keeps its entry, so that the quota
// counts it and it is tried again.
func TestWhatCannotBeRemovedStaysListed(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{})
	e := tape(t, s, entry(1, noon), 20)
	other := tape(t, s, entry(2, noon), 20)
	s.unlink = func(name string) error {
		if strings.Contains(name, e.ID) {
			return &fs.PathError{Op: "remove", Path: name, Err: syscall.EROFS}
		}
		return s.root.Remove(name)
	}
	n, _, err := s.Delete(t.Context(), other.ID, e.ID)
	failed, ok := errors.AsType[*DiskError](err)
	if n != 1 || !ok || failed.Reason != "the disk is read-only" || !strings.Contains(fmt.Sprint(err), e.ID) {
		t.Errorf("%d are deleted: %v", n, err)
	}
	s.o.Quota = 1
	if err := s.retain(); err == nil || !strings.Contains(s.State().Problem, "read-only") {
		t.Errorf("retention: %v, the state %+v", err, s.State())
	}
	want(t, s, "what cannot be removed", 1)
	s.unlink = s.root.Remove
	must(t, s.retain())
	want(t, s, "when it can")
	if s.State().Problem != "" {
		t.Errorf("the problem stays: %+v", s.State())
	}
}
