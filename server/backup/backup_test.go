package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"squelch/server/store"
)

// folder is a data folder with one of everything, and a configuration beside it.
func folder(t *testing.T) (data string, o Options) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	s, err := store.Open(t.Context(), data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Config().Put(t.Context(), "overlay", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, data, map[string]string{"recordings/index": "line\n", "recordings/recordings.lock": "1", "recordings/2026-11-27/10/a.ogg": "OggS",
		"themes/index.json": "{}", "themes/night/1/theme.css": ":root{}", "desktop/setup.exe": "MZ", "note.txt": "mine"})
	conf := t.TempDir()
	fill(t, conf, map[string]string{"config.lua": "Config = {}", "permissions.cfg": "add_ace"})
	return data, Options{Data: data, Out: filepath.Join(t.TempDir(), "radio.tar.gz"), Program: "test",
		Config: []string{filepath.Join(conf, "config.lua"), filepath.Join(conf, "permissions.cfg")}}
}

func fill(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func restore(t *testing.T, file, data, config string) (Contents, error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Restore(t.Context(), f, data, config)
}

// TestWhatIsBackedUpComesBack: all that lasts, and nothing that only a process needs.
func TestWhatIsBackedUpComesBack(t *testing.T) {
	data, o := folder(t)
	made, err := Create(t.Context(), o)
	if err != nil || !slices.Equal(made.Config, []string{"config.lua", "permissions.cfg"}) || made.Program != "test" {
		t.Fatalf("%v %+v", err, made)
	}
	info, err := os.Stat(o.Out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left := names(t, filepath.Dir(o.Out)); len(left) != 1 {
		t.Errorf("beside the backup are %v", left)
	}
	to, conf := filepath.Join(t.TempDir(), "new", "data"), filepath.Join(t.TempDir(), "conf")
	if _, err := restore(t, o.Out, to, conf); err != nil {
		t.Fatal(err)
	}
	got := names(t, to)
	for _, name := range []string{"recordings/index", "recordings/2026-11-27/10/a.ogg", "themes/night/1/theme.css", "desktop/setup.exe", "note.txt", "squelch.json", "store/seal.json"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not back", name)
		}
	}
	if slices.Contains(got, "squelch.lock") || slices.Contains(got, "recordings/recordings.lock") || !slices.Equal(names(t, conf), []string{"config.lua", "permissions.cfg"}) {
		t.Errorf("restored: %v, %v", got, names(t, conf))
	}
	s, err := store.Open(t.Context(), to, store.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if value, found := s.Config().Get("overlay"); !found || string(value) != "{}" {
		t.Errorf("the store has %q", value)
	}
	if _, err := Create(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("over a file that is there: %v", err)
	}
	o.Out, o.Without = filepath.Join(t.TempDir(), "small.tar.gz"), []string{"recordings"}
	small, err := Create(t.Context(), o)
	if err != nil || small.Files != made.Files-2 {
		t.Errorf("without recordings: %v, %d files of %d", err, small.Files, made.Files)
	}
	if _, err := restore(t, o.Out, data, ""); !errors.Is(err, store.ErrForeign) {
		t.Errorf("over a data folder: %v", err)
	}
}

// TestRecordingsOnAnotherDiskAreInTheBackup: whose folder is a link in the data folder.
func TestRecordingsOnAnotherDiskAreInTheBackup(t *testing.T) {
	data, o := folder(t)
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Rename(filepath.Join(data, "recordings"), disk); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(disk, filepath.Join(data, "recordings")); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "data")
	if _, err := restore(t, o.Out, to, ""); err != nil {
		t.Fatal(err)
	}
	if got := names(t, to); !slices.Contains(got, "recordings/2026-11-27/10/a.ogg") || !slices.Contains(got, "recordings/index") {
		t.Errorf("restored: %v", got)
	}
}

// TestABrokenBackupLeavesNothing: cut off or garbled anywhere, it is refused, and the
// folder to which it was restored is as empty as before.
func TestABrokenBackupLeavesNothing(t *testing.T) {
	_, o := folder(t)
	if _, err := Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, text []byte) {
		t.Helper()
		to := t.TempDir()
		if _, err := Restore(t.Context(), bytes.NewReader(text), filepath.Join(to, "data"), filepath.Join(to, "conf")); err == nil {
			t.Errorf("%s: restored", name)
		}
		if left, err := os.ReadDir(to); err != nil || len(left) != 0 {
			t.Errorf("%s: has left %v (%v)", name, left, err)
		}
	}
	for n := 1; n < 40; n++ {
		try("cut off", whole[:len(whole)*n/40])
		bad := bytes.Clone(whole)
		bad[len(bad)*n/40] ^= 0x10
		if !bytes.Equal(unzipped(bad), unzipped(whole)) { // another way to compress the same is no damage
			try("a flipped bit", bad)
		}
	}
	try("nothing", nil)
	try("text", []byte("a backup"))
	if _, err := CheckFrom(t.Context(), bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
}

// unzipped is what a file has before it is compressed; nil: it cannot be read.
func unzipped(text []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return all
}

// TestNoBackupLeadsOutOfTheFolder, whatever somebody has put into it.
func TestNoBackupLeadsOutOfTheFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		kind byte
	}{{"data/../../evil", tar.TypeReg}, {"/etc/passwd", tar.TypeReg}, {"data//x", tar.TypeReg}, {"config/a/b", tar.TypeReg}, {"config/..", tar.TypeReg},
		{`data/..\x`, tar.TypeReg}, {"data/link", tar.TypeSymlink}, {"data/link", tar.TypeLink}, {"data/pipe", tar.TypeFifo}, {"else/x", tar.TypeReg}} {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		w := tar.NewWriter(zipped)
		for _, h := range []*tar.Header{{Name: headName, Typeflag: tar.TypeReg, Size: 13}, {Name: c.name, Typeflag: c.kind, Linkname: "/etc/passwd"}} {
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if h.Size > 0 {
				if _, err := w.Write([]byte(`{"version":1}`)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(w.Close(), zipped.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := CheckFrom(t.Context(), &out); !errors.Is(err, ErrNoBackup) || !strings.Contains(err.Error(), "no business") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzBackup: whatever somebody calls a backup, reading it ends with an answer.
func FuzzBackup(f *testing.F) {
	f.Add([]byte("a backup"))
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	_ = w.WriteHeader(&tar.Header{Name: headName, Typeflag: tar.TypeReg, Size: 13})
	_, _ = w.Write([]byte(`{"version":1}`))
	_ = errors.Join(w.Close(), zipped.Close())
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		to := t.TempDir()
		if _, err := Restore(t.Context(), bytes.NewReader(text), filepath.Join(to, "data"), ""); err == nil {
			t.Error("restored")
		}
	})
}
