package themes

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core/wire"
)

func get(l *Library, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	l.ServeHTTP(w, &http.Request{Method: http.MethodGet, URL: mustURL(path), Header: http.Header{}})
	return w
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	l.builtin = housed(map[string]*Package{"house": read(t, good("house"))})
	files := with(good("night"), "icon.svg", "<svg/>", "more.css", "b{}", "x.woff2", "wOF2x")
	i := install(t, l, files)
	for _, theme := range []*Installed{l.Find("night"), l.Find("house")} {
		base := "/themes/" + theme.Slug + "/" + theme.Build + "/"
		for file, mime := range map[string]string{"style.css": "text/css; charset=utf-8", "img/bg.png": "image/png", "LICENSE": "text/plain; charset=utf-8"} {
			w := get(l, base+file)
			if w.Code != 200 || w.Body.String() != files[file] {
				t.Errorf("%s%s: %d %q", base, file, w.Code, w.Body)
			}
			for name, want := range map[string]string{"Content-Type": mime, "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
				"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox", "Cache-Control": "public, max-age=31536000, immutable"} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s%s: %s is %q", base, file, name, got)
				}
			}
		}
		run := get(l, base+RunFile)
		want := `squelchTheme("` + theme.Slug + `", "` + theme.Build + "\", function (dispatch, theme, onUnmount) {\n" + files["theme.js"] + "\n});\n"
		if run.Code != 200 || run.Body.String() != want || run.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s: %d %q", base+RunFile, run.Code, run.Body)
		}
		for _, no := range []string{"theme.js", "theme.test.js", "theme.json", "none.png", "", "../" + base, "img", "img/", "style.css/", "STYLE.CSS", "img/../style.css", "_run.js/"} {
			if w := get(l, base+no); w.Code != 404 {
				t.Errorf("%s%s: %d", base, no, w.Code)
			}
		}
	}
	for _, no := range []string{"/themes/", "/themes/night", "/themes/night/", "/themes/night/" + i.Build, "/themes/night/0123456789abcdef/style.css",
		"/themes/other/" + i.Build + "/style.css", "/themes/../index.json", "/themes/night-" + i.Build + "/style.css", "/themes/.lock", "/other/index.json", "/index.json"} {
		if w := get(l, no); w.Code != 404 {
			t.Errorf("%s: %d", no, w.Code)
		}
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/themes/index.json", nil))
	if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", w.Code)
	}

	plain := install(t, l, plainTheme("plain"))
	if w := get(l, "/themes/plain/"+plain.Build+"/"+RunFile); w.Code != 404 {
		t.Errorf("the script of a theme without one: %d", w.Code)
	}

	// A file that cannot be read just now is not served, and no reason to give the theme up.
	file := filepath.Join(dir, "plain-"+plain.Build, "style.css")
	if err := os.Rename(file, file+"-aside"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, file); err == nil { // to itself; on Windows few may
		if w := get(l, "/themes/plain/"+plain.Build+"/style.css"); w.Code != 404 || l.Find("plain").Broken != "" {
			t.Errorf("a file that cannot be read: %d, %+v", w.Code, l.Find("plain"))
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(file+"-aside", file); err != nil {
		t.Fatal(err)
	}
	if w := get(l, "/themes/plain/"+plain.Build+"/style.css"); w.Code != 200 {
		t.Errorf("a file that can be read again: %d", w.Code)
	}

	// A script that is changed while the service runs is not served, and is noticed.
	version := l.Version()
	if err := os.WriteFile(filepath.Join(dir, "night-"+i.Build, "theme.js"), []byte(strings.Repeat("x", len(files["theme.js"]))), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := get(l, "/themes/night/"+i.Build+"/"+RunFile); w.Code != 404 {
		t.Errorf("a changed script is served: %q", w.Body)
	}
	if w := get(l, "/themes/night/"+i.Build+"/style.css"); w.Code != 404 || l.Version() == version || l.Find("night").Broken == "" {
		t.Errorf("it was not noticed: %d, %+v", w.Code, l.Find("night"))
	}
}

func TestServeIndex(t *testing.T) {
	l := open(t, t.TempDir())
	l.builtin = housed(map[string]*Package{"house": read(t, good("house"))})
	i := install(t, l, good("night"))
	l.SetFallback("house")
	w := get(l, "/themes/index.json")
	var list wire.ThemeList
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Themes) != 2 || list.Themes[1] != i.Theme() || !list.Themes[0].BuiltIn || list.DefaultTheme != "house" {
		t.Errorf("the index is %+v", list)
	}
	if strings.Contains(w.Body.String(), "null") || strings.Contains(w.Body.String(), i.ScriptSHA256) || strings.Contains(w.Body.String(), "a test") {
		t.Errorf("the index tells too much: %s", w.Body)
	}
	tag := w.Header().Get("ETag")
	if tag == "" || w.Header().Get("Cache-Control") != "no-cache" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("the headers are %v", w.Header())
	}
	again := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/themes/index.json", nil)
	r.Header.Set("If-None-Match", tag)
	l.ServeHTTP(again, r)
	if again.Code != 304 {
		t.Errorf("the same again: %d", again.Code)
	}
	if err := l.Remove("night"); err != nil {
		t.Fatal(err)
	}
	if w := get(l, "/themes/index.json"); w.Header().Get("ETag") == tag {
		t.Error("another list has the same tag")
	}
}
