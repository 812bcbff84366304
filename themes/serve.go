package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strings"
	"time"

	"squelch/core/wire"
)

// Path is below which the themes are served.
const Path = "/themes/"

// Public is the themes that can be used, and the default: what everybody may know.
func (l *Library) Public() wire.ThemeList {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	p := wire.ThemeList{Themes: []wire.Theme{}, Broken: []wire.BrokenTheme{}, DefaultTheme: l.defaultTheme()}
	for _, i := range l.list() {
		if i.Broken == "" {
			p.Themes = append(p.Themes, i.Theme())
		}
	}
	return p
}

// Theme is the theme on the wire.
func (i Installed) Theme() wire.Theme {
	return wire.Theme{Slug: i.Slug, Name: i.Name, Version: i.Version, Author: i.Author, Description: i.Description,
		HasJS: i.HasJS, Build: i.Build, CSS: i.CSS, Picture: i.Picture, BuiltIn: i.BuiltIn}
}

// ServeHTTP answers GET /themes/index.json and GET /themes/SLUG/BUILD/FILE. It serves
// what was installed and nothing else: a file that was changed on the disk is not there.
func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a theme's files can only be read", http.StatusMethodNotAllowed)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, Path)
	if ok && rest == indexFile {
		l.serveIndex(w, r)
		return
	}
	parts := strings.SplitN(rest, "/", 3)
	if !ok || len(parts) != 3 {
		http.NotFound(w, r)
		return
	}
	data, mime := l.file(parts[0], parts[1], parts[2])
	if data == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	fence(h)
	h.Set("Content-Type", mime)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, path.Base(parts[2]), time.Time{}, bytes.NewReader(data))
}

// fence makes a file of a theme harmless when it is opened as a page of its own: it
// runs nothing, loads nothing, and is of another origin.
func fence(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}

func (l *Library) serveIndex(w http.ResponseWriter, r *http.Request) {
	list := l.Public()
	data, err := json.Marshal(struct {
		Themes       []wire.Theme `json:"themes"`
		DefaultTheme string       `json:"defaultTheme"`
	}{list.Themes, list.DefaultTheme})
	if err != nil {
		http.Error(w, "the list of themes cannot be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	fence(h)
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hexOf(data)[:16]+`"`)
	http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(data))
}

// file is a file of a theme as it was installed, and its type; nil: there is none.
func (l *Library) file(slug, build, name string) (data []byte, mime string) {
	l.mu.Lock()
	l.refresh()
	rec := l.state.records[slug]
	own, isOwn := l.builtin[slug]
	for _, was := range l.previews {
		if was.installed.Slug == slug && was.installed.Build == build {
			own, isOwn = was, true
		}
	}
	l.mu.Unlock()
	var js string
	var read func(name string) []byte
	switch {
	case isOwn && own.installed.Build == build:
		js, read = own.Manifest.JS, func(name string) []byte { return own.Files[name] }
	case !isOwn && rec != nil && rec.Build == build && rec.Broken == "":
		js, read = rec.JS, func(name string) []byte { return l.installed(rec, name) }
	default:
		return nil, ""
	}
	switch {
	case name == RunFile && js != "":
		source := read(js)
		if source == nil {
			return nil, ""
		}
		return Run(slug, build, source), kinds[".js"].mime
	case isScript(name), name == ManifestFile:
		return nil, "" // the source is in the review, and nowhere else
	}
	k, _ := kindOf(name)
	return read(name), k.mime
}

// installed reads a file, and takes the theme out of service when it is not the one that
// was installed.
func (l *Library) installed(rec *record, name string) []byte {
	for _, f := range rec.Files {
		if f.Name != name {
			continue
		}
		data, err := l.read(rec, f)
		if err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			if now := l.state.records[rec.Slug]; now == rec && !errors.Is(err, errUnreadable) {
				broken := *rec
				broken.Broken = err.Error()
				l.state.records[rec.Slug] = &broken
				l.version++
			}
			return nil
		}
		return data
	}
	return nil
}

// Run is a theme's script as the panel loads it: the panel's function squelchTheme gets
// the theme's slug and build, and a function with the source as its body.
func Run(slug, build string, source []byte) []byte {
	var b bytes.Buffer
	b.WriteString("squelchTheme(")
	for _, s := range []string{slug, build} {
		text, _ := json.Marshal(s) // a string is always JSON
		b.Write(text)
		b.WriteString(", ")
	}
	b.WriteString("function (dispatch, theme, onUnmount) {\n")
	b.Write(source)
	b.WriteString("\n});\n")
	return b.Bytes()
}
