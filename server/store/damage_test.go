package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// used makes a data folder with something in every stream, stopped cleanly, and
// returns all its files.
func used(t *testing.T, snapshot int) (dir string, files map[string][]byte) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	for i := range 30 {
		for _, log := range []*Log{s.Audit(), s.Timeline()} {
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

// refused opens dir and expects a refusal of the given kind that names a file and
// leaves every file as it was.
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

// After a kill there is no seal, only the records themselves. Either nothing that was
// acknowledged is lost, or the refusal names the file that was harmed or, when that
// is gone, one beside it or their folder.
func TestDamageIsFoundAfterAKillToo(t *testing.T) {
	_, files := used(t, 5000)
	delete(files, filepath.Join(storeName, sealName))
	covered := 0
	var opened atomic.Int32
	t.Run("each", func(t *testing.T) {
		for name, data := range files {
			another := filepath.Base(name) == natsIndex && streamOf(name) != streamAudit // one index stands for all
			if !strings.HasPrefix(name, storeName+string(filepath.Separator)) || len(data) == 0 || another {
				continue
			}
			for damage, inflict := range damages {
				covered++
				t.Run(name+" "+damage, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					writeTree(t, dir, files)
					must(t, inflict(filepath.Join(dir, name), data))
					before := readTree(t, dir)
					s, err := Open(t.Context(), dir, Options{Logf: t.Logf})
					if err == nil {
						opened.Add(1)
						checkUsed(t, s, 5000)
						closeStore(t, s)
						return
					}
					named := filepath.Join(dir, name)
					if stream := streamOf(name); stream != "" && (damage == "removed" || damage == "unreadable" || filepath.Base(name) == "meta.sum") {
						named = streamFolder(dir, stream)
					}
					if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), named) {
						t.Errorf("error %q, want one that names %s", err, named)
					}
					sameTree(t, before, readTree(t, dir))
				})
			}
		}
	})
	if covered < 99 || int(opened.Load()) > covered/4 {
		t.Errorf("%d cases, %d of them were opened", covered, opened.Load())
	}
	t.Logf("%d cases, %d of them lost nothing", covered, opened.Load())
	dir := t.TempDir()
	writeTree(t, dir, files)
	watermark := filepath.Join(dir, storeName, watermarkName)
	garbled := bytes.Clone(files[filepath.Join(storeName, watermarkName)])
	for page := watermarkPage; page < len(garbled); page += watermarkPage {
		garbled[page] ^= 1
	}
	must(t, os.WriteFile(watermark, garbled, 0o600))
	refused(t, dir, ErrDamaged, watermarkName)
}

// blockOf is the file that holds the records of a stream.
func blockOf(t *testing.T, files map[string][]byte, stream string) (name string) {
	t.Helper()
	for file, data := range files {
		if streamOf(file) == stream && bytes.Contains(data, []byte(recordMagic)) {
			name = file
		}
	}
	if name == "" {
		t.Fatalf("no file holds the records of %s", stream)
	}
	return name
}

// streamOf is the stream that a file belongs to; "" if none.
func streamOf(name string) string {
	for _, stream := range streamNames {
		if slices.Contains(strings.Split(name, string(filepath.Separator)), stream) {
			return stream
		}
	}
	return ""
}

