package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed files
var embedded embed.FS

// file is one of an archive or package: its text, or the path of one on disk.
type file struct {
	name string // relative, with slashes
	text []byte
	path string // instead of text
	exec bool
	dir  bool // an empty folder that only its owner enters
}

func (f file) mode() int64 {
	if f.exec {
		return 0o755
	}
	return 0o644
}

func (f file) read() ([]byte, error) {
	if f.path != "" {
		return os.ReadFile(f.path)
	}
	return f.text, nil
}

// own is a file of the folder "files", with the version put in.
func (r *release) own(name, as string) file {
	text, err := embedded.ReadFile("files/" + name)
	if err != nil {
		panic(err) // the names are written in this program
	}
	return file{name: as, text: []byte(strings.ReplaceAll(string(text), "@VERSION@", r.version))}
}

// examples are a configuration and permissions to start from.
func (r *release) examples() []file {
	return []file{
		{name: "config.example.lua", path: filepath.Join(r.source, "server/config/default.lua")},
		r.own("permissions.example.cfg", "permissions.example.cfg"),
	}
}

// archive writes the .tar.gz, or .zip for Windows, of a target.
func (r *release) archive(t target, about []file) error {
	files := slices.Concat([]file{{name: t.program(), path: r.programs[t], exec: true}, r.own("INSTALL.md", "INSTALL.md")},
		about, r.examples(), r.manual)
	if t.os == "linux" {
		files = append(files, r.own("squelch.service", "squelch.service"), r.own("squelch.default", "squelch.default"))
	}
	folder := folderName(r.version, t)
	if t.os == "windows" {
		return r.write(r.name(t, ".zip"), func(w io.Writer) error { return writeZip(w, folder, files, r.time) })
	}
	return r.write(r.name(t, ".tar.gz"), func(w io.Writer) error { return writeTar(w, folder, files, r.time) })
}

// write makes a file of the release and tells its size.
func (r *release) write(name string, fill func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.progress("  %s, %.1f MB", filepath.Base(name), float64(info.Size())/1e6)
	return f.Close()
}

func sorted(files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files
}

// writeTar writes a gzipped archive that depends on nothing but its files and the time.
func writeTar(w io.Writer, folder string, files []file, at time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	seen := map[string]bool{".": true, "": true}
	var enter func(dir string) error
	enter = func(dir string) error {
		if seen[dir] {
			return nil
		}
		seen[dir] = true
		if err := enter(path.Dir(dir)); err != nil {
			return err
		}
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: at, Format: tar.FormatUSTAR})
	}
	for _, f := range sorted(files) {
		name := path.Join(folder, f.name)
		if err := enter(path.Dir(name)); err != nil {
			return err
		}
		if f.dir {
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o700, ModTime: at, Format: tar.FormatUSTAR}); err != nil {
				return err
			}
			continue
		}
		text, err := f.read()
		if err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: f.mode(), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(text); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range sorted(files) {
		text, err := f.read()
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode()))
		in, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := in.Write(text); err != nil {
			return err
		}
	}
	return z.Close()
}

const sumsFile = "SHA256SUMS"

// sums writes SHA256SUMS, which sha256sum -c reads.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		f, err := os.Open(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, f)
		f.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", hash.Sum(nil), e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, sumsFile), []byte(list.String()), 0o644)
}
