package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"squelch/server/filelock"
	"squelch/server/store"
)

// Options of Create.
type Options struct {
	Data    string   // the data folder
	Config  []string // files of the configuration; those that are missing are left out
	Out     string   // the file to make; there must be none
	Program string   // version of this program
	// Without names folders of the data folder that are left out, such as recordings.
	Without []string
	Step    func(bytes int64) // what has been written, at each step; nil: not told
	Now     func() time.Time  // nil: time.Now
}

// transient are files that only mean something to the process that has them.
var transient = []string{"recordings.lock", "recordings.probe", "index.next"}

// ofCluster says whether a folder of the data folder is one that only a node of a cluster has:
// its part of what the nodes share, which means nothing elsewhere and of which the store is a
// copy, or what it held before.
func ofCluster(name string) bool {
	return name == "cluster" || strings.HasPrefix(name, "before-cluster-")
}

// readTries is how often a folder is copied if it changes meanwhile. What is kept of a host's
// radios changes some times a second, and is copied in some milliseconds.
const readTries = 20

// Size is about how many bytes Create will read.
func Size(o Options) (size int64, err error) {
	err = filepath.WalkDir(o.Data, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && filepath.Dir(path) == filepath.Clean(o.Data) && (slices.Contains(o.Without, d.Name()) || ofCluster(d.Name())):
			return fs.SkipDir
		case d.Type().IsRegular():
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size, err
}

// Create makes a backup, reads it again, and then gives it its name.
func Create(ctx context.Context, o Options) (c Contents, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Step == nil {
		o.Step = func(int64) {}
	}
	if _, err := os.Lstat(o.Out); err == nil {
		return c, fmt.Errorf("%s is there already: choose another name", o.Out)
	}
	folder, name := filepath.Split(o.Out)
	work, err := os.MkdirTemp(filepath.Clean(folder+"."), "."+name+".partial-") // 0700
	if err != nil {
		return c, fmt.Errorf("a backup cannot be written there: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	staged := filepath.Join(work, "data")
	if err := store.Copy(ctx, o.Data, staged); err != nil {
		return c, err
	}
	made := filepath.Join(work, "backup")
	if err := write(ctx, o, made, staged); err != nil {
		return c, err
	}
	if c, err = Check(ctx, made); err != nil {
		return c, fmt.Errorf("the backup was written, but cannot be read again: %w", err)
	}
	if err := os.Link(made, o.Out); err != nil { // unlike a rename it replaces nothing
		if _, there := os.Lstat(o.Out); there == nil {
			return c, fmt.Errorf("%s is there already: choose another name", o.Out)
		}
		if err := os.Rename(made, o.Out); err != nil { // a file system without links
			return c, err
		}
	}
	return c, filelock.SyncFolder(filepath.Clean(folder + "."))
}

func write(ctx context.Context, o Options, made, staged string) (err error) {
	f, err := os.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	zipped, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := &archive{ctx: ctx, work: filepath.Dir(made), tar: tar.NewWriter(zipped), step: o.Step, at: o.Now()}
	head, err := json.MarshalIndent(Head{version, o.Now().UTC().Truncate(time.Second), o.Program}, "", "  ")
	if err != nil {
		return err
	}
	if err := w.bytes(headName, head); err != nil {
		return err
	}
	for _, path := range o.Config {
		text, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case len(text) > maxConfig:
			return fmt.Errorf("%s has more than %d bytes", path, maxConfig)
		}
		if err := w.bytes(configPart+filepath.Base(path), text); err != nil {
			return err
		}
	}
	if err := w.file(dataPart+store.MarkerFile, filepath.Join(staged, store.MarkerFile)); err != nil {
		return err
	}
	if err := w.tree(dataPart, staged, func(name string) bool { return name == store.MarkerFile }); err != nil {
		return err
	}
	if err := w.others(o); err != nil {
		return err
	}
	sums, err := json.Marshal(w.sums)
	if err != nil {
		return err
	}
	if err := w.bytes(sumsName, sums); err != nil {
		return err
	}
	return errors.Join(w.tar.Close(), zipped.Close(), f.Sync())
}

// archive is the file in the making.
type archive struct {
	ctx  context.Context
	work string // folder for copies
	tar  *tar.Writer
	at   time.Time
	sums []Sum
	step func(int64)
}

// others writes what is not the store's: recordings, themes, files for desks.
func (w *archive) others(o Options) error {
	without := func(name string) bool { return slices.Contains(o.Without, name) }
	return w.folder(dataPart, o.Data, func(name string) bool { return store.Own(name) || ofCluster(name) || without(name) }, func(name, path string) error {
		if name == dataPart+"radios/" {
			return w.radios(name, path, without)
		}
		return w.usual(name, path)
	})
}

// radios writes what there is of the other radios of the host: what is kept of all of them
// as it was at one moment, and the files of each.
func (w *archive) radios(name, folder string, without func(name string) bool) error {
	return w.folder(name, folder, func(string) bool { return false }, func(one, path string) error {
		if one == name+"_store/" { // no radio has this name
			return w.whole(one, path)
		}
		return w.folder(one, path, without, w.usual)
	})
}

// usual writes a folder of a radio.
func (w *archive) usual(name, folder string) error {
	if filepath.Base(name) == "recordings" {
		return w.recordings(name, folder)
	}
	return w.whole(name, folder)
}

// folder writes the files of a folder; inside writes the folders in it. What is left out is
// neither.
func (w *archive) folder(to, from string, left func(name string) bool, inside func(name, path string) error) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if left(name) {
			continue
		}
		path := filepath.Join(from, name)
		info, err := os.Stat(path) // a link counts as what it leads to
		switch {
		case err != nil && e.Type()&fs.ModeSymlink == 0 && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return err
			}
		}
		switch {
		case info.Mode().IsRegular():
			err = w.file(to+name, path)
		case info.IsDir():
			err = inside(to+name+"/", path)
		default: // neither file nor folder: none of ours
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordings writes the shelf, the index first: a line without its file is dropped when the
// shelf is opened, a file without its line entered.
func (w *archive) recordings(name, folder string) error {
	if err := w.file(name+"index", filepath.Join(folder, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return w.tree(name, folder, func(name string) bool { return name == "index" || slices.Contains(transient, name) })
}

// whole writes a small folder that may change meanwhile, as it was at one moment: from a
// copy during which nothing changed.
func (w *archive) whole(name, folder string) (err error) {
	for range readTries {
		copied, err := os.MkdirTemp(w.work, "copy-")
		if err != nil {
			return err
		}
		before, errBefore := shape(folder)
		errCopy := os.CopyFS(filepath.Join(copied, "it"), regular{os.DirFS(folder)})
		after, errAfter := shape(folder)
		if errBefore == nil && errCopy == nil && errAfter == nil && slices.Equal(before, after) {
			return errors.Join(w.tree(name, filepath.Join(copied, "it"), func(string) bool { return false }), os.RemoveAll(copied))
		}
		err = errors.Join(errBefore, errCopy, errAfter)
		if err = errors.Join(err, os.RemoveAll(copied)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s has changed each time it was copied; try again", folder)
}

// regular is a file system without links, sockets and pipes.
type regular struct{ fs.FS }

func (r regular) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(r.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !e.IsDir() && !e.Type().IsRegular() }), err
}

// shape lists the files of a folder with size and time.
func shape(folder string) (lines []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			lines = append(lines, fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()))
		}
		return err
	})
	return lines, err
}

// tree writes the files of a folder, but for those at its top that are left out. What
// disappears meanwhile, such as a recording whose time is over, is not in it.
func (w *archive) tree(name, folder string, left func(name string) bool) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if left(filepath.ToSlash(rel)) {
			return nil
		}
		if err := w.file(name+filepath.ToSlash(rel), path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// file writes one file as long as it is now, though it may be growing.
func (w *archive) file(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.entry(name, info.Size(), info.ModTime(), f)
}

func (w *archive) bytes(name string, text []byte) error {
	return w.entry(name, int64(len(text)), w.at, strings.NewReader(string(text)))
}

func (w *archive) entry(name string, size int64, at time.Time, from io.Reader) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: at.Truncate(time.Second), Typeflag: tar.TypeReg, Format: tar.FormatPAX}); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum, told{w.step}), io.LimitReader(from, size))
	if err != nil {
		return err
	}
	if n < size {
		return fmt.Errorf("%s became shorter while it was read; try again", name)
	}
	w.sums = append(w.sums, Sum{name, size, sumText(sum)})
	return nil
}

func sumText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// told tells how much goes through.
type told struct{ step func(int64) }

func (t told) Write(b []byte) (int, error) {
	t.step(int64(len(b)))
	return len(b), nil
}
