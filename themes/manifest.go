package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"squelch/core"
)

// Files of a theme with a meaning of their own.
const (
	ManifestFile = "theme.json"
	TestFile     = "theme.test.js" // for the author; never installed or served
	RunFile      = "_run.js"       // the script as the panel loads it
)

// Manifest is a theme's theme.json.
type Manifest struct {
	Name        string `json:"name"`
	Slug        string `json:"slug"`
	Version     string `json:"version"`
	Author      string `json:"author"`
	Description string `json:"description"`
	CSS         string `json:"css"`
	JS          string `json:"js,omitempty"` // "": the theme has no script
}

var slugForm = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

// ValidSlug tells whether a theme can have this slug.
func ValidSlug(slug string) bool { return slugForm.MatchString(slug) }

var manifestFields = []string{"name", "slug", "version", "author", "description", "css", "js"}

// ignoredFields may be in a manifest for other programs.
var ignoredFields = []string{"$schema", "license", "homepage"}

// readManifest reads theme.json. Every mistake is in the error.
func readManifest(data []byte) (Manifest, error) {
	wrong := func(format string, args ...any) error {
		return &Wrong{Entry: ManifestFile, Why: fmt.Errorf(format, args...).Error()}
	}
	var m Manifest
	if len(data) > maxManifest {
		return m, wrong("has %d bytes; the limit is %d", len(data), maxManifest)
	}
	if !utf8.Valid(data) {
		return m, wrong("is not UTF-8 text")
	}
	fields, err := fieldsOf(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return m, wrong("%w", err)
	}
	var all []error
	for _, f := range fields {
		if !slices.Contains(manifestFields, f.name) && !slices.Contains(ignoredFields, f.name) {
			all = append(all, wrong("has the unknown field %q%s", f.name, near(f.name, manifestFields)))
		}
	}
	text := func(name string, most int, to *string) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			all = append(all, wrong("%s is missing", name))
			return
		}
		var s string
		if err := json.Unmarshal(fields[i].value, &s); err != nil {
			all = append(all, wrong("%s must be a text in quotation marks", name))
			return
		}
		least := 1
		if name == "description" {
			least = 0
		}
		s, err := core.Line(name, s, least, most)
		if err != nil {
			all = append(all, wrong("%w", err))
			return
		}
		*to = s
	}
	text("name", maxName, &m.Name)
	text("slug", 40, &m.Slug)
	text("version", maxVersion, &m.Version)
	text("author", maxName, &m.Author)
	text("description", maxAbout, &m.Description)
	text("css", maxPath, &m.CSS)
	if slices.ContainsFunc(fields, func(f field) bool { return f.name == "js" && string(f.value) != "null" }) {
		text("js", maxPath, &m.JS)
	}
	if m.Slug != "" && !ValidSlug(m.Slug) {
		all = append(all, wrong("slug is %q; it must be 1 to 40 of a-z, 0-9, _ and -, such as %q", m.Slug, SlugOf(m.Slug)))
	}
	if m.CSS != "" && path.Ext(m.CSS) != ".css" {
		all = append(all, wrong("css is %q; it must name a .css file, such as style.css", m.CSS))
	}
	if m.JS != "" && path.Ext(m.JS) != ".js" {
		all = append(all, wrong("js is %q; it must name a .js file, such as theme.js", m.JS))
	}
	if m.JS == TestFile {
		all = append(all, wrong("js is %s, which is the theme's test and never installed; name the script, such as theme.js", TestFile))
	}
	return m, errors.Join(all...)
}

type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf reads one JSON object strictly: names are compared exactly, and none is
// there twice, so that all readers see the same.
func fieldsOf(data []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("must be a JSON object: {…}")
	}
	var all []field
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("is not valid JSON: %w", err)
		}
		f := field{name: t.(string)}
		if err := d.Decode(&f.value); err != nil {
			return nil, fmt.Errorf("is not valid JSON: %w", err)
		}
		if slices.ContainsFunc(all, func(o field) bool { return o.name == f.name }) {
			return nil, fmt.Errorf("has the field %q twice", f.name)
		}
		all = append(all, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("is not valid JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("has something after its closing brace")
	}
	return all, nil
}

// SlugOf makes the nearest valid slug of a text: runs of other characters become a dash.
func SlugOf(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
	})
	s := strings.Join(words, "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	if s == "" {
		return "my-theme"
	}
	return s
}
