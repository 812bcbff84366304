package themes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tooMany is an open that fails for the files with this name, "": for all.
func tooMany(name string) func(string, int, os.FileMode) (*os.File, error) {
	return func(file string, flag int, perm os.FileMode) (*os.File, error) {
		if name == "" || filepath.Base(file) == name {
			return nil, &os.PathError{Op: "open", Path: file, Err: syscall.EMFILE}
		}
		return os.OpenFile(file, flag, perm)
	}
}

// TestTooManyOpenFilesPass: what cannot be read for a while is no reason to forget
// themes, nor to change or sweep what is not known.
func TestTooManyOpenFilesPass(t *testing.T) {
	dir := t.TempDir()
	l, other := open(t, dir), open(t, dir)
	night := install(t, l, good("night"))
	was := l.Version()
	l.disk.open = tooMany("")
	quiet := install(t, other, plainTheme("quiet"))
	if got := own(l); !slices.Equal(got, []string{"night"}) || l.Find("night").Broken != "" {
		t.Fatalf("the themes are %q, night is %+v", got, l.Find("night"))
	}
	if err := l.Trouble(); err == nil || !strings.Contains(err.Error(), "too many open files; the themes stay as they are") || l.Version() == was {
		t.Errorf("the trouble is %v, the version %d after %d", err, l.Version(), was)
	}
	was = l.Version()
	if err := l.Remove("night"); err == nil || l.Version() != was {
		t.Errorf("removed, not knowing what there is: %v, the version %d after %d", err, l.Version(), was)
	}
	l.disk.open = os.OpenFile
	if got := own(l); !slices.Equal(got, []string{"night", "quiet"}) || l.Trouble() != nil {
		t.Errorf("afterwards the themes are %q, the trouble %v", got, l.Trouble())
	}
	for _, i := range []Installed{night, quiet} {
		if w := get(l, Path+i.Slug+"/"+i.Build+"/style.css"); w.Code != 200 {
			t.Errorf("%s: %d", i.Slug, w.Code)
		}
	}
}

func TestTooManyOpenFilesInAThemePass(t *testing.T) {
	dir := t.TempDir()
	l, other := open(t, dir), open(t, dir)
	l.disk.open = tooMany("style.css")
	install(t, other, plainTheme("quiet"))
	if i := l.Find("quiet"); i == nil || !strings.Contains(i.Broken, "style.css cannot be read just now") {
		t.Fatalf("quiet is %+v", i)
	}
	was := l.Version()
	if l.Version() != was {
		t.Error("the version moves without a change")
	}
	l.disk.open = os.OpenFile
	if i := l.Find("quiet"); i.Broken != "" || l.Version() == was {
		t.Errorf("afterwards quiet is %+v, the version %d after %d", i, l.Version(), was)
	}
}

// TestAStartWithTooManyOpenFiles: nothing was known before.
func TestAStartWithTooManyOpenFiles(t *testing.T) {
	dir := t.TempDir()
	install(t, open(t, dir), good("night"))
	before := tree(t, dir)
	builtin, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{dir: dir, now: clock, builtin: housed(builtin), disk: realDisk}
	l.disk.open = tooMany("")
	if len(own(l)) > 0 || l.Trouble() == nil || len(l.List()) != len(builtin) {
		t.Errorf("the themes are %v, the trouble %v", l.List(), l.Trouble())
	}
	l.sweepIfFree()
	if got := tree(t, dir); !slices.Equal(got, before) {
		t.Errorf("swept: %q", got)
	}
	l.disk.open = os.OpenFile
	if got := own(l); !slices.Equal(got, []string{"night"}) || l.Trouble() != nil {
		t.Errorf("afterwards the themes are %q, the trouble %v", got, l.Trouble())
	}
}
