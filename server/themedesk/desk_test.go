package themedesk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/internal/testtheme"
	"squelch/server/reply"
	"squelch/server/themedesk"
	"squelch/themes"
)

// station is a desk with what is around it.
type station struct {
	*themedesk.Desk
	t       *testing.T
	dir     string
	library *themes.Library
	market  *testtheme.Site
	storage error

	mu    sync.Mutex
	now   time.Time
	told  []wire.Message
	notes []audit.Entry
	log   []string
}

// open opens a desk over a folder; change may modify its options.
func open(t *testing.T, dir string, change ...func(*themedesk.Options)) *station {
	t.Helper()
	s := &station{t: t, dir: dir, market: testtheme.NewSite(t), now: time.UnixMilli(1_700_000_000_000)}
	var err error
	if s.library, err = themes.Open(dir, s.clock); err != nil {
		t.Fatal(err)
	}
	o := themedesk.Options{Library: s.library, Market: s.market.Index(), Roots: s.market.Roots, Audit: s, Now: s.clock,
		Storage: func() error { return s.storage }, Tell: s.tell, Logf: s.logf}
	for _, c := range change {
		c(&o)
	}
	if s.Desk, err = themedesk.New(o); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *station) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *station) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *station) tell(m wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, m)
}

func (s *station) Note(_ context.Context, entries ...audit.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, entries...)
}

func (s *station) logf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// tellings is what dispatchers were told, in words: "night 1.0, quiet 2 default night".
func (s *station) tellings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.told {
		n := m.Payload.(wire.DispatchNotification)
		if m.Name != "dispatchNotification" || !m.To.Dispatchers || m.To.Everyone || n.Type != "themes" || n.Timestamp == 0 {
			s.t.Errorf("told %+v", m)
		}
		var words []string
		for _, t := range n.Themes {
			if !t.BuiltIn {
				words = append(words, t.Slug+" "+t.Version)
			}
		}
		all = append(all, strings.Join(words, ", ")+" default "+*n.DefaultTheme)
	}
	return all
}

// answer is what came back.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// send asks as a bearer of a key does.
func (s *station) send(name string, query string, body []byte) answer {
	s.t.Helper()
	method, _, _ := strings.Cut(name, " ")
	return s.ask(name, httptest.NewRequest(method, "/api/themes?"+query, bytes.NewReader(body)))
}

func (s *station) ask(name string, r *http.Request) answer {
	s.t.Helper()
	r.RemoteAddr = "203.0.113.9:5000"
	w := httptest.NewRecorder()
	if err := s.Serve(name, w, r, core.Actor{Surface: core.ByREST, Name: "CAD"}); err != nil {
		told := reply.RefusalOf(err)
		if told == nil {
			told = &reply.Refusal{Status: 500, Message: err.Error()}
		}
		told.Write(w, wire.Failure{Error: told.Message})
	}
	return answer{s.t, w.Code, w.Header(), w.Body.Bytes()}
}

// do sends a JSON body.
func (s *station) do(name string, body any) answer {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(name, "", data)
}

func (a answer) refused(status int, text string) {
	a.t.Helper()
	var f wire.Failure
	if err := json.Unmarshal(a.body, &f); err != nil || a.status != status || f.Success || !strings.Contains(f.Error, text) {
		a.t.Fatalf("%d %s, want %d with %q", a.status, a.body, status, text)
	}
}

func ok[T any](a answer) (got T) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, &got); err != nil || a.status != 200 {
		a.t.Fatalf("%d %s", a.status, a.body)
	}
	return got
}

// script is one that a theme has.
const script = "dispatch.on('panic', () => theme.addClass('red'));\n"

