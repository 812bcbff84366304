// Package panel serves the dispatch panel, which is embedded in the program.
package panel

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/reply"
)

// dist is what "just panel" has built. Only the placeholder is committed, so
// that a fresh clone builds without Node.
//
//go:embed all:dist
var dist embed.FS

// immutable is for assets whose name carries the hash of their content: a year,
// beyond which RFC 9111 sees no use.
const immutable = "public, max-age=31536000, immutable"

// policy lets the page load only what the service itself serves, and send to nobody
// else, whatever a theme has in it: no fetch, socket, beacon, image, font, sound, form,
// frame or prefetch leaves the origin. It cannot stop a script that navigates away, has
// the browser only connect (rel=preconnect), or makes a WebRTC connection of its own,
// which the console needs for voice; the review of a theme says so.
//
// Styles set on elements (meters, colours of alerts) need 'unsafe-inline' for styles;
// scripts do not have it. Workers and worklets are files; blob: is for recordings that
// are played back, data: for pictures and fonts in a theme's style. The forms of the page
// are sent by its script; a login at an identity provider is a navigation.
//
// connect-src 'self' covers the WebSocket of the same host in Chromium, in Firefox and,
// since 15.4, in Safari (CSP 3, section 6.7.2.8); an older browser keeps long polling.
// Behind a proxy the origin is the proxy's, for the page as for its socket. The page in
// the game (Chromium 103) is served by the game, without this policy.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; " +
	"frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// labPolicy is for /?theme-lab alone: the page draws its scenes in frames of itself. Nobody
// else can frame it.
var labPolicy = strings.NewReplacer("frame-src 'none'", "frame-src 'self'", "frame-ancestors 'none'", "frame-ancestors 'self'").Replace(policy)

// types on which the tables of operating systems differ.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".json":        "application/json",
}

// file is one file of the panel, in the forms in which it was built; nil if a form is
// missing. They are read from the embedded data on demand: core.wasm alone would take
// megabytes of heap.
type file struct {
	kind, cache, tag    string
	plain, gzip, brotli content
}

// content opens one form of a file.
type content func() (io.ReadSeekCloser, error)

// Handler serves a built panel or, if there is none, a page that names the command to
// build it. What is neither a page nor a file of the panel is 404.
type Handler struct {
	files map[string]*file
	nodes func() []string // see Elsewhere
}

// Elsewhere is the panel of a node of a cluster: its pages may also connect to the others,
// whose addresses nodes gives. A page keeps what it was allowed when it was loaded.
func (h *Handler) Elsewhere(nodes func() []string) http.Handler {
	of := *h
	of.nodes = nodes
	return &of
}

// plainHost is a host, with a port or without, that is safe in a header.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)

// allow adds the other nodes to a policy: over HTTP, and by WebSocket.
func (h *Handler) allow(policy string) string {
	if h.nodes == nil {
		return policy
	}
	sources := "connect-src 'self'"
	for _, node := range h.nodes() {
		u, err := url.Parse(node)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && plainHost.MatchString(u.Host) {
			sources += " " + u.Scheme + "://" + u.Host + " " + strings.Replace(u.Scheme, "http", "ws", 1) + "://" + u.Host
		}
	}
	return strings.Replace(policy, "connect-src 'self'", sources, 1)
}

// New reads the embedded panel.
func New() *Handler {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is named in the go:embed line above
	}
	h, err := FromFS(built)
	if err != nil {
		panic(err) // reading from the program's own memory
	}
	return h
}

// FromFS reads a panel from a folder: index.html and what it needs, with .gz and .br
// beside each. A folder without index.html gives the fallback page. An error means
// that the folder cannot be read.
func FromFS(built fs.FS) (*Handler, error) {
	h := &Handler{files: map[string]*file{}}
	err := fs.WalkDir(built, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || packed(name) || strings.HasPrefix(name, ".") && name != "." {
			return err
		}
		f, err := read(built, name)
		if err != nil {
			return fmt.Errorf("panel: %w", err)
		}
		h.files["/"+name] = f
		return nil
	})
	if err != nil {
		return nil, err
	}
	if h.files["/index.html"] == nil {
		h.files["/index.html"] = &file{kind: types[".html"], cache: "no-cache", tag: "none", plain: func() (io.ReadSeekCloser, error) {
			return nopCloser{strings.NewReader(fallback)}, nil
		}}
	}
	return h, nil
}

