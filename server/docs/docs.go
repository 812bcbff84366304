// Package docs serves the descriptions of the interfaces: /openapi.json and /asyncapi.json
// for programs, and /docs, a page for people that is made from them.
package docs

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// Handler serves the three paths.
type Handler struct {
	made   func() (made, error) // when it is first asked for
	policy string
	base   func(*http.Request) string
}

// made is what the documents become.
type made struct {
	openAPI, asyncAPI map[string]any
	page              []byte
	tag               string // of the page
}

// New serves the two documents. base is the address under which a request's caller knows
// the service, without a slash at its end.
func New(openAPI, asyncAPI []byte, base func(*http.Request) string) *Handler {
	return &Handler{base: base, made: sync.OnceValues(func() (made, error) { return read(openAPI, asyncAPI) }),
		policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", hash(style), hash(script))}
}

func read(openAPI, asyncAPI []byte) (m made, err error) {
	if err := json.Unmarshal(openAPI, &m.openAPI); err != nil {
		return m, fmt.Errorf("docs: OpenAPI: %w", err)
	}
	if err := json.Unmarshal(asyncAPI, &m.asyncAPI); err != nil {
		return m, fmt.Errorf("docs: AsyncAPI: %w", err)
	}
	var out bytes.Buffer
	if err := render(&out, m.openAPI, m.asyncAPI); err != nil {
		return m, fmt.Errorf("docs: %w", err)
	}
	m.page = out.Bytes()
	sum := sha256.Sum256(m.page)
	m.tag = `"` + hex.EncodeToString(sum[:8]) + `"`
	return m, nil
}

// of gives what is served. It fails only if a document is broken, which a test excludes.
func (h *Handler) of(w http.ResponseWriter) (made, bool) {
	m, err := h.made()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
	return m, err == nil
}

// hash is a source expression of CSP (CSP 3, section 2.3.1).
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// OpenAPI serves the document with the address at which it was asked for.
func (h *Handler) OpenAPI(w http.ResponseWriter, r *http.Request) {
	if m, is := h.of(w); is {
		document(w, r, m.openAPI, []any{map[string]any{"url": h.base(r), "description": "This radio"}})
	}
}

// AsyncAPI serves the document with the address at which it was asked for.
func (h *Handler) AsyncAPI(w http.ResponseWriter, r *http.Request) {
	host, path, protocol := r.Host, "/socket.io/", "ws"
	if u, err := url.Parse(h.base(r)); err == nil && u.Host != "" {
		path = strings.TrimRight(u.Path, "/") + path
		if host = u.Host; u.Scheme == "https" {
			protocol = "wss"
		}
	}
	if m, is := h.of(w); is {
		document(w, r, m.asyncAPI, map[string]any{"radio": map[string]any{"host": host, "pathname": path, "protocol": protocol, "description": "This radio"}})
	}
}

func document(w http.ResponseWriter, r *http.Request, doc map[string]any, servers any) {
	out := make(map[string]any, len(doc))
	for name, value := range doc {
		out[name] = value
	}
	out["servers"] = servers
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil { // cannot happen: it was read as JSON
		http.Error(w, "The document cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(text, '\n')))
}

// Page serves /docs.
func (h *Handler) Page(w http.ResponseWriter, r *http.Request) {
	m, is := h.of(w)
	if !is {
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", m.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(m.page))
}