func TestAThemeIsReviewedInstalledAndRemoved(t *testing.T) {
	s := open(t, t.TempDir())
	zip := testtheme.New("night", "1.0", script)
	review := ok[wire.ThemeReview](s.send("POST /review", "", zip))
	if x := review.Script; x == nil || x.Source != script || x.SHA256 != testtheme.Sum(script) || x.File != "theme.js" || x.Bytes != len(script) {
		t.Fatalf("script %+v", review.Script)
	}
	if review.Theme.Slug != "night" || review.Theme.Build == "" || !review.Theme.HasJS || review.Theme.Picture != "preview.png" || review.Replaces != nil || len(review.Files) != 4 {
		t.Fatalf("review %+v", review)
	}
	if l := s.List(); slices.ContainsFunc(l.Themes, func(t wire.Theme) bool { return t.Slug == "night" }) || len(s.tellings()) != 0 {
		t.Fatal("a review installs")
	}
	in := ok[wire.ThemeInstalled](s.send("POST /install", "js="+review.Script.SHA256+"&build="+review.Theme.Build, zip))
	if !in.Success || in.Theme != review.Theme {
		t.Fatalf("installed %+v, reviewed %+v", in.Theme, review.Theme)
	}
	if !slices.Contains(s.List().Themes, in.Theme) {
		t.Fatalf("list %+v", s.List())
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/themes/night/"+in.Theme.Build+"/_run.js", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), script) {
		t.Fatalf("served %d %s", w.Code, w.Body)
	}
	again := ok[wire.ThemeReview](s.send("POST /review", "", testtheme.New("night", "1.1", script)))
	if r := again.Replaces; r == nil || r.Version != "1.0" || r.ScriptChanged || r.Same || r.BuiltIn {
		t.Fatalf("replaces %+v", again.Replaces)
	}
	ok[wire.Success](s.do("POST /default", wire.ThemeDefault{Slug: "night"}))
	ok[wire.Success](s.do("POST /remove", wire.ThemeName{Slug: "night"}))
	s.do("POST /remove", wire.ThemeName{Slug: "night"}).refused(404, "night")
	if got, want := s.tellings(), []string{"night 1.0 default ", "night 1.0 default night", " default "}; !slices.Equal(got, want) {
		t.Errorf("dispatchers were told %q, want %q", got, want)
	}
	var notes []string
	for _, e := range s.notes {
		notes = append(notes, e.Action+" "+e.Target)
		if e.Actor.Name != "CAD" || e.Surface != audit.REST || e.Detail["address"] != "203.0.113.9" || e.Time != s.now.UnixMilli() {
			t.Errorf("entry %+v", e)
		}
	}
	if want := []string{"theme.install night", "theme.default night", "theme.remove night"}; !slices.Equal(notes, want) {
		t.Errorf("audited %q, want %q", notes, want)
	}
	if d := s.notes[0].Detail; d["js"] != testtheme.Sum(script) || d["version"] != "1.0" || d["build"] != in.Theme.Build || d["from"] != "upload" {
		t.Errorf("detail %+v", d)
	}
}

// TestNoScriptIsInstalledWithoutItsReview: by upload and from the marketplace, with
// nothing, with a wrong hash, with the hash of the version before, and with files that
// changed since. What was installed stays, and no refusal names the right hash.
func TestNoScriptIsInstalledWithoutItsReview(t *testing.T) {
	const old, now = "// old\n" + script, "// new\n" + script
	type way func(s *station, zip []byte, js, build string) answer
	upload := func(s *station, zip []byte, js, build string) answer {
		return s.send("POST /install", "js="+js+"&build="+build, zip)
	}
	market := func(s *station, zip []byte, js, build string) answer {
		s.market.Offer(s.t, zip)
		s.pass(time.Hour) // the index is not fresh any more
		return s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "night", JS: wire.Text(js), Build: wire.Text(build)})
	}
	for name, install := range map[string]way{"upload": upload, "market": market} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			before, after := testtheme.New("night", "1.0", old), testtheme.New("night", "1.1", now)
			install(s, before, "", "").refused(409, "has a script")
			if l, err := filepath.Glob(filepath.Join(s.dir, "night*")); len(l) != 0 || err != nil {
				t.Fatalf("left behind: %q %v", l, err)
			}
			first := ok[wire.ThemeInstalled](install(s, before, testtheme.Sum(old), "")).Theme
			review := ok[wire.ThemeReview](s.send("POST /review", "", after))
			tellings := len(s.tellings())
			for _, c := range []struct{ why, js, build string }{
				{"nothing", "", ""},
				{"an empty list", "null", ""},
				{"another hash", testtheme.Sum("x"), ""},
				{"the hash of the version before", testtheme.Sum(old), ""},
				{"half a hash", testtheme.Sum(now)[:32], ""},
				{"the hash and more", testtheme.Sum(now) + "00", ""},
				{"the hash of the source as it runs", testtheme.Sum("(" + now + ")"), ""},
				{"the hash of the zip", testtheme.Sum(string(after)), ""},
				{"the build", review.Theme.Build, review.Theme.Build},
				{"the build alone", "", review.Theme.Build},
				{"the build of the version before", testtheme.Sum(now), first.Build},
			} {
				a := install(s, after, c.js, c.build)
				a.refused(409, "")
				if strings.Contains(string(a.body), testtheme.Sum(now)) || strings.Contains(string(a.body), review.Theme.Build) {
					t.Errorf("%s: the refusal tells the hash: %s", c.why, a.body)
				}
				if !slices.Contains(s.List().Themes, first) {
					t.Fatalf("%s: the theme before is gone: %+v", c.why, s.List().Themes)
				}
			}
			// Reviewed, and then the file is another one: same version, another script.
			changed := testtheme.New("night", "1.1", now+"fetch('/api/status')\n")
			install(s, changed, review.Script.SHA256, "").refused(409, "another script")
			// The script is the same, but not the rest.
			files := testtheme.Files("night", "1.1", now)
			files["style.css"] = "body { display: none }"
			install(s, testtheme.Zip(files), review.Script.SHA256, review.Theme.Build).refused(409, "not the one that the review showed")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "/themes/night/"+first.Build+"/_run.js", nil))
			if w.Code != 200 || !strings.Contains(w.Body.String(), old) {
				t.Errorf("the theme before is not served: %d %s", w.Code, w.Body)
			}
			if n := len(s.tellings()); n != tellings || len(s.notes) != 1 {
				t.Errorf("%d tellings and %d entries of refusals", n-tellings, len(s.notes)-1)
			}
			got := ok[wire.ThemeInstalled](install(s, after, strings.ToUpper(review.Script.SHA256), review.Theme.Build))
			if got.Theme.Version != "1.1" {
				t.Errorf("installed %+v", got.Theme)
			}
		})
	}
}

