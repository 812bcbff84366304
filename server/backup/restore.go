package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"squelch/server/filelock"
	"squelch/server/store"
)

// ErrNoBackup is the beginning of every error about a file that is no whole backup.
var ErrNoBackup = errors.New("this is no whole backup of Squelch")

func noBackup(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoBackup, fmt.Sprintf(format, args...))
}

// Check reads a whole backup and compares every file with its sum. It writes nothing.
func Check(ctx context.Context, file string) (Contents, error) {
	f, err := os.Open(file)
	if err != nil {
		return Contents{}, err
	}
	defer f.Close()
	return CheckFrom(ctx, f)
}

// CheckFrom is Check of a file that is open.
func CheckFrom(ctx context.Context, backup io.Reader) (Contents, error) {
	return read(ctx, backup, func(string, int64) (io.WriteCloser, error) { return nothing{io.Discard}, nil })
}

// Restore makes the data folder data from a backup; it must be empty or missing. The
// files of the configuration go to the folder config, which must not have them; "": they are
// left in the backup. After an error nothing is left of what was written.
func Restore(ctx context.Context, backup io.Reader, data, config string) (c Contents, err error) {
	if err := store.Vacant(data); err != nil {
		return c, err
	}
	t := target{data: filepath.Clean(data), config: config}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.remove())
		}
	}()
	if c, err = read(ctx, backup, t.open); err != nil {
		return c, err
	}
	if t.marker == nil {
		return c, noBackup("it has no %s", dataPart+store.MarkerFile)
	}
	if err := syncFolders(t.data); err != nil {
		return c, err
	}
	if err := t.mark(); err != nil {
		return c, err
	}
	return c, store.Sealed(t.data)
}

// target is what a restore writes.
type target struct {
	data, config string
	made         []string // files and folders to remove after an error, the outermost first
	marker       *held
}

// held is a file that is written last.
type held struct{ text strings.Builder }

func (h *held) Write(b []byte) (int, error) { return h.text.Write(b) }
func (h *held) Close() error                { return nil }

type nothing struct{ io.Writer }

func (nothing) Close() error { return nil }

// open makes a file of the backup.
func (t *target) open(name string, size int64) (io.WriteCloser, error) {
	if base, is := strings.CutPrefix(name, configPart); is {
		if t.config == "" {
			return nothing{io.Discard}, nil
		}
		return t.make(t.config, base)
	}
	inside, is := strings.CutPrefix(name, dataPart)
	switch {
	case !is:
		return nothing{io.Discard}, nil
	case inside == store.MarkerFile:
		if size > maxHead {
			return nil, noBackup("%s has %d bytes", name, size)
		}
		t.marker = &held{}
		return t.marker, nil
	}
	return t.make(t.data, inside)
}

func (t *target) make(folder, name string) (io.WriteCloser, error) {
	at := filepath.Join(folder, filepath.FromSlash(name))
	if err := t.folders(filepath.Dir(at)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	t.made = append(t.made, at)
	return synced{f}, nil
}

// synced is on the disk when it is closed.
type synced struct{ *os.File }

func (s synced) Close() error { return errors.Join(s.Sync(), s.File.Close()) }

// folders makes a folder and those around it, and notes which are new.
func (t *target) folders(folder string) error {
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if up := filepath.Dir(folder); up != folder {
		if err := t.folders(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	t.made = append(t.made, folder)
	return nil
}

// mark makes the folder a data folder.
func (t *target) mark() error {
	w, err := t.make(t.data, store.MarkerFile)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, t.marker.text.String())
	return errors.Join(err, w.Close(), filelock.SyncFolder(t.data))
}

func (t *target) remove() (err error) {
	for _, at := range slices.Backward(t.made) {
		err = errors.Join(err, os.Remove(at))
	}
	return err
}

// syncFolders puts the names of files on the disk.
func syncFolders(root string) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return filelock.SyncFolder(path)
	})
}

