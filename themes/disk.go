package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"squelch/server/filelock"
)

// disk is what is done to the disk; tests make it fail.
type disk struct {
	open   func(name string, flag int, perm os.FileMode) (*os.File, error) // to read
	write  func(name string, data []byte) error
	rename func(from, to string) error
}

var realDisk = disk{open: os.OpenFile, write: writeFile, rename: os.Rename}

// writeFile writes a new file, down to the disk.
func writeFile(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// place puts a theme's files into their folder: first aside, then by one rename.
func (l *Library) place(r *record, files map[string][]byte) error {
	failed := func(err error) error { return fmt.Errorf("the theme %q cannot be stored: %w", r.Slug, err) }
	stage, err := os.MkdirTemp(l.dir, stageMark)
	if err != nil {
		return failed(err)
	}
	for name, data := range files {
		to := filepath.Join(stage, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return failed(err)
		}
		if err := l.disk.write(to, data); err != nil {
			return failed(err)
		}
	}
	home := filepath.Join(l.dir, r.folder())
	if _, err := os.Lstat(home); err == nil {
		// The same files were installed, and somebody has changed them.
		if err := l.disk.rename(home, stage+"-old"); err != nil {
			return failed(err)
		}
	}
	if err := l.disk.rename(stage, home); err != nil {
		return failed(err)
	}
	_ = filelock.SyncFolder(home)
	_ = filelock.SyncFolder(l.dir)
	return nil
}

// homeForm is the name of a theme's folder.
var homeForm = regexp.MustCompile(`^[a-z0-9_-]{1,40}-[0-9a-f]{16}$`)

// sweep removes the folders that no theme has, and what was staged. Only who has the
// lock may call it. What cannot be removed now is removed the next time.
func (l *Library) sweep() {
	list, err := os.ReadDir(l.dir)
	if err != nil || l.trouble() != nil {
		return
	}
	used := map[string]bool{}
	for _, r := range l.state.records {
		used[r.folder()] = true
	}
	for _, e := range list {
		if name := e.Name(); strings.HasPrefix(name, stageMark) || homeForm.MatchString(name) && !used[name] {
			_ = os.RemoveAll(filepath.Join(l.dir, name))
		}
	}
}

// sweepIfFree sweeps unless another process is changing the folder.
func (l *Library) sweepIfFree() {
	if _, err := os.Stat(l.dir); l.dir == "" || err != nil {
		return
	}
	file, err := os.OpenFile(filepath.Join(l.dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	if filelock.Try(file) == nil {
		l.refresh()
		l.sweep()
	}
}

// lock waits for its turn to change the folder. The file stays: a process that has it
// open must not lock another file than the next one.
func lock(name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the folder for themes: %w", err)
	}
	for end := time.Now().Add(lockSeconds * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := filelock.Try(file)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) || time.Now().After(end) {
			_ = file.Close()
			return nil, fmt.Errorf("the folder for themes is in use (%s): %w; try again", name, err)
		}
	}
}

// refresh reads the index again if it is another one than before. What cannot be read
// just now changes nothing, and the next refresh tries it again.
func (l *Library) refresh() {
	if l.dir == "" {
		return
	}
	name := filepath.Join(l.dir, indexFile)
	// Another process may put the next one there while this one is read.
	for range 3 {
		now, err := os.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.setUnread(err)
			return
		}
		if l.loaded && sameIndex(l.seen, now) {
			l.setUnread(nil)
			l.verifyAgain()
			return
		}
		next, err := l.load(name)
		if err != nil {
			l.setUnread(err)
			return
		}
		l.seen, l.loaded, l.unread = now, true, nil
		l.state = next
		l.version++
	}
}

// setUnread notes why the index cannot be read just now, nil: it can.
func (l *Library) setUnread(err error) {
	if (err == nil) != (l.unread == nil) {
		l.version++
	}
	l.unread = err
	if err != nil {
		l.unread = fmt.Errorf("the index of themes cannot be read just now: %w; the themes stay as they are, and it is tried again", err)
	}
}

// trouble is why nothing can be changed, nil: nothing hinders.
func (l *Library) trouble() error {
	if l.unread != nil {
		return l.unread
	}
	return l.state.trouble
}

// verifyAgain looks again at the themes with a file that could not be read.
func (l *Library) verifyAgain() {
	for slug, r := range l.state.records {
		if r.unread == nil {
			continue
		}
		if _, err := l.read(r, *r.unread); errors.Is(err, errUnreadable) {
			continue
		}
		again := *r
		l.verify(&again)
		l.state.records[slug] = &again
		l.version++
	}
}

