package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"squelch/core"
)

// Market is the index of a marketplace: a folder of themes on a web server.
type Market struct {
	Squelch int     `json:"squelch"` // the format, 1
	Themes  []Offer `json:"themes"`
}

// Offer is a theme of a marketplace.
type Offer struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Author      string `json:"author"`
	Description string `json:"description"`
	Version     string `json:"version"`
	HasJS       bool   `json:"hasJs"`
	Zip         string `json:"zip"`    // the file beside the index
	SHA256      string `json:"sha256"` // of the zip, in hex
	Bytes       int    `json:"bytes"`  // of the zip
	Picture     string `json:"picture,omitempty"`
}

const marketFormat = 1

var (
	hashForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	zipForm     = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._+@-]{0,99}\.zip$`)
	pictureForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._+@-]{0,99}\.(png|jpg|jpeg|gif|webp|avif)$`)
)

// ParseMarket reads the index of a marketplace, which anybody may have written. Fields
// that it does not know are passed over: the index may be newer than this program.
func ParseMarket(data []byte) (*Market, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("the marketplace's index "+format, args...)
	}
	if len(data) > MaxMarket {
		return nil, wrong("has more than %d bytes, which is the limit", MaxMarket)
	}
	var head struct {
		Squelch int               `json:"squelch"`
		Themes  []json.RawMessage `json:"themes"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&head); err != nil {
		return nil, wrong("is not valid: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong("has something after its end")
	}
	if head.Squelch != marketFormat {
		return nil, wrong("has squelch: %d; this program knows squelch: %d", head.Squelch, marketFormat)
	}
	if len(head.Themes) > MaxOffers {
		return nil, wrong("has %d themes; the limit is %d", len(head.Themes), MaxOffers)
	}
	m := &Market{Squelch: marketFormat, Themes: []Offer{}}
	for i, raw := range head.Themes {
		var o Offer
		err := json.Unmarshal(raw, &o)
		if err == nil {
			err = o.check()
		}
		if err == nil && slices.ContainsFunc(m.Themes, func(other Offer) bool { return other.Slug == o.Slug }) {
			err = fmt.Errorf("slug %q is there twice", o.Slug)
		}
		if err != nil {
			return nil, wrong("has a mistake in themes[%d]: %w", i, err)
		}
		m.Themes = append(m.Themes, o)
	}
	return m, nil
}

func (o *Offer) check() error {
	for _, f := range []struct {
		name        string
		text        *string
		least, most int
	}{{"name", &o.Name, 1, maxName}, {"author", &o.Author, 1, maxName}, {"version", &o.Version, 1, maxVersion}, {"description", &o.Description, 0, maxAbout}} {
		text, err := core.Line(f.name, *f.text, f.least, f.most)
		if err != nil {
			return err
		}
		*f.text = text
	}
	switch {
	case !ValidSlug(o.Slug):
		return fmt.Errorf("slug is %q; it must be 1 to 40 of a-z, 0-9, _ and -", o.Slug)
	case !zipForm.MatchString(o.Zip):
		return fmt.Errorf("zip is %q; it must be the name of a .zip file beside the index, such as %s", o.Zip, zipName(o.Slug, o.Version))
	case o.Picture != "" && !pictureForm.MatchString(o.Picture):
		return fmt.Errorf("picture is %q; it must be the name of a picture beside the index, such as %s.png", o.Picture, o.Slug)
	case !hashForm.MatchString(o.SHA256):
		return fmt.Errorf("sha256 is %q; it must be the 64 hex digits of the zip's SHA-256", o.SHA256)
	case o.Bytes < 1 || o.Bytes > MaxZip:
		return fmt.Errorf("bytes is %d; a zip has 1 to %d", o.Bytes, MaxZip)
	}
	return nil
}

// Find is the offer with this slug, nil: there is none.
func (m *Market) Find(slug string) *Offer {
	if i := slices.IndexFunc(m.Themes, func(o Offer) bool { return o.Slug == slug }); i >= 0 {
		return &m.Themes[i]
	}
	return nil
}

// Read reads the zip that was fetched for an offer. It is the one that the index
// promises, or an error.
func (o *Offer) Read(data []byte) (*Package, error) {
	if got := hexOf(data); len(data) != o.Bytes || got != o.SHA256 {
		return nil, fmt.Errorf("%s is not the file that the marketplace's index promises: it has %d bytes and the SHA-256 %s, not %d and %s",
			o.Zip, len(data), got, o.Bytes, o.SHA256)
	}
	p, err := ReadZip(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Zip, err)
	}
	if p.Manifest.Slug != o.Slug || p.Manifest.Version != o.Version || (p.Script != nil) != o.HasJS {
		return nil, fmt.Errorf("%s is %s %s (script: %t), and the marketplace's index promises %s %s (script: %t)",
			o.Zip, p.Manifest.Slug, p.Manifest.Version, p.Script != nil, o.Slug, o.Version, o.HasJS)
	}
	return p, nil
}

func zipName(slug, version string) string {
	version = strings.Map(func(r rune) rune {
		if nameLetter(r) {
			return r
		}
		return '-'
	}, version)
	return slug + "-" + version + ".zip"
}

// WriteMarket makes a marketplace in the folder dir: the index, and beside it the zip
// and the picture of each theme. The index is written last, so that it never promises
// what is not there.
func WriteMarket(dir string, packages []*Package) (*Market, error) {
	m := &Market{Squelch: marketFormat, Themes: []Offer{}}
	files := map[string][]byte{}
	for _, p := range packages {
		zip := p.Pack()
		o := Offer{Slug: p.Manifest.Slug, Name: p.Manifest.Name, Author: p.Manifest.Author, Description: p.Manifest.Description,
			Version: p.Manifest.Version, HasJS: p.Script != nil, Zip: zipName(p.Manifest.Slug, p.Manifest.Version), SHA256: hexOf(zip), Bytes: len(zip)}
		if files[o.Zip] != nil { // "a" of version "1-b", and "a-1" of version "b"
			o.Zip = zipName(o.Slug, o.SHA256[:16])
		}
		files[o.Zip] = zip
		if p.Picture != "" {
			o.Picture = o.Slug + path.Ext(p.Picture)
			files[o.Picture] = p.Files[p.Picture]
		}
		if other := m.Find(o.Slug); other != nil {
			return nil, fmt.Errorf("two themes have the slug %q; give one of them another slug", o.Slug)
		}
		m.Themes = append(m.Themes, o)
	}
	slices.SortFunc(m.Themes, func(a, b Offer) int { return strings.Compare(a.Slug, b.Slug) })
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	if _, err := ParseMarket(data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the marketplace's folder: %w", err)
	}
	write := func(name string, data []byte) error {
		temp := filepath.Join(dir, name+".new")
		if err := os.WriteFile(temp, data, 0o644); err != nil {
			return errors.Join(err, os.Remove(temp))
		}
		return os.Rename(temp, filepath.Join(dir, name))
	}
	for _, name := range sortedNames(files) {
		if err := write(name, files[name]); err != nil {
			return nil, fmt.Errorf("the marketplace's folder: %w", err)
		}
	}
	if err := write(indexFile, append(data, '\n')); err != nil {
		return nil, fmt.Errorf("the marketplace's folder: %w", err)
	}
	return m, nil
}
