package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// used makes a data folder with something in every stream, stopped cleanly, and
// returns all its files.
func used(t *testing.T, snapshot int) (dir string, files map[string][]byte) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	for i := range 30 {
		for _, log := range []*Log{s.Audit(), s.Transmissions()} {
			_, err := log.Append(ctx, fmt.Appendf(nil, "entry %d", i))
			must(t, err)
		}
		for _, bucket := range []*Bucket{s.Sessions(), s.Secrets(), s.Config()} {
			must(t, bucket.Put(ctx, fmt.Sprint(i%4), fmt.Append(nil, i)))
		}
	}
	must(t, s.SaveSnapshot(ctx, Snapshot{Number: 1, Data: make([]byte, snapshot)}))
	closeStore(t, s)
	return dir, readTree(t, dir)
}

func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		must(t, err)
		files[name], err = os.ReadFile(path)
		return err
	}))
	return files
}

// refused opens dir and asks for a refusal of the given kind that names a file
// and leaves every file as it was.
func refused(t *testing.T, dir string, kind error, naming string) {
	t.Helper()
	before := readTree(t, dir)
	s, err := Open(t.Context(), dir, Options{Logf: t.Logf})
	if err == nil {
		closeStore(t, s)
		t.Fatalf("the folder was opened")
	}
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), naming) {
		t.Errorf("error %q, want one of kind %q that names %s", err, kind, naming)
	}
	sameTree(t, before, readTree(t, dir))
}

func sameTree(t *testing.T, before, after map[string][]byte) {
	t.Helper()
	if !maps.EqualFunc(before, after, bytes.Equal) {
		for name := range before {
			if !bytes.Equal(before[name], after[name]) {
				t.Errorf("%s was changed", name)
			}
		}
		for name := range after {
			if _, known := before[name]; !known {
				t.Errorf("%s was added", name)
			}
		}
	}
}

// damages are the ways in which a file comes to harm.
var damages = map[string]func(path string, data []byte) error{
	"one bit flipped": func(path string, data []byte) error {
		data = bytes.Clone(data)
		data[len(data)/2] ^= 4
		return os.WriteFile(path, data, 0o600)
	},
	"cut in half": func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o600) },
	"emptied":     func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
	"something more": func(path string, data []byte) error {
		return os.WriteFile(path, append(bytes.Clone(data), "ten-four"...), 0o600)
	},
	"removed": func(path string, _ []byte) error { return os.Remove(path) },
	"unreadable": func(path string, _ []byte) error { // a folder: permissions mean nothing to root
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
	},
}

func TestADamagedFileIsNamedAndNothingIsTouched(t *testing.T) {
	dir, files := used(t, 5000)
	covered := 0
	for name, data := range files {
		if name == lockName || len(data) == 0 {
			continue
		}
		for damage, inflict := range damages {
			kind, naming := ErrDamaged, filepath.Base(name)
			if damage == "removed" {
				switch name {
				case markerName:
					kind = ErrForeign
				case filepath.Join(storeName, sealName):
					continue // as after a kill; the next test
				}
			}
			path := filepath.Join(dir, name)
			must(t, inflict(path, data))
			t.Run(name+" "+damage, func(t *testing.T) { refused(t, dir, kind, naming) })
			must(t, os.RemoveAll(path))
			must(t, os.WriteFile(path, data, 0o600))
			covered++
		}
	}
	if covered < 100 {
		t.Errorf("only %d cases", covered)
	}
	closeStore(t, open(t, dir)) // whole again
}

// After a kill there is no seal; the records must speak for themselves.
func TestDamageIsFoundAfterAKillToo(t *testing.T) {
	dir, files := used(t, 5000)
	seal := filepath.Join(dir, storeName, sealName)
	covered := 0
	for name, data := range files {
		damageable := strings.HasSuffix(name, ".blk") || strings.HasPrefix(filepath.Base(name), "meta.")
		if !damageable || len(data) == 0 {
			continue
		}
		for damage, inflict := range damages {
			if damage == "something more" && strings.HasSuffix(name, ".blk") {
				continue // a half-written record; see below
			}
			must(t, os.RemoveAll(seal))
			path := filepath.Join(dir, name)
			must(t, inflict(path, data))
			t.Run(name+" "+damage, func(t *testing.T) { refused(t, dir, ErrDamaged, "") })
			must(t, os.RemoveAll(path))
			must(t, os.WriteFile(path, data, 0o600))
			covered++
		}
	}
	if covered < 60 {
		t.Errorf("only %d cases", covered)
	}
	marks := filepath.Join(dir, storeName, marksName)
	garbled := bytes.Clone(files[filepath.Join(storeName, marksName)])
	for page := marksPage; page < len(garbled); page += marksPage {
		garbled[page] ^= 1
	}
	must(t, os.WriteFile(marks, garbled, 0o600))
	refused(t, dir, ErrDamaged, marksName)
}

