package radio_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/internal/testradio"
	"squelch/server/internal/testtheme"
	"squelch/themes"
)

// call makes a request with a bearer token, and gives the answer's status and body.
func call(t *testing.T, method, url, token string, body []byte, session ...string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for _, id := range session {
		r.Header.Set("X-Session-Id", id)
	}
	r.Close = true
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	got, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, got
}

// configOf is the configuration as a console is given it.
func configOf(t *testing.T, url string) (c wire.ConfigBody) {
	t.Helper()
	status, body := call(t, "POST", url+"/radio/dispatch/reauth", "token", []byte(`{"callsign":"Desk"}`))
	var in wire.AuthReply
	if err := json.Unmarshal(body, &in); err != nil || status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if status, body = call(t, "GET", url+"/radio/dispatch/config", "token", nil, in.SessionID); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func has(c wire.ConfigBody, slug string) *wire.Theme {
	for _, t := range c.Themes {
		if t.Slug == slug {
			return &t
		}
	}
	return nil
}

// TestAThemeReachesTheConsoles: a theme is installed by REST, then another by the
// command line while the service runs. Dispatchers are told, the configuration has
// them, their files are served, and all of that is there after a new start.
func TestAThemeReachesTheConsoles(t *testing.T) {
	const script = "theme.addClass('night')"
	o := named("token")
	o.Config.Server.Themes.Default = "night"
	s := testradio.Start(t, o)
	d := open(t, s.URL, "token", -2)
	if c := configOf(t, s.URL); len(c.Themes) == 0 || has(c, "night") != nil || c.DefaultTheme != "" {
		t.Fatalf("themes %+v, default %q", c.Themes, c.DefaultTheme)
	}
	zip := testtheme.New("night", "1.0", script)
	if status, body := call(t, "POST", s.URL+"/api/themes/install", "token", zip); status != 409 {
		t.Fatalf("without its hash: %d %s", status, body)
	}
	if status, body := call(t, "POST", s.URL+"/api/themes/install?js="+testtheme.Sum(script), "token", zip); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	d.hears(t, `"slug":"night"`)
	c := configOf(t, s.URL)
	night := has(c, "night")
	if night == nil || !night.HasJS || c.DefaultTheme != "night" {
		t.Fatalf("themes %+v, default %q", c.Themes, c.DefaultTheme)
	}
	at := s.URL + "/themes/night/" + night.Build + "/"
	for name, want := range map[string]string{"style.css": "#123456", "_run.js": script, "preview.png": testtheme.PNG} {
		if status, body := call(t, "GET", at+name, "", nil); status != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, path := range []string{"theme.js", "theme.json", "../../../secrets", "%2e%2e/x"} {
		if status, body := call(t, "GET", at+path, "", nil); status != 404 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}

	library, err := themes.Open(filepath.Join(s.Data, "themes"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	day, err := themes.ReadZip(testtheme.New("day", "2.0", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := library.Install(day, "", "squelch theme install"); err != nil {
		t.Fatal(err)
	}
	d.hears(t, `"slug":"day"`)
	if has(configOf(t, s.URL), "day") == nil {
		t.Error("the configuration lacks what the command line installed")
	}
	if status, body := call(t, "POST", s.URL+"/api/themes/default", "token", []byte(`{"slug":"day"}`)); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	d.hears(t, `"defaultTheme":"day"`)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	again := named("token")
	again.Config.Server.Themes.Default, again.Data = "night", s.Data
	s = testradio.Start(t, again)
	if c := configOf(t, s.URL); has(c, "night") == nil || has(c, "day") == nil || c.DefaultTheme != "day" {
		t.Errorf("after a start: %+v, default %q", c.Themes, c.DefaultTheme)
	}
	d = open(t, s.URL, "token", -2)
	if status, body := call(t, "POST", s.URL+"/api/themes/remove", "token", []byte(`{"slug":"day"}`)); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	d.hears(t, `"defaultTheme":"night"`)
}

// TestADefaultThatIsNotThere is said at the start, and is none.
func TestADefaultThatIsNotThere(t *testing.T) {
	o := named("token")
	o.Config.Server.Themes.Default = "wal"
	log := &lines{}
	o.Log = log
	s := testradio.Start(t, o)
	if !strings.Contains(log.String(), `themes.default: there is no such theme, so there is no default; did you mean wall?" theme=wal`) {
		t.Errorf("log %q", log.String())
	}
	if c := configOf(t, s.URL); c.DefaultTheme != "" {
		t.Errorf("the default is %q", c.DefaultTheme)
	}
}

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
