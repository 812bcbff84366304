package recordings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestFoldersThatCannotBeUsedAreRefused(t *testing.T) {
	refused := func(says, dir string, kind error, words ...string) {
		t.Helper()
		before := tree(t, filepath.Dir(dir))
		_, err := Open(dir, Options{})
		if err == nil || kind != nil && !errors.Is(err, kind) {
			t.Errorf("%s: %v", says, err)
			return
		}
		for _, w := range append(words, dir) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", says, err, w)
			}
		}
		for _, name := range tree(t, filepath.Dir(dir)) {
			if !strings.Contains(strings.Join(before, "\n"), name) && filepath.Base(name) != lockName {
				t.Errorf("%s: %s was made", says, name)
			}
		}
	}
	home := t.TempDir()
	in := func(name string) string {
		dir := filepath.Join(home, name)
		must(t, os.Mkdir(dir, 0o700))
		return dir
	}
	index := func(name, text string) string {
		dir := in(name)
		must(t, os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600))
		return dir
	}
	file := filepath.Join(home, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	refused("a file", file, ErrForeign, "name a folder")
	refused("the folder above is missing", filepath.Join(home, "file", "recordings"), nil, "not a directory")
	refused("another program's index", index("foreign", "# my index\n"), ErrForeign, "move it away")
	refused("an empty index", index("empty", ""), ErrForeign, "move it away")
	refused("an index of the future", index("newer", string(appendLine(nil, plainLine{Op: opHead, Format: 2}))), ErrForeign, "format 2")
	linked := in("linked")
	must(t, os.Symlink(file, filepath.Join(linked, indexName)))
	refused("a link", linked, ErrForeign, "not a plain file")
	folder := in("folder")
	must(t, os.Mkdir(filepath.Join(folder, indexName), 0o700))
	refused("a folder for an index", folder, ErrForeign, "not a plain file")

	used := in("used")
	openAt(t, used, Options{})
	refused("one in use", used, ErrLocked, "process "+strconv.Itoa(os.Getpid()))
	if _, err := Open(filepath.Join(home, "a", "b"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder above is missing: %v", err)
	}
}

// What is not the shelf's own is neither read nor changed, wherever a link leads.
func TestForeignFilesAndLinksAreLeftAlone(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	k := key{noon, 1}
	write := func(path string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte("somebody's"), 0o600))
	}
	write(filepath.Join(outside, "08", k.id()+".ogg"))
	write(filepath.Join(outside, "secret"))
	must(t, os.Symlink(outside, filepath.Join(dir, "2027-01-15")))
	write(filepath.Join(dir, "README"))
	write(filepath.Join(dir, "2027-01-16", "notes"))
	write(filepath.Join(dir, "2027-01-16", "08", k.id()+".ogg")) // on another day
	write(filepath.Join(dir, "2027-01-16", "08", "tx-1-5.txt"))
	must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "2027-01-16", "08", key{noon + 86_400_000, 3}.id()+".ogg")))
	said := ""
	s, err := Open(dir, Options{Logf: func(format string, args ...any) { said += format }})
	must(t, err)
	defer s.Close()
	if len(numbers(s)) != 0 || !strings.Contains(said, "left alone") {
		t.Errorf("there are %v, and the log says %q", numbers(s), said)
	}
	// A burst is not written through the link.
	b, err := s.Create(entry(2, noon))
	must(t, err)
	err = b.WriteOpus(voice[0], 0)
	if _, ok := errors.AsType[*DiskError](err); !ok {
		t.Errorf("writing through a link: %v", err)
	}
	must(t, b.Discard())
	tape(t, s, entry(4, noon+86_400_000), 20)
	_, _, err = s.Delete(t.Context(), s.Match(Query{})...)
	must(t, err)
	for path, count := range map[string]int{outside: 3, filepath.Join(dir, "2027-01-16"): 5} {
		if names := tree(t, path); len(names) != count {
			t.Errorf("%s has %v", path, names)
		}
	}
	if text, err := os.ReadFile(filepath.Join(outside, "08", k.id()+".ogg")); string(text) != "somebody's" || err != nil {
		t.Errorf("the file outside is %q", text)
	}
}

func TestAFolderThatIsTakenAwayIsNamed(t *testing.T) {
	home := t.TempDir()
	s := openAt(t, filepath.Join(home, "recordings"), Options{})
	tape(t, s, entry(1, noon), 20)
	must(t, os.RemoveAll(s.dir))
	b, err := s.Create(entry(2, noon))
	if err == nil {
		err = b.WriteOpus(voice[0], 0)
	}
	if disk, ok := errors.AsType[*DiskError](err); !ok || !strings.Contains(disk.Reason, "is gone") || !strings.Contains(disk.Error(), s.dir) {
		t.Errorf("recording: %v", err)
	}
}

func TestADiskThatIsNearlyFullTakesNoNewBurst(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{KeepFree: 1 << 60})
	_, err := s.Create(entry(1, noon))
	if disk, ok := errors.AsType[*DiskError](err); !ok || !strings.HasPrefix(disk.Reason, "the disk is nearly full") {
		t.Errorf("recording: %v", err)
	}
	if names := tree(t, dir); len(names) != 2 || s.State().OnAir != 0 {
		t.Errorf("the folder has %v, and the state is %+v", names, s.State())
	}
}

func TestErrorsOfTheDiskAreSaidPlainly(t *testing.T) {
	for err, says := range map[error]string{
		syscall.ENOSPC:   "the disk is full",
		syscall.EROFS:    "the disk is read-only",
		syscall.EIO:      "the disk does not work",
		fs.ErrPermission: "the folder for recordings cannot be written: give it to the user of the service",
		fs.ErrNotExist:   "the folder for recordings is gone: put it back and start the service again",
	} {
		got := diskError("/data/recordings/index", &fs.PathError{Op: "write", Path: "/secret/index", Err: err})
		if want := "recordings: " + says + " (/data/recordings/index: " + err.Error() + ")"; got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
		if twice := diskError("elsewhere", got); twice != got {
			t.Errorf("it is wrapped twice: %v", twice)
		}
	}
	if diskError("x", nil) != nil {
		t.Error("no error is one")
	}
}