func TestAMissingBlockIsFoundAfterAKill(t *testing.T) {
	dir, files := used(t, 9<<20) // a block is 8 MiB
	blocks := 0
	must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	for name, data := range files {
		if !strings.Contains(name, "snapshot") || filepath.Ext(name) != ".blk" {
			continue
		}
		blocks++
		path := filepath.Join(dir, name)
		must(t, os.Remove(path))
		refused(t, dir, ErrDamaged, "snapshot")
		must(t, os.WriteFile(path, data[:len(data)-1], 0o600))
		refused(t, dir, ErrDamaged, filepath.Join("snapshot", "msgs"))
		must(t, os.WriteFile(path, data, 0o600))
	}
	if blocks < 2 {
		t.Errorf("%d blocks", blocks)
	}
	closeStore(t, open(t, dir))
}

func TestEveryFlippedByteOfTheAuditBlockIsFound(t *testing.T) {
	dir, _ := used(t, 5000)
	block := filepath.Join(dir, storeName, "jetstream", "$G", "streams", "audit", "msgs", "1.blk")
	data, err := os.ReadFile(block)
	must(t, err)
	var whole span
	if _, err := scanBlock(data, "audit", 1, &whole, nil); err != nil || whole != (span{1, 30}) {
		t.Fatalf("undamaged: %v %v", whole, err)
	}
	for at := range data {
		garbled := bytes.Clone(data)
		garbled[at] ^= 0x10
		var seen span
		if _, err := scanBlock(garbled, "audit", 1, &seen, nil); err == nil && seen == whole {
			t.Errorf("a flip at byte %d of %d went unnoticed", at, len(data))
		}
		seen = span{}
		if _, err := scanBlock(data[:at], "audit", 1, &seen, nil); err == nil && seen == whole {
			t.Errorf("a cut at byte %d of %d went unnoticed", at, len(data))
		}
	}
}

// What a kill or a loss of power leaves behind the last acknowledged record is
// cut off.
func TestAHalfWrittenRecordIsNoDamage(t *testing.T) {
	dir, files := used(t, 5000)
	name := filepath.Join(storeName, "jetstream", "$G", "streams", "audit", "msgs", "1.blk")
	block := files[name]
	for _, torn := range []int{1, recordHeader, 40} {
		must(t, os.RemoveAll(filepath.Join(dir, storeName, sealName)))
		must(t, os.WriteFile(filepath.Join(dir, name), append(bytes.Clone(block), block[:torn]...), 0o600))
		s := open(t, dir)
		if _, records, err := s.Audit().Read(t.Context(), 1, 99); err != nil || len(records) != 30 || string(records[29]) != "entry 29" {
			t.Errorf("%d bytes of a record: %d records left, %v", torn, len(records), err)
		}
		closeStore(t, s)
	}
}

func TestAForeignFolderIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("ten years of work"), 0o600))
	refused(t, dir, ErrForeign, "thesis.txt")
	must(t, os.Mkdir(filepath.Join(dir, storeName), 0o700))
	refused(t, dir, ErrForeign, "not empty")
	refused(t, filepath.Join(dir, "thesis.txt"), ErrForeign, "is a file")
}

func TestANewerFormatIsLeftAlone(t *testing.T) {
	dir, files := used(t, 5000)
	newer := bytes.Replace(files[markerName], []byte(`"format": 1`), []byte(`"format": 2, "more": true`), 1)
	must(t, os.WriteFile(filepath.Join(dir, markerName), newer, 0o600))
	refused(t, dir, ErrForeign, "format 2")
}

func TestMarksOfAnotherFolderAreRefused(t *testing.T) {
	dir, _ := used(t, 5000)
	_, others := used(t, 5000)
	must(t, os.WriteFile(filepath.Join(dir, storeName, marksName), others[filepath.Join(storeName, marksName)], 0o600))
	must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	refused(t, dir, ErrDamaged, marksName)
}

func TestAnInterruptedFirstStartIsRepeated(t *testing.T) {
	dir := t.TempDir()
	m := newMarker()
	must(t, writeMarker(dir, m))
	must(t, os.MkdirAll(filepath.Join(dir, storeName, "jetstream", "$G", "streams", "audit"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, storeName, "jetstream", "$G", "streams", "audit", "meta.inf"), []byte("{"), 0o600))
	s := open(t, dir)
	if s.ID() != m.ID {
		t.Errorf("id %s, want %s", s.ID(), m.ID)
	}
	if n, err := s.Audit().Append(t.Context(), []byte("first")); n != 1 || err != nil {
		t.Errorf("record %d, %v", n, err)
	}
}

func TestASecondProcessIsToldWhoHasTheFolder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	_, err := Open(t.Context(), dir, Options{})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("error %v, want one that names pid %d", err, os.Getpid())
	}
	if _, err := s.Audit().Append(t.Context(), []byte("still mine")); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	closeStore(t, open(t, dir))
}

func FuzzScanBlock(f *testing.F) {
	record := func(sequence uint64, flag uint64) []byte {
		head := make([]byte, recordHeader)
		head[0], head[4] = recordHeader+recordHash, byte(sequence)
		head[11] = byte(flag >> 56)
		return append(head, make([]byte, recordHash)...)
	}
	f.Add(record(1, 0))
	f.Add(append(record(1, 0), record(2, tombFlag)...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		var seen span
		offset, err := scanBlock(data, "audit", 1, &seen, nil)
		if offset < 0 || offset > len(data) || err == nil && offset != len(data) {
			t.Errorf("stopped at %d of %d bytes with %v", offset, len(data), err)
		}
	})
}
