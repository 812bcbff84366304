package themes

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestHostileZips(t *testing.T) {
	for _, h := range hostileZips() {
		t.Run(h.name, h.test)
	}
}

// TestRead reads the same theme from everything that it can come in.
func TestRead(t *testing.T) {
	wrapped := map[string]string{}
	for name, data := range good("night") {
		wrapped["night-1.0/"+name] = data
	}
	extras := []string{".git/config", "x", "squelch-theme.d.ts", "x", "img/.DS_Store", "x", "Thumbs.db", "x", "img/Desktop.ini", "x",
		"__MACOSX/._theme.js", "x", "__MACOSX/img/._my picture.png", "x"}
	folder := folderOf(t, with(good("night"), extras...))
	wrappedExtras := with(wrapped, "night-1.0/squelch-theme.d.ts", "x", "night-1.0/.DS_Store", "x", "__MACOSX/night-1.0/._theme.json", "x", "Thumbs.db", "x", ".DS_Store", "x")
	file := filepath.Join(t.TempDir(), "night.zip")
	if err := os.WriteFile(file, zipOf(good("night")), 0o644); err != nil {
		t.Fatal(err)
	}
	entries := append([]entry{{name: "img/"}}, entriesOf(good("night"))...)
	for name, from := range map[string]func() (*Package, error){
		"folder":            func() (*Package, error) { return Read(folder) },
		"zip":               func() (*Package, error) { return Read(file) },
		"zip with a folder": func() (*Package, error) { return ReadZip(zipOf(wrapped)) },
		"zip with extras":   func() (*Package, error) { return ReadZip(zipOf(with(good("night"), extras...))) },
		"zip with a folder and extras": func() (*Package, error) {
			return ReadZip(zipEntries(append(entriesOf(wrappedExtras), entry{name: "__MACOSX/"}, entry{name: "night-1.0/.git/"})...))
		},
		"zip with folders": func() (*Package, error) { return ReadZip(zipEntries(entries...)) },
		"file system":      func() (*Package, error) { return readFS(os.DirFS(folderOf(t, good("night")))) },
	} {
		p, err := from()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Manifest != (Manifest{"Night night", "night", "1.0", "Ana", "Dark.", "style.css", "theme.js"}) {
			t.Errorf("%s: the manifest is %+v", name, p.Manifest)
		}
		want := []string{"LICENSE", "img/bg.png", "preview.png", "style.css", "theme.js", "theme.json"}
		if got := slices.Sorted(maps.Keys(p.Files)); !slices.Equal(got, want) {
			t.Errorf("%s: the files are %q", name, got)
		}
		if p.Picture != "preview.png" || string(p.Script) != good("")["theme.js"] || string(p.Test) != good("")["theme.test.js"] || len(p.Removed) > 0 {
			t.Errorf("%s: picture %q, script %q, test %q, removed %v", name, p.Picture, p.Script, p.Test, p.Removed)
		}
		again, err := ReadZip(p.Pack())
		if err != nil || again.Build() != p.Build() || !bytes.Equal(again.Test, p.Test) || !bytes.Equal(again.Pack(), p.Pack()) {
			t.Errorf("%s: packed and read again: %v", name, err)
		}
	}
}

func TestReadFails(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
	if _, err := ReadFolder(filepath.Join(folderOf(t, good("night")), "theme.js")); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a file as folder: %v", err)
	}
	large := with(good("night"), "x.txt", strings.Repeat("x", MaxBytes))
	if _, err := ReadFolder(folderOf(t, large)); err == nil || !strings.Contains(err.Error(), "x.txt: with it the theme has more than") {
		t.Errorf("a folder that is too large: %v", err)
	}
	many := good("night")
	for i := range MaxEntries {
		many[strings.Repeat("a", i%50+1)+strings.Repeat("b", i/50+1)+".txt"] = "x"
	}
	if _, err := ReadFolder(folderOf(t, many)); err == nil || !strings.Contains(err.Error(), "more than 200 files and folders") {
		t.Errorf("too many files: %v", err)
	}
	for name, says := range map[string]string{"x.html": "not a type of file", "my picture.png": "has ' '", "_x.txt": `begins with "_"`} {
		if _, err := ReadFolder(folderOf(t, with(good("night"), name, "x"))); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadLinks(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"x.txt": secret, "img/x.txt": "../LICENSE", "more": filepath.Dir(secret), "dangling.txt": "nowhere"} {
		dir := folderOf(t, good("night"))
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			if runtime.GOOS == "windows" {
				return // it takes a right that few have
			}
			t.Fatal(err)
		}
		if p, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), name+": is a link") {
			t.Errorf("a link %s to %s: %+v, %v", name, target, p, err)
		}
	}
}

