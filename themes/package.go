package themes

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Package is a theme that was read and checked, and is not installed yet.
type Package struct {
	Manifest Manifest
	// Files is what is installed, by name: the manifest, the stylesheets after Sanitise,
	// the script exactly as it came, pictures, fonts, sounds and texts.
	Files map[string][]byte
	// Script is the source, nil: the theme has none.
	Script []byte
	// Test is the theme's own test, nil: it has none. It is not installed.
	Test []byte
	// Picture is the file that lists show, "": none.
	Picture string
	// Removed is what Sanitise took out of the stylesheets.
	Removed []Removal
}

// ScriptSHA256 is the hex of the script's hash, "" without a script.
func (p *Package) ScriptSHA256() string {
	if p.Script == nil {
		return ""
	}
	return hexOf(p.Script)
}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Build names exactly these files: 16 hex digits of the SHA-256 over all of them.
func (p *Package) Build() string {
	return buildOf(filesOf(p.Files))
}

// File is a file of a theme.
type File struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// filesOf lists files by name.
func filesOf(files map[string][]byte) []File {
	var all []File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, File{Name: name, Bytes: len(files[name]), SHA256: hexOf(files[name])})
	}
	return all
}

func buildOf(files []File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", f.Name, f.Bytes, f.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// packed is when every file of a zip was changed: the earliest time that a zip can
// have, so that the same files give the same bytes.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Pack makes the theme's zip. The same theme gives the same bytes.
func (p *Package) Pack() []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	files := p.Files
	if p.Test != nil {
		files = maps.Clone(files)
		files[TestFile] = p.Test
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		method := zip.Deflate
		if k := kinds[path.Ext(name)]; k.packed {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: packed})
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			panic("themes: writing a zip into memory: " + err.Error()) // bytes.Buffer does not fail
		}
	}
	if err := w.Close(); err != nil {
		panic("themes: writing a zip into memory: " + err.Error())
	}
	return out.Bytes()
}

// pictureOf is the file that lists show: the preview, in a form that is no program.
func pictureOf(files map[string][]byte) string {
	for _, ext := range []string{".png", ".webp", ".jpg", ".jpeg", ".avif", ".gif"} {
		if files["preview"+ext] != nil {
			return "preview" + ext
		}
	}
	return ""
}

func isScript(name string) bool {
	return strings.HasSuffix(name, ".js")
}

func sortedNames[T any](files map[string]T) []string { return slices.Sorted(maps.Keys(files)) }
