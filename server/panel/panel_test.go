package panel

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func built(t *testing.T) *Handler {
	t.Helper()
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	h, err := FromFS(fstest.MapFS{
		"index.html": text("page"), "index.html.br": text("page as brotli"), "index.html.gz": text("page as gzip"),
		"assets/app-1a2b.js": text("script"), "assets/app-1a2b.js.gz": text("script as gzip"),
		"manifest.webmanifest": text("{}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, path string, header map[string]string) (*http.Response, string) {
	r := httptest.NewRequest(method, path, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body)
	return w.Result(), string(body)
}

func TestBrowserGetsTheSmallestFormItUnderstands(t *testing.T) {
	h := built(t)
	for _, c := range []struct{ path, accepts, body, encoding, kind, cache string }{
		{"/", "gzip, deflate, br", "page as brotli", "br", "text/html; charset=utf-8", "no-cache"},
		{"/", "gzip", "page as gzip", "gzip", "text/html; charset=utf-8", "no-cache"},
		{"/", "br;q=0, gzip", "page as gzip", "gzip", "text/html; charset=utf-8", "no-cache"},
		{"/", "", "page", "", "text/html; charset=utf-8", "no-cache"},
		{"/index.html", "", "page", "", "text/html; charset=utf-8", "no-cache"},
		{"/admin", "", "page", "", "text/html; charset=utf-8", "no-cache"},
		{"/assets/app-1a2b.js", "br, gzip", "script as gzip", "gzip", "text/javascript; charset=utf-8", immutable},
		{"/manifest.webmanifest", "br", "{}", "", "application/manifest+json", "no-cache"},
	} {
		got, body := ask(h, "GET", c.path, map[string]string{"Accept-Encoding": c.accepts})
		if got.StatusCode != 200 || body != c.body {
			t.Errorf("%s accepting %q: %d %q, want %q", c.path, c.accepts, got.StatusCode, body, c.body)
		}
		for header, want := range map[string]string{"Content-Encoding": c.encoding, "Content-Type": c.kind, "Cache-Control": c.cache} {
			if v := got.Header.Get(header); v != want {
				t.Errorf("%s accepting %q: %s %q, want %q", c.path, c.accepts, header, v, want)
			}
		}
	}
}

func TestBrowserAsksAgainWithTheTagAndIsToldNothingChanged(t *testing.T) {
	h := built(t)
	first, _ := ask(h, "GET", "/", map[string]string{"Accept-Encoding": "br"})
	tag := first.Header.Get("ETag")
	if again, body := ask(h, "GET", "/", map[string]string{"Accept-Encoding": "br", "If-None-Match": tag}); again.StatusCode != 304 || body != "" {
		t.Errorf("the same form: %d %q, want 304", again.StatusCode, body)
	}
	if other, _ := ask(h, "GET", "/", map[string]string{"Accept-Encoding": "gzip", "If-None-Match": tag}); other.StatusCode != 200 {
		t.Errorf("another form under the same tag: %d, want 200", other.StatusCode)
	}
}

func TestPageMayNotRunScriptsOfOthers(t *testing.T) {
	got, _ := ask(built(t), "GET", "/", nil)
	csp := got.Header.Get("Content-Security-Policy")
	scripts, _, _ := strings.Cut(csp[strings.Index(csp, "script-src"):], ";")
	if strings.Contains(scripts, "unsafe-inline") || !strings.Contains(scripts, "'self'") {
		t.Errorf("scripts: %s", scripts)
	}
	if p := got.Header.Get("Permissions-Policy"); !strings.Contains(p, "microphone=(self)") {
		t.Errorf("Permissions-Policy %q does not let the page have the microphone", p)
	}
}

// TestNothingLeavesTheOrigin: whatever the policy lets the page load or send to is the
// origin itself, or is in the page already.
func TestNothingLeavesTheOrigin(t *testing.T) {
	for _, path := range []string{"/?theme-lab", "/admin", "/nowhere", "/assets/app-1a2b.js"} {
		got, _ := ask(built(t), "GET", path, map[string]string{"Accept": "text/html"})
		for _, source := range strings.Fields(strings.ReplaceAll(got.Header.Get("Content-Security-Policy"), ";", "")) {
			if strings.ContainsAny(source, ".*/") || strings.HasSuffix(source, ":") && source != "data:" && source != "blob:" {
				t.Errorf("%s has %s", path, source)
			}
		}
		if got.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s has no policy", path)
		}
	}
	got, _ := ask(built(t), "GET", "/", nil)
	allowed := map[string]bool{"'self'": true, "'none'": true, "data:": true, "blob:": true, "'unsafe-inline'": true, "'wasm-unsafe-eval'": true}
	policy := map[string]string{}
	for _, directive := range strings.Split(got.Header.Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		policy[name] = sources
		for _, source := range strings.Fields(sources) {
			if !allowed[source] {
				t.Errorf("%s has %s", name, source)
			}
		}
	}
	for name, want := range map[string]string{
		"default-src": "'none'", "script-src": "'self' 'wasm-unsafe-eval'", "connect-src": "'self'", "worker-src": "'self'", "frame-src": "'none'",
		"form-action": "'none'", "object-src": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'",
	} {
		if policy[name] != want {
			t.Errorf("%s is %q, want %q", name, policy[name], want)
		}
	}
	if v := got.Header.Get("X-DNS-Prefetch-Control"); v != "off" {
		t.Errorf("X-DNS-Prefetch-Control %q", v)
	}
}

// TestThePagesOfANodeReachTheOtherNodesOnly: what is no plain address is left out.
func TestThePagesOfANodeReachTheOtherNodesOnly(t *testing.T) {
	nodes := []string{"https://b.example.org/r/county", "http://10.0.0.3:7777", "javascript:alert(1)", "https://x; script-src *", "https://*", "ftp://x"}
	h := built(t).Elsewhere(func() []string { return nodes })
	connect := func(path string) string {
		got, _ := ask(h, "GET", path, nil)
		for _, d := range strings.Split(got.Header.Get("Content-Security-Policy"), ";") {
			if sources, is := strings.CutPrefix(strings.TrimSpace(d), "connect-src "); is {
				return sources
			}
		}
		return ""
	}
	if got, want := connect("/"), "'self' https://b.example.org wss://b.example.org http://10.0.0.3:7777 ws://10.0.0.3:7777"; got != want {
		t.Errorf("connect-src is %q, want %q", got, want)
	}
	for _, path := range []string{"/admin", "/?theme-lab", "/assets/app-1a2b.js"} {
		if got := connect(path); got != "'self'" {
			t.Errorf("connect-src of %s is %q", path, got)
		}
	}
	nodes = nil
	if got := connect("/"); got != "'self'" {
		t.Errorf("of a node that is alone: %q", got)
	}
}

func TestOnlyTheThemeLabHasFramesOfItself(t *testing.T) {
	h := built(t)
	directives := func(path string) string {
		got, _ := ask(h, "GET", path, nil)
		var framing []string
		for _, d := range strings.Split(got.Header.Get("Content-Security-Policy"), ";") {
			if d = strings.TrimSpace(d); strings.HasPrefix(d, "frame-") {
				framing = append(framing, d)
			}
		}
		return strings.Join(framing, "; ")
	}
	closed, own := "frame-src 'none'; frame-ancestors 'none'", "frame-src 'self'; frame-ancestors 'self'"
	for path, want := range map[string]string{
		"/": closed, "/?simulate": closed, "/?theme=theme-lab": closed, "/admin?theme-lab": closed, "/assets/app-1a2b.js?theme-lab": closed,
		"/?theme-lab": own, "/?theme-lab&scene=rest": own,
	} {
		if got := directives(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestMissingFilesAndOtherMethodsAreRefused(t *testing.T) {
	h := built(t)
	for _, path := range []string{"/assets/gone.js", "/favicon.ico", "/index.html.gz", "/../go.mod", "/dist/.gitignore"} {
		if got, _ := ask(h, "GET", path, nil); got.StatusCode != 404 {
			t.Errorf("%s: %d, want 404", path, got.StatusCode)
		}
	}
	if got, _ := ask(h, "POST", "/", nil); got.StatusCode != 405 || got.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", got.StatusCode, got.Header.Get("Allow"))
	}
	if got, body := ask(h, "HEAD", "/", nil); got.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d %q", got.StatusCode, body)
	}
}

func TestCloneWithoutPanelNamesTheCommandThatBuildsIt(t *testing.T) {
	h, err := FromFS(fstest.MapFS{".gitignore": {Data: []byte("*")}})
	if err != nil {
		t.Fatal(err)
	}
	if got, body := ask(h, "GET", "/", nil); got.StatusCode != 200 || !strings.Contains(body, "just panel") {
		t.Errorf("%d %q", got.StatusCode, body)
	}
}

func TestEmbeddedPanelIsServed(t *testing.T) {
	if got, body := ask(New(), "GET", "/", nil); got.StatusCode != 200 || !strings.Contains(body, "Squelch") {
		t.Errorf("%d %q", got.StatusCode, body)
	}
}
