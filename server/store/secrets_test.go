package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSecretsAreReadBesideTheService: while it runs, after a kill, after a clean
// stop, and after the record was rewritten.
func TestSecretsAreReadBesideTheService(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadSecrets(dir); err == nil {
		t.Fatal("an empty folder has secrets")
	}
	s := open(t, dir)
	want := map[string]string{}
	must(t, s.Secrets().Put(t.Context(), "outdated", []byte("x")))
	if got, err := ReadSecrets(dir); err != nil || string(got["outdated"]) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	must(t, s.Secrets().Delete(t.Context(), "outdated"))
	check := func(when string) {
		t.Helper()
		got, err := ReadSecrets(dir)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %q, %v; want %q", when, got, err, want)
		}
		for name, value := range want {
			if string(got[name]) != value {
				t.Errorf("%s: %s is %q, want %q", when, name, got[name], value)
			}
		}
	}
	check("before there are any")
	for i := range 3 * compactSlack {
		want["authToken"], want["dispatchNacId"] = fmt.Sprint("token ", i), "4711"
		must(t, s.Secrets().Change(t.Context(), map[string][]byte{"authToken": []byte(want["authToken"]),
			"dispatchNacId": []byte("4711")}, []string{"outdated"}))
		if i%200 == 0 {
			check("while the service runs")
		}
	}
	if first, _ := s.secrets.log.Bounds(); first == 1 {
		t.Error("the record was never rewritten")
	}
	check("rewritten")
	closeStore(t, s)
	check("after the service")
}

// Secrets can be read from a disk that is full or read-only: the copy goes to the
// folder for temporary files.
func TestSecretsAreReadOnACopyElsewhere(t *testing.T) {
	dir, temporary := t.TempDir(), temporaryFolder(t)
	s := open(t, dir)
	must(t, s.Secrets().Put(t.Context(), "authToken", []byte("x")))
	before := readTree(t, dir)
	got, err := readBeside(dir, filepath.Join(temporary, "is not there"), streamSecrets)
	if err != nil || string(got["authToken"]) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	sameTree(t, before, readTree(t, dir))
	nothingIn(t, temporary)
	closeStore(t, s)
}

// TestADataFolderIsItsOwnersAlone, also one that others could read before.
func TestADataFolderIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // access there does not depend on modes
	}
	dir := t.TempDir()
	s := open(t, dir)
	must(t, s.Secrets().Put(t.Context(), "authToken", []byte("x")))
	closeStore(t, s)
	must(t, os.MkdirAll(filepath.Join(dir, "acme"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "acme", "radio.example.org"), []byte("key"), 0o644))
	system := filepath.Join(dir, lostAndFound)
	must(t, os.Mkdir(system, 0o755))
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.WriteFile(elsewhere, nil, 0o644))
	must(t, os.Symlink(elsewhere, filepath.Join(dir, "link")))
	must(t, filepath.WalkDir(filepath.Join(dir, storeName), func(path string, e fs.DirEntry, err error) error {
		if e.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o664)
	}))
	s = open(t, dir)
	defer closeStore(t, s)
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil || e.Type() == fs.ModeSymlink || path == system {
			return err
		}
		files++
		// The mode of what NATS makes from now on depends on the program's umask.
		if info.Mode().Perm()&0o007 != 0 || filepath.Base(filepath.Dir(path)) == "acme" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return nil
	}))
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o644 || files < 10 {
		t.Errorf("%d files; a file that is linked to is %v, %v", files, info.Mode(), err)
	}
	if info, err := os.Stat(system); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the file system's own folder is %v, %v", info.Mode(), err)
	}
}

// A mounted volume, or a file system without modes, does not keep a radio off the
// air.
func TestModesThatCannotBeChangedAreWarnedOf(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "b"), nil, 0o644))
	must(t, os.Chmod(dir, 0o770))
	var said []string
	err := tighten(dir, func(path string, _ fs.FileMode) error {
		return &fs.PathError{Op: "chmod", Path: path, Err: fs.ErrPermission}
	},
		func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "3 files and folders") || !strings.Contains(said[0], "permission denied") {
		t.Errorf("%v, said %q", err, said)
	}
}
