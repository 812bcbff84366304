package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed files/INSTALL.txt
var install []byte

//go:embed files/permissions.cfg
var permissions []byte

//go:embed files/Containerfile
var container []byte

//go:embed files/squelch.service
var unit []byte

// file is one of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// files are those of an archive, in their order.
func (r *release) files(t target, program string, parts []part) (all []file, err error) {
	read := func(name, path string, mode int64) {
		if err != nil {
			return
		}
		var data []byte
		if data, err = os.ReadFile(path); err == nil {
			all = append(all, file{name, mode, data})
		}
	}
	read(filepath.Base(program), program, 0o755)
	read("LICENSE", filepath.Join(r.root, "LICENSE"), 0o644)
	read("CHANGELOG.md", filepath.Join(r.root, "CHANGELOG.md"), 0o644)
	read("config.example.lua", filepath.Join(r.root, "server/config/default.lua"), 0o644)
	if err != nil {
		return nil, err
	}
	list, err := r.sbom(t, parts)
	if err != nil {
		return nil, err
	}
	all = append(all, file{"INSTALL.txt", 0o644, install}, file{"permissions.example.cfg", 0o644, permissions},
		file{"THIRD-PARTY-LICENSES", 0o644, notices(parts)}, file{"sbom.cdx.json", 0o644, list})
	if t.os == "linux" {
		all = append(all, file{"Containerfile", 0o644, container}, file{"squelch.service", 0o644, unit})
	}
	return all, nil
}

// name is the beginning of the names of what is made for a target.
func (r *release) name(t target) string {
	return fmt.Sprintf("squelch_%s_%s_%s", r.version, t.os, t.arch)
}

// archive writes .tar.gz, or .zip for Windows.
func (r *release) archive(t target, files []file) error {
	var out bytes.Buffer
	var err error
	path := filepath.Join(r.out, r.name(t)+".tar.gz")
	if t.os == "windows" {
		path = filepath.Join(r.out, r.name(t)+".zip")
		err = r.zip(&out, r.name(t), files)
	} else {
		err = r.tar(&out, r.name(t), files)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		return err
	}
	for _, f := range files { // beside it too, for those who look before they download
		if f.name == "sbom.cdx.json" {
			return os.WriteFile(filepath.Join(r.out, r.name(t)+".sbom.cdx.json"), f.data, 0o644)
		}
	}
	return nil
}

func (r *release) tar(w io.Writer, folder string, files []file) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: r.made, Uname: "root", Gname: "root", Format: tar.FormatPAX}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) zip(w io.Writer, folder string, files []file) error {
	out := zip.NewWriter(w)
	for _, f := range files {
		if !strings.HasSuffix(f.name, ".exe") && !strings.HasSuffix(f.name, ".json") { // for its editors
			f.data = bytes.ReplaceAll(bytes.ReplaceAll(f.data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: r.made}
		h.SetMode(os.FileMode(f.mode))
		to, err := out.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}

// checksums writes SHA256SUMS, which sha256sum --check reads.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), e.Name()))
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
