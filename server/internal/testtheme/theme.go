// Package testtheme makes themes and marketplaces for tests.
package testtheme

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"squelch/themes"
)

// Zip packs files.
func Zip(files map[string]string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(files[name]))
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// PNG is a picture, of one pixel.
const PNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

// Files are those of a theme; without a script it has none.
func Files(slug, version, script string) map[string]string {
	m := themes.Manifest{Name: "Theme " + slug, Slug: slug, Version: version, Author: "Ana", Description: "For tests", CSS: "style.css"}
	files := map[string]string{"style.css": ":root { --sq-bg: #123456 }", "preview.png": PNG}
	if script != "" {
		m.JS = "theme.js"
		files["theme.js"] = script
	}
	manifest, _ := json.Marshal(m) // strings are always JSON
	files["theme.json"] = string(manifest)
	return files
}

// New is a theme's zip; without a script it has none.
func New(slug, version, script string) []byte {
	return Zip(Files(slug, version, script))
}

// Sum is a SHA-256 in hex.
func Sum(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// Site is a web server over TLS. Its files may be changed at any time.
type Site struct {
	*httptest.Server
	Roots *x509.CertPool // trust it

	mu    sync.Mutex
	files map[string][]byte
	asked map[string]int
}

// NewSite starts a web server without files.
func NewSite(t testing.TB) *Site {
	t.Helper()
	s := &Site{Roots: x509.NewCertPool(), files: map[string][]byte{}, asked: map[string]int{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	s.Roots.AddCert(s.Certificate())
	t.Cleanup(s.Close)
	return s
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, there := s.files[r.URL.Path]
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	if !there {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

// Index is the address of its index.
func (s *Site) Index() string { return s.URL + "/index.json" }

// Put puts a file there.
func (s *Site) Put(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files["/"+name] = data
}

// Asked is how often a file was asked for.
func (s *Site) Asked(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked["/"+name]
}

// Offer makes it a marketplace of these themes.
func (s *Site) Offer(t testing.TB, zips ...[]byte) *themes.Market {
	t.Helper()
	var packages []*themes.Package
	for _, data := range zips {
		p, err := themes.ReadZip(data)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	dir := t.TempDir()
	m, err := themes.WriteMarket(dir, packages)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Put(filepath.Base(name), data)
	}
	return m
}
