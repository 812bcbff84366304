package store

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folders in testdata were written by the last program that wrote format 1:
// one was stopped, one was killed. Beside each is what that program
// read from it.
type format1 struct {
	ID, Snapshot              string
	Format                    int
	Sessions, Secrets, Config map[string]string
	Audit                     []string
}

// ofFormat1 unpacks such a folder.
func ofFormat1(t *testing.T, kind string) (dir string, want format1) {
	t.Helper()
	dir = t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "format1-"+kind+".json"))
	must(t, err)
	must(t, json.Unmarshal(text, &want))
	file, err := os.Open(filepath.Join("testdata", "format1-"+kind+".tar.gz"))
	must(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	must(t, err)
	for archive := tar.NewReader(unzipped); ; {
		head, err := archive.Next()
		if err == io.EOF {
			return dir, want
		}
		must(t, err)
		path := filepath.Join(dir, filepath.FromSlash(head.Name))
		if head.Typeflag == tar.TypeDir {
			must(t, os.MkdirAll(path, folderMode))
			continue
		}
		data, err := io.ReadAll(archive)
		must(t, err)
		must(t, os.WriteFile(path, data, fileMode))
	}
}

func texts(values map[string][]byte) map[string]string {
	all := map[string]string{}
	for key, value := range values {
		all[key] = string(value)
	}
	return all
}

// holds compares everything in a store with what the earlier program read.
func (want format1) holds(t *testing.T, s *Store) {
	t.Helper()
	if s.ID() != want.ID {
		t.Errorf("id %s, want %s", s.ID(), want.ID)
	}
	snapshot, found, err := s.LatestSnapshot(t.Context())
	if err != nil || !found || snapshot.Format != want.Format || string(snapshot.Data) != want.Snapshot {
		t.Errorf("snapshot of format %d: %s, %v, want %s", snapshot.Format, snapshot.Data, err, want.Snapshot)
	}
	for _, bucket := range []struct {
		got  *Bucket
		want map[string]string
	}{{s.Sessions(), want.Sessions}, {s.Secrets(), want.Secrets}, {s.Config(), want.Config}} {
		if got := texts(bucket.got.All()); !maps.Equal(got, bucket.want) || len(got) == 0 {
			t.Errorf("%s holds %q, want %q", bucket.got.log.stream, got, bucket.want)
		}
	}
	first, records, err := s.Audit().Read(t.Context(), 1, 999)
	if err != nil || first != 1 || len(records) != len(want.Audit) {
		t.Fatalf("%d records of the audit log from %d, %v, want %d from 1", len(records), first, err, len(want.Audit))
	}
	for i, record := range records {
		if string(record) != want.Audit[i] {
			t.Errorf("record %d of the audit log is %s, want %s", i+1, record, want.Audit[i])
		}
	}
}

var noRetention = Options{AuditMaxAge: -1, TimelineMaxAge: -1} // the folders grow old

func TestAFolderOfFormat1IsWrittenAnew(t *testing.T) {
	for _, kind := range []string{"stopped", "killed"} {
		dir, want := ofFormat1(t, kind)
		before := readTree(t, dir)
		if secrets, err := ReadSecrets(dir); err != nil || !maps.Equal(texts(secrets), want.Secrets) {
			t.Errorf("%s: secrets read from the outside: %q, %v", kind, secrets, err)
		}
		sameTree(t, before, readTree(t, dir))
		s := openWith(t, dir, noRetention)
		want.holds(t, s)
		number, err := s.Audit().Append(t.Context(), []byte("after"))
		if err != nil || number != uint64(len(want.Audit)+1) {
			t.Errorf("%s: the next record got number %d, %v", kind, number, err)
		}
		closeStore(t, s)
		m, _, err := readMarker(dir)
		if err != nil || !m.current() {
			t.Errorf("%s: marker %+v, %v", kind, m, err)
		}
		onlyTheStore(t, dir)
		want.Audit = append(want.Audit, "after")
		want.holds(t, openWith(t, dir, noRetention))
	}
}

// onlyTheStore checks that no working folders were left behind.
func onlyTheStore(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), storeName+".") {
			t.Errorf("%s was left in the data folder", entry.Name())
		}
	}
}

// A damaged folder of format 1 stays as it is, also its marker.
func TestADamagedFolderOfFormat1IsRefused(t *testing.T) {
	for _, kind := range []string{"stopped", "killed"} {
		unpacked, _ := ofFormat1(t, kind)
		files := readTree(t, unpacked)
		for name, data := range files {
			stream := streamOf(name)
			index := kind == "killed" && filepath.Base(name) == natsIndex // is rebuilt
			if len(data) == 0 || index || stream == "" && filepath.Base(name) != marks1Name {
				continue
			}
			for _, damage := range []string{"one bit flipped", "cut in half", "removed"} {
				if !slices.Contains([]string{streamAudit, streamConfig, ""}, stream) {
					continue // these stand for all of them
				}
				if kind == "killed" && stream == "" && damage == "one bit flipped" {
					continue // the other of the two pages is whole
				}
				t.Run(fmt.Sprint(kind, " ", name, " ", damage), func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					writeTree(t, dir, files)
					must(t, damages[damage](filepath.Join(dir, name), data))
					naming := filepath.Base(name)
					if kind == "killed" && stream != "" {
						naming = streamFolder(dir, stream)
					}
					refused(t, dir, ErrDamaged, naming)
				})
			}
		}
	}
}

// A start that is killed while it rewrites a folder is repeated.
func TestAnInterruptedMigrationIsRepeated(t *testing.T) {
	dir, want := ofFormat1(t, "killed")
	m, _, err := readMarker(dir)
	must(t, err)
	m.Format = formatVersion // the last step before the store is exchanged
	must(t, writeMarker(dir, m))
	for _, left := range []string{nextName, sourceName} {
		must(t, os.CopyFS(filepath.Join(dir, left), os.DirFS(filepath.Join(dir, storeName))))
	}
	s := openWith(t, dir, noRetention)
	want.holds(t, s)
	closeStore(t, s)
	onlyTheStore(t, dir)
}

func TestTooLittleRoomToMigrateIsAnError(t *testing.T) {
	dir, _ := ofFormat1(t, "stopped")
	before := readTree(t, dir)
	_, err := openIn(t.Context(), dir, Options{}, func(string) (int64, error) { return 1_500_000, nil })
	if !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "only 2 MB is free") || strings.Contains(err.Error(), "temporary files") {
		t.Errorf("error %v, want one that asks for room on the same disk only", err)
	}
	sameTree(t, before, readTree(t, dir))
}