func sameIndex(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// load reads the index and checks every file that it names. An error says nothing of the
// index itself: the process may have too many files open.
func (l *Library) load(name string) (state, error) {
	damaged := func(format string, args ...any) (state, error) {
		return state{trouble: fmt.Errorf("%s %s; the installed themes are not used until it is mended, or removed to begin without any", name, fmt.Sprintf(format, args...))}, nil
	}
	file, err := l.disk.open(filepath.Clean(name), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return state{records: map[string]*record{}}, nil
	}
	if err != nil {
		return state{}, err
	}
	defer file.Close()
	data, err := readAtMost(file, maxIndex)
	if errors.Is(err, errLimit) {
		return damaged("cannot be read: %v", err)
	}
	if err != nil {
		return state{}, err
	}
	var x index
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return damaged("is not valid: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return damaged("has something after its end")
	}
	if x.Format != format {
		return damaged("has format %d; this program knows format %d", x.Format, format)
	}
	s := state{records: map[string]*record{}, chosen: x.Default}
	for i, r := range x.Themes {
		if r == nil || s.records[r.Slug] != nil {
			return damaged("names the theme %d twice, or not at all", i)
		}
		if err := r.check(); err != nil {
			return damaged("has a mistake in the theme %d: %v", i, err)
		}
		if _, ok := l.builtin[r.Slug]; ok {
			r.Broken = fmt.Sprintf("a built-in theme has the slug %q now", r.Slug)
			continue // the built-in one is used; the next change forgets this one
		}
		// What was sound before is looked at again when it is served.
		if was := l.state.records[r.Slug]; was == nil || was.Build != r.Build || was.Broken != "" {
			l.verify(r)
		}
		s.records[r.Slug] = r
	}
	return s, nil
}

// check looks at a record of the index as at anything that comes from outside.
func (r *record) check() error {
	names := map[string]string{}
	for _, f := range r.Files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		names[f.Name] = f.SHA256
	}
	switch {
	case !ValidSlug(r.Slug):
		return fmt.Errorf("slug is %q", r.Slug)
	case r.Build != buildOf(r.Files):
		return fmt.Errorf("build is %q, and its files have %q", r.Build, buildOf(r.Files))
	case names[r.CSS] == "" || path.Ext(r.CSS) != ".css":
		return fmt.Errorf("css is %q, which is none of its stylesheets", r.CSS)
	case r.HasJS != (r.JS != "") || r.HasJS && (names[r.JS] == "" || path.Ext(r.JS) != ".js"):
		return fmt.Errorf("js is %q, which is not its script", r.JS)
	case r.HasJS && names[r.JS] != r.ScriptSHA256:
		return errors.New("the approved script is not the one among its files")
	case r.Picture != "" && names[r.Picture] == "":
		return fmt.Errorf("picture is %q, which is none of its files", r.Picture)
	case r.BuiltIn || r.Broken != "":
		return errors.New("it claims to be built in or broken")
	}
	return nil
}

// verify compares the files on the disk with the index, and notes what is wrong in r.
func (l *Library) verify(r *record) {
	r.Broken, r.unread = "", nil
	for _, f := range r.Files {
		if _, err := l.read(r, f); err != nil {
			r.Broken = err.Error()
			if errors.Is(err, errUnreadable) {
				r.unread = &f
			}
			return
		}
	}
}

// errUnreadable says nothing of the file itself: the process may have too many open.
var errUnreadable = errors.New("cannot be read just now")

// read reads a file of a theme. What comes back is what was installed, or an error.
func (l *Library) read(r *record, f File) ([]byte, error) {
	// Not blocking: a pipe in its place would wait for ever.
	file, err := l.disk.open(filepath.Join(l.dir, r.folder(), filepath.FromSlash(f.Name)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing on the disk; install the theme again", f.Name)
	case err != nil:
		return nil, fmt.Errorf("%s %w: %v", f.Name, errUnreadable, err)
	}
	defer file.Close()
	info, err := file.Stat()
	var data []byte
	if err == nil && info.Mode().IsRegular() {
		data, err = readAtMost(file, f.Bytes)
	}
	switch {
	case err != nil && !errors.Is(err, errLimit):
		return nil, fmt.Errorf("%s %w: %v", f.Name, errUnreadable, err)
	case err != nil || !info.Mode().IsRegular() || hexOf(data) != f.SHA256:
		return nil, fmt.Errorf("%s was changed on the disk; install the theme again", f.Name)
	}
	return data, nil
}
