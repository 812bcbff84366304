package themecmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/themes"
)

const duskManifest = `{"name":"Dusk","slug":"dusk","version":"1","author":"Ana","description":"","css":"style.css","js":"theme.js"}`

func dusk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "theme.json", duskManifest)
	put(t, dir, "style.css", ":root { --sq-rx: #123456; }\n")
	put(t, dir, "theme.js", "theme.addClass('dusk');\n")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func watching(t *testing.T, dir string) *watcher {
	t.Helper()
	w, err := newWatcher(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestFolderIsReadAndWhatIsTakenOutOfItIsTold(t *testing.T) {
	dir := dusk(t)
	put(t, dir, "style.css", ":root { --sq-rx: #123456; }\n.card { background: url(https://elsewhere.example/a.png); }\n")
	s := watching(t, dir).state()
	if s.Slug != "dusk" || s.Error != "" || s.Style == "" || s.Rest == "" || s.At == 0 || s.Folder != dir {
		t.Errorf("%+v", s)
	}
	if len(s.Removed) != 1 || s.Removed[0].File != "style.css" || s.Removed[0].Line != 2 {
		t.Errorf("removed: %+v", s.Removed)
	}
	if len(s.Hints) == 0 || !strings.Contains(strings.Join(s.Hints, "\n"), "preview.png is missing") {
		t.Errorf("hints: %q", s.Hints)
	}
}

func TestWhatIsNoThemeIsToldAndTheLastOneStays(t *testing.T) {
	dir := dusk(t)
	w := watching(t, dir)
	good := w.state()
	put(t, dir, "theme.json", strings.Replace(duskManifest, `"dusk"`, `"Dusk & Dawn"`, 1))
	w.read()
	bad := w.state()
	if !strings.Contains(bad.Error, "slug") || bad.Slug != "dusk" || bad.Style != good.Style || bad.Rest != good.Rest {
		t.Errorf("%+v", bad)
	}
	if w.library.Find("dusk") == nil {
		t.Error("the theme as it was is not served any more")
	}
	put(t, dir, "theme.json", duskManifest)
	w.read()
	if s := w.state(); s.Error != "" {
		t.Errorf("still %q", s.Error)
	}
}

// TestTheSimulatedRadioHasTheThemeOn: it is the default, also under another slug.
func TestTheSimulatedRadioHasTheThemeOn(t *testing.T) {
	dir := dusk(t)
	w := watching(t, dir)
	h := devHandler(w)
	standard := func() string {
		t.Helper()
		r := httptest.NewRequest("GET", themes.Path+"index.json", nil)
		r.Host = "127.0.0.1:7787"
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, r)
		var list struct{ DefaultTheme string }
		if err := json.Unmarshal(rw.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		return list.DefaultTheme
	}
	if got := standard(); got != "dusk" {
		t.Errorf("the default is %q", got)
	}
	put(t, dir, "theme.json", strings.Replace(duskManifest, `"dusk"`, `"dawn"`, 1))
	w.read()
	if got := standard(); got != "dawn" {
		t.Errorf("under another slug the default is %q", got)
	}
}

func TestFolderThatIsNoThemeYetIsWatchedToo(t *testing.T) {
	s := watching(t, t.TempDir()).state()
	if !strings.Contains(s.Error, "theme.json") || s.Slug != "" || s.Removed == nil || s.Hints == nil {
		t.Errorf("%+v", s)
	}
}

func TestStylesheetsAreToldApartFromTheRest(t *testing.T) {
	dir := dusk(t)
	w := watching(t, dir)
	first := w.state()
	put(t, dir, "style.css", ":root { --sq-rx: #654321; }\n")
	w.read()
	second := w.state()
	if second.Style == first.Style || second.Rest != first.Rest {
		t.Errorf("after a stylesheet: style %v, rest %v", second.Style != first.Style, second.Rest != first.Rest)
	}
	put(t, dir, "theme.js", "theme.addClass('dawn');\n")
	w.read()
	if third := w.state(); third.Style != second.Style || third.Rest == second.Rest {
		t.Errorf("after a script: style %v, rest %v", third.Style != second.Style, third.Rest != second.Rest)
	}
	put(t, dir, "theme.test.js", "test('nothing', () => {});\n")
	before := w.state()
	w.read()
	if after := w.state(); after.Style != before.Style || after.Rest != before.Rest {
		t.Error("a test, which is never served, changed what is served")
	}
}

func TestChangesAreNoticed(t *testing.T) {
	dir := dusk(t)
	w := watching(t, dir)
	server := httptest.NewServer(devHandler(w))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var watched sync.WaitGroup
	watched.Go(func() { w.watch(ctx, func(devState) {}) })
	defer watched.Wait()
	defer cancel()

	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+eventsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("Content-Type %q", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	next := func() devState {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var s devState
				if err := json.Unmarshal([]byte(data), &s); err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		t.Fatalf("the events ended: %v", lines.Err())
		return devState{}
	}
	first := next()
	put(t, dir, "style.css", ":root { --sq-rx: #abcdef; --sq-tx: #fedcba; }\n")
	second := next()
	if second.Style == first.Style || second.Rest != first.Rest {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if err := os.Remove(filepath.Join(dir, "theme.js")); err != nil {
		t.Fatal(err)
	}
	if third := next(); !strings.Contains(third.Error, "theme.js") {
		t.Errorf("the script is gone, and the error is %q", third.Error)
	}
	build := w.library.Find("dusk").Build
	got, err := server.Client().Get(server.URL + themes.Path + "dusk/" + build + "/style.css")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if css, err := io.ReadAll(got.Body); err != nil || !strings.Contains(string(css), "#abcdef") {
		t.Errorf("style.css is %q, %v", css, err)
	}
}

func TestOnlyThisMachineIsAnswered(t *testing.T) {
	h := devHandler(watching(t, dusk(t)))
	status := func(host string) int {
		r := httptest.NewRequest("GET", "/themes/index.json", nil)
		r.Host = host
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, r)
		return rw.Code
	}
	for _, host := range []string{"127.0.0.1:7787", "localhost:7787", "localhost", "[::1]:7787", "[::1]", "127.0.0.1"} {
		if got := status(host); got != 200 {
			t.Errorf("%s: %d", host, got)
		}
	}
	for _, host := range []string{"elsewhere.example:7787", "elsewhere.example", "127.0.0.1.elsewhere.example", "localhost.elsewhere.example", "10.0.0.7:7787", "", "[::1].elsewhere.example"} {
		if got := status(host); got != http.StatusMisdirectedRequest {
			t.Errorf("%q: %d", host, got)
		}
	}
}

func TestOnlyAddressesOfThisMachineAreListenedOn(t *testing.T) {
	for _, good := range []string{"127.0.0.1:7787", "localhost:0", "[::1]:7787", "127.1.2.3:1"} {
		if err := onThisMachine(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"0.0.0.0:7787", ":7787", "[::]:7787", "192.168.1.5:7787", "radio.example:7787", "7787", "127.0.0.1"} {
		if err := onThisMachine(bad); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestTheBareAddressLeadsToTheLab(t *testing.T) {
	h := devHandler(watching(t, dusk(t)))
	rw := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "127.0.0.1:7787"
	h.ServeHTTP(rw, r)
	if rw.Code != http.StatusFound || rw.Header().Get("Location") != "/?theme-lab&theme=dusk&dev" {
		t.Errorf("%d %s", rw.Code, rw.Header().Get("Location"))
	}
}

func TestDevServesAFolderUntilItIsEnded(t *testing.T) {
	dir := dusk(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out := &lines{}
	ended := make(chan error, 1)
	go func() { ended <- dev(ctx, out, dir, "127.0.0.1:0", false) }()
	for range 600 {
		if strings.Contains(out.String(), "read") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	_, rest, found := strings.Cut(out.String(), "The theme lab is at ")
	address, _, _ := strings.Cut(rest, "\n")
	if !found || !strings.HasSuffix(address, "/?theme-lab&theme=dusk&dev") {
		t.Fatalf("it says %q", out.String())
	}
	got, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != 200 || !strings.Contains(got.Header.Get("Content-Security-Policy"), "frame-ancestors 'self'") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestDevRefusesWhatIsNoFolder(t *testing.T) {
	dir := dusk(t)
	for path, want := range map[string]string{filepath.Join(dir, "theme.json"): "is not a folder", filepath.Join(dir, "missing"): "folder"} {
		if err := dev(t.Context(), io.Discard, path, "127.0.0.1:0", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := dev(t.Context(), io.Discard, dir, "0.0.0.0:0", false); err == nil || !strings.Contains(err.Error(), "others could reach") {
		t.Errorf("0.0.0.0: %v", err)
	}
}

// lines is an output that may be read while it is written to.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