// TestReadSwapped swaps a file for a link to a secret, and a folder for a link, again and
// again while the theme is read: the secret never gets into it.
func TestReadSwapped(t *testing.T) {
	outside := folderOf(t, map[string]string{"bg.png": pngHead + "secret"})
	dir := folderOf(t, good("night"))
	img := filepath.Join(dir, "img")
	if err := os.Symlink(outside, filepath.Join(outside, "link")); err != nil {
		if runtime.GOOS == "windows" {
			return // it takes a right that few have
		}
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(img, img+".d.ts") // a name that is passed over
			_ = os.Symlink(outside, img)
			_ = os.Remove(img)
			_ = os.Rename(img+".d.ts", img)
		}
	}()
	refused := 0
	for range 2000 {
		p, err := ReadFolder(dir)
		if err != nil {
			refused++
			continue
		}
		for name, data := range p.Files {
			if bytes.Contains(data, []byte("secret")) {
				t.Fatalf("%s has the secret", name)
			}
		}
	}
	close(stop)
	<-done
	t.Logf("%d of 2000 readings were refused", refused)
}

func TestSlugOf(t *testing.T) {
	for text, want := range map[string]string{
		"Blue hour": "blue-hour", "Ünïcode/../x": "n-code-x", "--a  --b--": "a-b", "night_2": "night_2", "…": "my-theme",
		strings.Repeat("x", 39) + " yes": strings.Repeat("x", 39),
	} {
		if got := SlugOf(text); got != want || !ValidSlug(got) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestManifest(t *testing.T) {
	for text, says := range map[string]string{
		``:                        "must be a JSON object",
		`[]`:                      "must be a JSON object",
		`{} x`:                    "something after its closing brace",
		`{"name": 1`:              "is not valid JSON",
		`{"a":1,"a":1}`:           `has the field "a" twice`,
		`{"name":"x","Name":"y"}`: `has the unknown field "Name"; did you mean "name"?`,
		`{"auhtor":"x"}`:          `did you mean "author"?`,
		`{"name":"x"}`:            "slug is missing",
		`{"name":1}`:              "name must be a text",
		`{"name":null}`:           "name must not be empty",
		`{"name":"a\u0000b"}`:     "name",
		`{"name":"` + strings.Repeat("x", 61) + `"}`: "longer than 60",
		`{"slug":"My Theme"}`:                        `such as "my-theme"`,
		`{"slug":"../x"}`:                            "slug is",
		`{"css":"x.txt"}`:                            "must name a .css file",
		`{"js":"x.mjs"}`:                             "must name a .js file",
		`{"js":"theme.test.js"}`:                     "which is the theme's test",
		`{"css":5}`:                                  "css must be a text",
		"\xff":                                       "is not UTF-8",
		strings.Repeat(" ", maxManifest+1):           "the limit is",
	} {
		if _, err := readManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: the error is %v; it must say %q", text, err, says)
		}
	}
	m, err := readManifest([]byte("\ufeff" + `{"$schema":"x","license":"MIT","name":" N ","slug":"n","version":"1","author":"A","description":"","css":"a.css","js":null}`))
	if err != nil || m != (Manifest{Name: "N", Slug: "n", Version: "1", Author: "A", CSS: "a.css"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestSVG(t *testing.T) {
	for _, good := range []string{
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>`,
		`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg/>`,
		`<svg><style>a{fill:url(#g)}</style><path style="fill:red" fill="url(#g)" d="M0 0"/><image href="data:image/png;base64,AA"/></svg>`,
		`<svg><animate attributeName="opacity" to="0"/></svg>`,
	} {
		if err := checkSVG([]byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, says := range map[string]string{
		`<svg><SCRIPT/></svg>`: "has <script>",
		`<svg xmlns:s="http://www.w3.org/2000/svg"><s:script/></svg>`: "has <script>",
		`<svg onload="x"/>`:                                   "onload=…, which is a script",
		`<svg><foreignObject/></svg>`:                         "has <foreignobject>",
		`<svg><image href="https://evil.example"/></svg>`:     "leads out of the picture",
		`<svg><use xlink:href="other.svg#a"/></svg>`:          "leads out of the picture",
		`<svg><a href="java&#10;script:x"/></svg>`:            "leads out of the picture",
		`<svg><a href=" &#9;//evil.example"/></svg>`:          "leads out of the picture",
		`<svg><image href="data:text/html,x"/></svg>`:         "leads out of the picture",
		`<svg><set attributeName="xlink:href" to="x"/></svg>`: "changes xlink:href",
		`<svg><set attributeName="onclick" to="x"/></svg>`:    "changes onclick",
		`<svg><style>@import "x";</style></svg>`:              "@import",
		`<svg><style>a{b:url(//evil.example)}</style></svg>`:  "outside the theme",
		`<svg style="fill:url(https://evil.example)"/>`:       "outside the theme",
		`<svg fill="url(https://evil.example)"/>`:             "outside the theme",
		`<svg fill="u\72l(https://evil.example)"/>`:           "hides its name",
		`<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>`:      "has a declaration",
		`<svg>&x;</svg>`:                         "is not valid XML",
		`<?xml-stylesheet href="x"?><svg/>`:      "has <?xml-stylesheet",
		`<svg xml:base="https://evil.example"/>`: "has xml:base",
		`<html/>`:                                "is not an SVG",
		``:                                       "is not an SVG",
		"\xff":                                   "is not UTF-8",
	} {
		if err := checkSVG([]byte(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v; it must say %q", bad, err, says)
		}
	}
}