func TestWhatIsNotInstalled(t *testing.T) {
	s := open(t, t.TempDir(), func(o *themedesk.Options) { o.MaxZip = 2048 })
	plain := testtheme.New("night", "1.0", "")
	for _, name := range []string{"POST /review", "POST /install"} {
		s.send(name, "", nil).refused(400, "zip")
		s.send(name, "", []byte("no zip")).refused(400, "zip")
		s.send(name, "", testtheme.Zip(map[string]string{"style.css": ""})).refused(400, "theme.json")
		s.send(name, "", make([]byte, 2049)).refused(413, "larger than 2048 bytes")
		long := httptest.NewRequest("POST", "/", struct{ io.Reader }{bytes.NewReader(make([]byte, 2049))})
		s.ask(name, long).refused(413, "larger than 2048 bytes")
		s.ask(name, httptest.NewRequest("POST", "/", io.MultiReader(bytes.NewReader(plain[:9]), broken{}))).refused(400, "The body ended too early")
	}
	built := s.library.List()[0]
	files := testtheme.Files(built.Slug, "9", "")
	s.send("POST /install", "", testtheme.Zip(files)).refused(409, "built-in")
	s.do("POST /remove", wire.ThemeName{Slug: wire.Text(built.Slug)}).refused(409, "built-in")
	s.do("POST /default", wire.ThemeDefault{Slug: "nigth"}).refused(404, "nigth")
	s.do("POST /default", map[string]any{}).refused(400, "slug is missing")
	s.do("POST /remove", map[string]any{"slug": []int{1}}).refused(400, "slug must be a string")
	s.send("POST /remove", "", bytes.Repeat([]byte(" "), 64<<10+1)).refused(413, "larger than 65536 bytes")
	s.send("POST /nothing", "", nil).refused(404, "No such path")
	s.storage = core.ErrStorage("the disk is full")
	s.send("POST /install", "", plain).refused(503, "Storage unavailable: the disk is full")
	s.do("POST /default", wire.ThemeDefault{Slug: wire.Text(built.Slug)}).refused(503, "the disk is full")
	s.do("POST /remove", wire.ThemeName{Slug: "night"}).refused(503, "the disk is full")
	if len(s.tellings()) != 0 || len(s.notes) != 0 {
		t.Errorf("told %q, noted %+v", s.told, s.notes)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the line is cut") }

// TestAFolderThatCannotBeWritten is another refusal than a bug: the operator can do
// something about it.
func TestAFolderThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "themes")
	s := open(t, dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.send("POST /install", "", testtheme.New("night", "1.0", "")).refused(503, "Storage unavailable")
}

// TestTheOperatorsDefault: the configuration's default holds until one is chosen; a
// choice is kept, and one that agrees with the configuration is none.
func TestTheOperatorsDefault(t *testing.T) {
	dir := t.TempDir()
	configured := func(slug string) func(*themedesk.Options) {
		return func(o *themedesk.Options) { o.Default = slug }
	}
	s := open(t, dir, configured("night"))
	if got := s.List().DefaultTheme; got != "" {
		t.Errorf("the default is %q before it is there", got)
	}
	for _, slug := range []string{"night", "day"} {
		ok[wire.ThemeInstalled](s.send("POST /install", "", testtheme.New(slug, "1.0", "")))
	}
	if got := s.List().DefaultTheme; got != "night" {
		t.Errorf("the default is %q, not that of the configuration", got)
	}
	ok[wire.Success](s.do("POST /default", wire.ThemeDefault{Slug: "day"}))
	if got := open(t, dir, configured("night")).List().DefaultTheme; got != "day" {
		t.Errorf("after a start the default is %q", got)
	}
	ok[wire.Success](s.do("POST /default", wire.ThemeDefault{}))
	if got := open(t, dir, configured("night")).List().DefaultTheme; got != "" {
		t.Errorf("none is chosen, and the default is %q", got)
	}
	ok[wire.Success](s.do("POST /default", wire.ThemeDefault{Slug: "night"}))
	if got := open(t, dir, configured("day")).List().DefaultTheme; got != "day" {
		t.Errorf("the configuration has changed, and the default is %q", got)
	}
}

// TestTheCommandLineChangesThemes: a change by another process is noticed, and told
// once.
func TestTheCommandLineChangesThemes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() { s.Watch(quit); close(ended) }()
	other, err := themes.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	p, err := themes.ReadZip(testtheme.New("night", "1.0", script))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Install(p, p.ScriptSHA256(), "squelch theme install"); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return slices.Equal(s.tellings(), []string{"night 1.0 default "}) })
	if !slices.ContainsFunc(s.List().Themes, func(t wire.Theme) bool { return t.Slug == "night" }) {
		t.Errorf("list %+v", s.List())
	}
	if err := other.Remove("night"); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return slices.Equal(s.tellings(), []string{"night 1.0 default ", " default "}) })
	close(quit)
	<-ended
}

