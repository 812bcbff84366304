package themes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ReadFolder reads a theme from a folder. What only its author needs is passed over, see
// passedOver.
func ReadFolder(dir string) (*Package, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("the theme's folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the theme's folder: %w", err)
	}
	defer root.Close()
	c := newCollector()
	if err := c.walk(root, ""); err != nil {
		return nil, err
	}
	return c.finish()
}

// Read reads a theme from a folder or from a zip file.
func Read(name string) (*Package, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("the theme: %w", err)
	}
	if info.IsDir() {
		return ReadFolder(name)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is neither a folder nor a zip file", name)
	}
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, fmt.Errorf("the theme: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxZip+1))
	if err != nil {
		return nil, fmt.Errorf("the theme: %w", err)
	}
	return ReadZip(data)
}

// walk reads the folder root, which the theme calls dir. Each entry is looked at, opened
// and looked at again: somebody may swap it for a link meanwhile.
func (c *collector) walk(root *os.Root, dir string) error {
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	// One more than the limit: an endless folder is not read to its end.
	list, err := folder.ReadDir(MaxEntries + 1)
	if err = errors.Join(ignoreEOF(err), folder.Close()); err != nil {
		return wrong(dir, "cannot be read: %v", err)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range list {
		if err := c.entry(); err != nil {
			return err
		}
		if passedOver(e.Name()) {
			continue
		}
		if err := c.visit(root, e.Name(), path.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (c *collector) visit(root *os.Root, base, name string) error {
	seen, err := root.Lstat(base)
	if err != nil {
		return wrong(name, "cannot be read: %v", err)
	}
	switch {
	case seen.IsDir():
		if err := c.folder(name); err != nil {
			return err
		}
		sub, err := root.OpenRoot(base)
		if err != nil {
			return wrong(name, "cannot be read: %v", err)
		}
		defer sub.Close()
		now, err := sub.Stat(".")
		if err != nil || !os.SameFile(seen, now) {
			return wrong(name, "was changed while it was read")
		}
		return c.walk(sub, name)
	case !seen.Mode().IsRegular():
		return wrong(name, "is a %s; a theme has only files and folders", modeName(seen.Mode()))
	case seen.Size() > int64(c.left()):
		return tooLarge(name)
	}
	// Not blocking: a pipe that was put in its place would wait for ever.
	file, err := root.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return wrong(name, "cannot be read: %v", err)
	}
	defer file.Close()
	now, err := file.Stat()
	if err != nil || !os.SameFile(seen, now) || !now.Mode().IsRegular() {
		return wrong(name, "was changed while it was read")
	}
	data, err := readAtMost(file, c.left())
	switch {
	case errors.Is(err, errLimit):
		return tooLarge(name)
	case err != nil:
		return wrong(name, "cannot be read: %v", err)
	}
	return c.add(name, data)
}

var errLimit = errors.New("larger than allowed")

// readAtMost reads everything, and fails with errLimit beyond most bytes.
func readAtMost(r io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, errLimit
	}
	return data, nil
}

func modeName(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
