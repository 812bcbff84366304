package themes

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"strings"
)

// ReadZip reads a theme from a zip. What the zip says of sizes is not believed. What only
// its author needs is passed over, see passedOver.
func ReadZip(data []byte) (*Package, error) {
	if len(data) > MaxZip {
		return nil, wrong("", "has more than %d bytes as a zip, which is the limit", MaxZip)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, wrong("", "is not a zip that can be read: %v", err)
	}
	if len(r.File) > MaxEntries {
		return nil, wrong("", "has %d files and folders; the limit is %d", len(r.File), MaxEntries)
	}
	c := newCollector()
	for _, f := range r.File {
		if err := c.entry(); err != nil {
			return nil, err
		}
		if err := c.unpack(f); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// encrypted is the bit of a zip entry's flags.
const encrypted = 1

func (c *collector) unpack(f *zip.File) error {
	mode := f.Mode()
	name, folder := strings.CutSuffix(f.Name, "/")
	if passedOver(name) {
		return c.pass(f)
	}
	switch {
	case f.Flags&encrypted != 0:
		return wrong(f.Name, "is encrypted; a theme is a plain zip")
	case folder && mode&fs.ModeType != fs.ModeDir, !folder && mode.IsDir():
		return wrong(f.Name, "says that it is a folder, and that it is none")
	case folder:
		if f.UncompressedSize64 != 0 || f.CompressedSize64 != 0 {
			return wrong(f.Name, "is a folder with bytes of its own")
		}
		return c.folder(name)
	case mode&fs.ModeType != 0:
		return wrong(f.Name, "is a %s; a theme has only files and folders", modeName(mode))
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return wrong(f.Name, "is packed by method %d; a theme's zip has only stored (0) and deflated (8) files", f.Method)
	case f.UncompressedSize64 > uint64(c.left()):
		return tooLarge(f.Name)
	}
	// The name first: an error names the danger, not what is packed in it.
	if err := checkName(f.Name); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return wrong(f.Name, "cannot be unpacked: %v", err)
	}
	defer r.Close()
	data, err := readAtMost(r, c.left())
	switch {
	case errors.Is(err, errLimit):
		return tooLarge(f.Name)
	case err != nil:
		return wrong(f.Name, "cannot be unpacked: %v", err)
	}
	return c.add(f.Name, data)
}

// pass counts a file that is passed over. It is not unpacked, so what it says of its size
// can harm nobody.
func (c *collector) pass(f *zip.File) error {
	if f.UncompressedSize64 > uint64(c.left()) {
		return tooLarge(f.Name)
	}
	c.bytes += int(f.UncompressedSize64)
	return nil
}