// read goes through a backup. open gives where a file goes.
func read(ctx context.Context, from io.Reader, open func(name string, size int64) (io.WriteCloser, error)) (c Contents, err error) {
	zipped, err := gzip.NewReader(bufio.NewReaderSize(from, 1<<20))
	if err != nil {
		return c, noBackup("it is not compressed as one (%v)", err)
	}
	archive := tar.NewReader(zipped)
	var found []Sum
	seen := map[string]bool{}
	for {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return c, noBackup("it has no %s, so it was cut off", sumsName)
		case err != nil:
			return c, noBackup("it cannot be read: %v", err)
		case h.Typeflag != tar.TypeReg || !local(h.Name) || seen[h.Name] || h.Size < 0:
			return c, noBackup("%.100q has no business in one", h.Name)
		case len(found) >= maxEntries:
			return c, noBackup("it has more than %d files", maxEntries)
		case len(found) == 0 && h.Name != headName:
			return c, noBackup("it does not begin with %s", headName)
		}
		if h.Name == sumsName {
			if err := compare(archive, h.Size, found); err != nil {
				return c, err
			}
			return c, drained(archive, zipped)
		}
		seen[h.Name] = true
		sum := sha256.New()
		var to io.WriteCloser = nothing{io.Discard}
		var head strings.Builder
		switch {
		case h.Name == headName && h.Size > maxHead:
			return c, noBackup("%s has %d bytes", headName, h.Size)
		case h.Name == headName:
			to = nothing{&head}
		default:
			if to, err = open(h.Name, h.Size); err != nil {
				return c, err
			}
		}
		n, err := io.Copy(io.MultiWriter(to, sum), archive)
		if closed := to.Close(); err == nil && closed != nil {
			return c, closed
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader):
			return c, noBackup("it was cut off or garbled in %s", h.Name)
		case err != nil:
			return c, err
		}
		if h.Name == headName {
			if err := json.Unmarshal([]byte(head.String()), &c.Head); err != nil || c.Version < 1 {
				return c, noBackup("%s is garbled", headName)
			}
			if c.Version > version {
				return c, noBackup("it has version %d of the format; this program knows version %d: use a newer Squelch", c.Version, version)
			}
		}
		if base, is := strings.CutPrefix(h.Name, configPart); is {
			c.Config = append(c.Config, base)
		}
		found = append(found, Sum{h.Name, n, sumText(sum)})
		c.Files, c.Bytes = c.Files+1, c.Bytes+n
	}
}

// local says whether a name stays below the folder, and is written as Create writes it.
func local(name string) bool {
	if name == headName || name == sumsName {
		return true
	}
	below := strings.HasPrefix(name, dataPart)
	if !below && (!strings.HasPrefix(name, configPart) || strings.Count(name, "/") != 1) {
		return false
	}
	return name == path.Clean(name) && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\\x00")
}

// compare holds what was read against the sums.
func compare(from io.Reader, size int64, found []Sum) error {
	if size > maxSums {
		return noBackup("%s has %d bytes", sumsName, size)
	}
	var sums []Sum
	if err := json.NewDecoder(io.LimitReader(from, size)).Decode(&sums); err != nil {
		return noBackup("%s is garbled", sumsName)
	}
	if len(sums) != len(found) {
		return noBackup("it has %d files, and should have %d", len(found), len(sums))
	}
	for i, sum := range sums {
		if found[i] != sum {
			return noBackup("%s is not as it was when the backup was made", found[i].Name)
		}
	}
	return nil
}

// drained reads to the end, where gzip has its checksum. Nothing may follow the sums.
func drained(archive *tar.Reader, zipped io.Reader) error {
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return noBackup("something follows %s, or its end is garbled", sumsName)
	}
	if _, err := io.Copy(io.Discard, zipped); err != nil {
		return noBackup("its end is garbled: %v", err)
	}
	return nil
}
