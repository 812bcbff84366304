package logs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestALogFileStaysSmall: at its limit it is put aside, closed before it is renamed, and
// one earlier one is kept. What is there at a start is appended to.
func TestALogFileStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "squelch.log")
	for range 2 {
		f, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f.most = 100
		for range 7 {
			if _, err := f.Write([]byte(strings.Repeat("x", 29) + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("late")); err == nil {
			t.Error("a closed file was written to")
		}
	}
	for _, name := range []string{path, path + ".1"} {
		if info, err := os.Stat(name); err != nil || info.Size() > 100 || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if all, _ := filepath.Glob(path + "*"); len(all) != 2 {
		t.Errorf("there are %v", all)
	}
	if _, err := OpenFile(filepath.Join(t.TempDir(), "missing", "squelch.log")); err == nil {
		t.Error("a file in a folder that is missing was opened")
	}
}