// TestWhatTheCommandLineChangesIsAudited: once, in the order of what the service finds,
// and apart from what it has changed itself; what was there at the start is no change.
func TestWhatTheCommandLineChangesIsAudited(t *testing.T) {
	dir := t.TempDir()
	other, err := themes.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	install := func(slug, version, script string) themes.Installed {
		t.Helper()
		p, err := themes.ReadZip(testtheme.New(slug, version, script))
		if err != nil {
			t.Fatal(err)
		}
		i, err := other.Install(p, p.ScriptSHA256(), "theme.zip")
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	install("early", "1.0", "")
	s := open(t, dir)
	noted := func() (all []string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range s.notes {
			who := e.Actor.Name
			if who == "command line" && (e.Surface != audit.Core || e.Actor.ID != 0 || e.Time != s.now.UnixMilli()) {
				t.Errorf("entry %+v", e)
			}
			all = append(all, strings.TrimSpace(who+": "+e.Action+" "+e.Target))
		}
		return all
	}
	var want []string
	expect := func(more ...string) {
		t.Helper()
		want = append(want, more...)
		s.Look()
		if got := noted(); !slices.Equal(got, want) {
			t.Fatalf("audited %q, want %q", got, want)
		}
	}
	first := install("night", "1.0", script)
	expect("command line: theme.install night")
	if d := s.notes[0].Detail; d["build"] != first.Build || d["js"] != testtheme.Sum(script) || d["name"] != first.Name || d["version"] != "1.0" || d["replaced"] != nil {
		t.Errorf("detail %+v", d)
	}
	second := install("night", "1.1", "")
	expect("command line: theme.install night")
	if d := s.notes[1].Detail; d["build"] != second.Build || d["js"] != nil || d["replaced"] != "1.0" {
		t.Errorf("detail %+v", d)
	}
	ok[wire.ThemeInstalled](s.send("POST /install", "", testtheme.New("day", "1.0", "")))
	ok[wire.Success](s.do("POST /default", wire.ThemeDefault{Slug: "day"}))
	ok[wire.Success](s.do("POST /remove", wire.ThemeName{Slug: "day"}))
	expect("CAD: theme.install day", "CAD: theme.default day", "CAD: theme.remove day")
	// The service comes upon the other's change while it makes its own.
	if err := other.SetDefault("night"); err != nil {
		t.Fatal(err)
	}
	ok[wire.Success](s.do("POST /remove", wire.ThemeName{Slug: "early"}))
	expect("command line: theme.default night", "CAD: theme.remove early")
	// Its choice goes with a theme, which is no choice.
	if err := other.Remove("night"); err != nil {
		t.Fatal(err)
	}
	expect("command line: theme.remove night")
	if d := s.notes[len(want)-1].Detail; d["build"] != second.Build || d["version"] != "1.1" {
		t.Errorf("detail %+v", d)
	}
	// An index that cannot be read removes nothing.
	index := filepath.Join(dir, "index.json")
	install("late", "1.0", "")
	expect("command line: theme.install late")
	sound, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Look()
	if s.List().Problem == "" {
		t.Error("a broken index is no problem")
	}
	if err := os.WriteFile(index, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Look()
	install("last", "1.0", "")
	expect("command line: theme.install last")
}

// TestABrokenThemeIsNamed: dispatchers do not get it, the administration and the log
// say why, and it can be removed.
func TestABrokenThemeIsNamed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	in := ok[wire.ThemeInstalled](s.send("POST /install", "", testtheme.New("night", "1.0", script+"")).orJS(s, script))
	if err := os.WriteFile(filepath.Join(dir, "night-"+in.Theme.Build, "theme.js"), []byte("evil()"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/themes/night/"+in.Theme.Build+"/_run.js", nil))
	if w.Code != 404 || strings.Contains(w.Body.String(), "evil") {
		t.Fatalf("served %d %s", w.Code, w.Body)
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() { s.Watch(quit); close(ended) }()
	until(t, func() bool { return len(s.List().Broken) == 1 })
	close(quit)
	<-ended
	if l := s.List(); l.Broken[0].Slug != "night" || l.Broken[0].Problem == "" || slices.ContainsFunc(l.Themes, func(t wire.Theme) bool { return t.Slug == "night" }) {
		t.Errorf("list %+v", l)
	}
	if !strings.Contains(strings.Join(s.log, "\n"), "the theme night is not served") {
		t.Errorf("log %q", s.log)
	}
	ok[wire.Success](s.do("POST /remove", wire.ThemeName{Slug: "night"}))
	if l := s.List(); len(l.Broken) != 0 {
		t.Errorf("list %+v", l)
	}
}

// orJS installs again with the hash of a script, if that was missing.
func (a answer) orJS(s *station, source string) answer {
	if a.status != 409 {
		return a
	}
	return s.send("POST /install", "js="+testtheme.Sum(source), testtheme.New("night", "1.0", source))
}

// TestUploadsDoNotWaitForOneAnother: slow ones take their places, and whoever comes
// then is told to come again; reading goes on beside them.
func TestUploadsDoNotWaitForOneAnother(t *testing.T) {
	s := open(t, t.TempDir())
	zip := testtheme.New("night", "1.0", "")
	var writers []*io.PipeWriter
	var all sync.WaitGroup
	for range 7 {
		in, out := io.Pipe()
		writers = append(writers, out)
		all.Go(func() { ok[wire.ThemeReview](s.ask("POST /review", httptest.NewRequest("POST", "/", in))) })
		if _, err := out.Write(zip[:1]); err != nil { // it has its place
			t.Fatal(err)
		}
	}
	ok[wire.ThemeReview](s.send("POST /review", "", zip))
	in, out := io.Pipe()
	writers = append(writers, out)
	all.Go(func() { ok[wire.ThemeReview](s.ask("POST /review", httptest.NewRequest("POST", "/", in))) })
	if _, err := out.Write(zip[:1]); err != nil {
		t.Fatal(err)
	}
	a := s.send("POST /review", "", zip)
	a.refused(429, "Too many themes")
	if a.header.Get("Retry-After") == "" {
		t.Error("nothing says when to come again")
	}
	ok[wire.ThemeList](s.send("GET ", "", nil))
	for _, w := range writers {
		if _, err := w.Write(zip[1:]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	ok[wire.ThemeReview](s.send("POST /review", "", zip))
}

// until waits for something that happens soon.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}
