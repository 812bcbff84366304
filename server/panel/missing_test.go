package panel_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"squelch/server/panel"
)

// TestWhatIsNoFileOfThePanelIsNotThere: a path that does not exist is 404, in JSON
// for a program, as a page for a browser.
func TestWhatIsNoFileOfThePanelIsNotThere(t *testing.T) {
	h, err := panel.FromFS(fstest.MapFS{"index.html": {Data: []byte("console")}, "admin.html": {Data: []byte("administration")},
		"assets/app.js": {Data: []byte("script")}, ".well-known/x": {Data: []byte("hidden")}})
	if err != nil {
		t.Fatal(err)
	}
	const program, browser = "*/*", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, path := range []string{"/foo", "/zone/2", "/.env", "/.git/config", "/.well-known/x", "/wp-login.php", "/admin/foo", "/adminx",
		"/socket.iox", "/docs", "/docs/", "/assets", "/assets/", "/assets/app", "/assets/gone.js", "/index", "/favicon.ico", "/robots.txt",
		"/%2e%2e/go.mod", "/a//b", "/INDEX.HTML", "/Admin", "/" + strings.Repeat("x", 5000)} {
		for accept, kind := range map[string]string{"": "application/json; charset=utf-8", program: "application/json; charset=utf-8",
			"application/json": "application/json; charset=utf-8", browser: "text/html; charset=utf-8"} {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				r := httptest.NewRequest(method, path, nil)
				r.Header.Set("Accept", accept)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != 404 || w.Header().Get("Content-Type") != kind || w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("%s %.40s accepting %q: %d, %v", method, path, accept, w.Code, w.Header())
				}
				if kind != "text/html; charset=utf-8" {
					var told struct {
						Success *bool  `json:"success"`
						Error   string `json:"error"`
					}
					if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || told.Success == nil || *told.Success || told.Error != "No such path" {
						t.Errorf("%s %.40s: %s, %v", method, path, w.Body, err)
					}
				} else if body := w.Body.String(); !strings.Contains(body, "No such page") || w.Header().Get("Content-Security-Policy") == "" || strings.Contains(body, path) {
					t.Errorf("%s %.40s: %q, %v", method, path, body, w.Header())
				}
			}
		}
	}
	for path, want := range map[string]string{"/": "console", "/?simulate": "console", "/index.html": "console", "/admin": "administration",
		"/admin?x=1": "administration", "/admin.html": "administration", "/assets/app.js": "script"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", path, w.Code, w.Body, want)
		}
	}
}

func TestThePagesTakeNothingButGetAndHead(t *testing.T) {
	w := httptest.NewRecorder()
	panel.New().ServeHTTP(w, httptest.NewRequest("DELETE", "/", nil))
	if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" || !strings.Contains(w.Body.String(), `"error":"This path takes GET, HEAD"`) {
		t.Errorf("%d, %v, %s", w.Code, w.Header(), w.Body)
	}
}