// writeTree makes dir hold these files and nothing else.
func writeTree(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		must(t, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	for name, data := range files {
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
}

// checkUsed checks that everything that used has written is there.
func checkUsed(t *testing.T, s *Store, snapshot int) {
	t.Helper()
	for _, log := range []*Log{s.Audit(), s.Timeline()} {
		_, records, err := log.Read(t.Context(), 1, 99)
		if err != nil || len(records) != 30 {
			t.Fatalf("%d records of %s, %v", len(records), log.stream, err)
		}
		for i, record := range records {
			if want := fmt.Sprintf("entry %d", i); string(record) != want {
				t.Errorf("record %d of %s is %q", i+1, log.stream, record)
			}
		}
	}
	for _, bucket := range []*Bucket{s.Sessions(), s.Secrets(), s.Config()} {
		if all := bucket.All(); fmt.Sprintf("%s", all) != "map[0:28 1:29 2:26 3:27]" {
			t.Errorf("%s holds %s", bucket.log.stream, all)
		}
	}
	got, found, err := s.LatestSnapshot(t.Context())
	if err != nil || !found || got.Number != 1 || !bytes.Equal(got.Data, make([]byte, snapshot)) {
		t.Errorf("snapshot %d of %d bytes, %v, %v", got.Number, len(got.Data), found, err)
	}
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

func TestEveryFlippedBitOfARecordIsFound(t *testing.T) {
	ours := origin{"a folder", streamAudit}
	at := time.Date(2026, 3, 1, 10, 4, 0, 5, time.UTC)
	whole := ours.pack(7, at, []byte("10-4"))
	if payload, written, err := ours.unpack(7, whole); err != nil || string(payload) != "10-4" || !written.Equal(at) {
		t.Fatalf("%q %v %v", payload, written, err)
	}
	for bit := range 8 * len(whole) {
		garbled := bytes.Clone(whole)
		garbled[bit/8] ^= 1 << (bit % 8)
		if _, _, err := ours.unpack(7, garbled); err == nil {
			t.Errorf("a flip of bit %d of %d went unnoticed", bit, 8*len(whole))
		}
	}
	for end := range whole {
		if _, _, err := ours.unpack(7, whole[:end]); err == nil {
			t.Errorf("a cut at byte %d of %d went unnoticed", end, len(whole))
		}
	}
	for _, other := range []origin{{"a folder", streamConfig}, {"another folder", streamAudit}} {
		if _, _, err := other.unpack(7, whole); err == nil {
			t.Errorf("a record of %v passes for one of %v", ours, other)
		}
	}
	if _, _, err := ours.unpack(8, whole); err == nil {
		t.Error("a record passes for another")
	}
}

// It flips bits all over a file that holds the records of a stream.
func TestFlipsAllOverTheAuditBlockAreFoundAfterAKill(t *testing.T) {
	_, files := used(t, 5000)
	delete(files, filepath.Join(storeName, sealName))
	name := blockOf(t, files, streamAudit)
	data := files[name]
	for at := 0; at < len(data); at += len(data)/24 + 1 { // not in step with the records
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeTree(t, dir, files)
			garbled := bytes.Clone(data)
			garbled[at] ^= 0x10
			must(t, os.WriteFile(filepath.Join(dir, name), garbled, 0o600))
			refused(t, dir, ErrDamaged, name)
		})
	}
}

// What a kill or a loss of power leaves after the last acknowledged record is cut
// off.
func TestAHalfWrittenRecordIsNoDamage(t *testing.T) {
	dir, files := used(t, 5000)
	name := blockOf(t, files, streamAudit)
	block := files[name]
	for _, torn := range []int{1, 22, 40} {
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
	newer := bytes.Replace(files[markerName], []byte(`"format": 2`), []byte(`"format": 3, "more": true`), 1)
	must(t, os.WriteFile(filepath.Join(dir, markerName), newer, 0o600))
	refused(t, dir, ErrForeign, "format 3")
}

func TestMarksOfAnotherFolderAreRefused(t *testing.T) {
	dir, _ := used(t, 5000)
	_, others := used(t, 5000)
	must(t, os.WriteFile(filepath.Join(dir, storeName, watermarkName), others[filepath.Join(storeName, watermarkName)], 0o600))
	must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	refused(t, dir, ErrDamaged, watermarkName)
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

func FuzzUnpack(f *testing.F) {
	ours := origin{"a folder", streamAudit}
	f.Add(ours.pack(1, time.Unix(0, 0), nil))
	f.Add([]byte(recordMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		payload, at, err := ours.unpack(1, data)
		if err == nil && !bytes.Equal(ours.pack(1, at, payload), data) {
			t.Errorf("%x was taken for record 1", data)
		}
	})
}