// packed says whether a file is the compressed form of another.
func packed(name string) bool {
	return strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".br")
}

func read(built fs.FS, name string) (*file, error) {
	f := &file{kind: kindOf(name), cache: "no-cache", plain: open(built, name)}
	if strings.HasPrefix(name, "assets/") {
		f.cache, f.tag = immutable, path.Base(name)
	} else {
		var err error
		if f.tag, err = hash(f.plain); err != nil {
			return nil, err
		}
	}
	for suffix, to := range map[string]*content{".gz": &f.gzip, ".br": &f.brotli} {
		if _, err := fs.Stat(built, name+suffix); err == nil {
			*to = open(built, name+suffix)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return f, nil
}

// hash is for files whose name does not say when they change. The others are not read
// before they are requested.
func hash(c content) (string, error) {
	r, err := c()
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

func open(built fs.FS, name string) content {
	return func() (io.ReadSeekCloser, error) {
		f, err := built.Open(name)
		if err != nil {
			return nil, err
		}
		r, ok := f.(io.ReadSeekCloser)
		if !ok {
			return nil, errors.Join(fmt.Errorf("%s is not seekable", name), f.Close())
		}
		return r, nil
	}
}

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

func kindOf(name string) string {
	ext := path.Ext(name)
	if t := types[ext]; t != "" {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

// ServeHTTP answers GET and HEAD.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	clean := path.Clean("/" + r.URL.Path)
	if clean == "/admin" && strings.HasSuffix(r.URL.Path, "/") { // what is relative on the page is beside it
		w.Header().Set("Location", address.Prefix(r)+"/admin")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	f := h.find(clean)
	if f == nil {
		missing(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		reply.JSON(w, http.StatusMethodNotAllowed, wire.Failure{Error: "This path takes GET, HEAD"})
		return
	}
	protect(w.Header())
	if h.nodes != nil && pages[clean] == "/index.html" {
		w.Header().Set("Content-Security-Policy", h.allow(policy))
	}
	if clean == "/" && r.URL.Query().Has("theme-lab") {
		w.Header().Set("Content-Security-Policy", labPolicy)
	}
	f.serve(w, r)
}

// pages are the paths of the panel's pages, with their files. There are no others.
var pages = map[string]string{"/": "/index.html", "/admin": "/admin.html"}

func (h *Handler) find(clean string) *file {
	page, own := pages[clean]
	if !own {
		return h.files[clean]
	}
	if f := h.files[page]; f != nil {
		return f
	}
	return h.files["/index.html"] // of a build without the administration, or without anything
}

// protect sets the headers that keep other pages out. Permissions-Policy leaves
// speaker-selection out: the page has it by default, and browsers that do not know it warn.
func protect(header http.Header) {
	header.Set("Content-Security-Policy", policy)
	header.Set("Permissions-Policy", "microphone=(self), camera=(), geolocation=(), payment=()")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-DNS-Prefetch-Control", "off") // a name alone can carry a message out
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	body, tag := f.plain, f.tag
	if f.gzip != nil || f.brotli != nil {
		header.Set("Vary", "Accept-Encoding")
		switch accepted := r.Header.Get("Accept-Encoding"); {
		case f.brotli != nil && accepts(accepted, "br"):
			body, tag = f.brotli, tag+"-br"
			header.Set("Content-Encoding", "br")
		case f.gzip != nil && accepts(accepted, "gzip"):
			body, tag = f.gzip, tag+"-gz"
			header.Set("Content-Encoding", "gzip")
		}
	}
	sent, err := body()
	if err != nil {
		http.Error(w, "The panel cannot be read", http.StatusInternalServerError)
		return
	}
	defer sent.Close()
	header.Set("Content-Type", f.kind)
	header.Set("Cache-Control", f.cache)
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, sent)
}

// accepts reads Accept-Encoding (RFC 9110, section 12.5.3) as far as browsers use it:
// a coding that is listed and not refused with q=0.
func accepts(header, coding string) bool {
	for _, part := range strings.Split(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight = strings.ReplaceAll(weight, " ", "")
		return weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000"
	}
	return false
}

// fallback is the page of a program in which the panel has not been built.
const fallback = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Squelch</title>
<h1>Squelch is on the air</h1>
<p>The dispatch panel is not part of this build. <code>just panel</code> builds it.</p>
<p><a href="api/health">Health of the service</a></p>
</html>
`
