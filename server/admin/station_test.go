package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/scenario"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/internal/contract"
	"squelch/server/internal/teststation"
	"squelch/server/logs"
	"squelch/server/reply"
	"squelch/server/session"
)

// excused are routes that have no good answer here, and where they have one.
var excused = map[string]string{"POST /admin/api/scripts/restart": "needs scripts: server/radio/scripts_test.go"}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, contract.Verify(wire.AdminRoutes, excused)) }

const password = "correct horse"

// paper is an audit stream in memory.
type paper struct {
	mu      sync.Mutex
	records [][]byte
	fails   error
}

func (p *paper) AppendAt(_ context.Context, _ uint64, records ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails == nil {
		p.records = append(p.records, records...)
	}
	return p.fails
}

func (p *paper) Read(_ context.Context, from uint64, limit int) (uint64, [][]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from = max(from, 1)
	if from > uint64(len(p.records)) {
		return from, nil, nil
	}
	rest := p.records[from-1:]
	return from, rest[:min(limit, len(rest))], nil
}

func (p *paper) Bounds() (uint64, uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 1, uint64(len(p.records))
}

// sockets remembers whose sockets were closed.
type sockets struct{ ended []string }

func (s *sockets) EndSession(_ context.Context, owner string) ([]core.UserID, error) {
	if slices.Contains(s.ended, owner) {
		return nil, nil // nobody is left
	}
	s.ended = append(s.ended, owner)
	return []core.UserID{-1}, nil
}

// station is a radio with an administration, without a network.
type station struct {
	t        *testing.T
	clock    *teststation.Clock
	edits    *teststation.Bucket
	paper    *paper
	log      *audit.Log
	sessions *session.Manager
	kept     *teststation.Bucket // the sessions on the disk
	sockets  *sockets
	radio    *engine.Engine
	handler  *admin.Handler
	told     chan core.Fact // what everybody was told
	zip      func(address string) ([]byte, error)
	themes   reply.Desk // nil: there are none
	tapes    tapes
	hooks    hooks
	lines    *logs.Log
	vault    *teststation.Bucket // the accounts on the disk
	accounts *admin.Accounts
	editor   *admin.Editor
}

// hooks are the webhooks that the station has just now.
type hooks struct{ admin.Webhooks }

// tapes hand on to the recordings that the station has just now.
type tapes struct{ reply.Desk }

func (x *tapes) Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error {
	if x.Desk == nil {
		return door.ErrNoPath
	}
	return x.Desk.Serve(name, w, r, by)
}

// Serve hands on to the themes that the station has just now.
func (s *station) Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error {
	if s.themes == nil {
		return door.ErrNoPath
	}
	return s.themes.Serve(name, w, r, by)
}

func onAir(t *testing.T) *station {
	return startWith(t, scenario.Standard(), &teststation.Bucket{})
}

// startWith starts a radio from a file and what a data folder holds.
func startWith(t *testing.T, file core.Config, edits *teststation.Bucket) *station {
	t.Helper()
	s := &station{t: t, zip: func(address string) ([]byte, error) { return []byte("zip for " + address), nil }, clock: teststation.NewClock(time.UnixMilli(1_700_000_000_000)), edits: edits, paper: &paper{}, sockets: &sockets{},
		told: make(chan core.Fact, 1000), lines: logs.New(logs.Options{Level: logs.Debug, Out: io.Discard})}
	t.Cleanup(s.lines.Close)
	s.log = audit.New(s.paper, s.clock.Now)
	var err error
	s.kept = &teststation.Bucket{}
	if s.sessions, err = session.New(s.kept, session.Options{Now: s.clock.Now}); err != nil {
		t.Fatal(err)
	}
	editor, merged, err := admin.OpenEditor(edits, file)
	if err != nil {
		t.Fatal(err)
	}
	state, err := core.New(merged)
	if err != nil {
		t.Fatal(err)
	}
	facts := &engine.Queue[[]core.Event]{Name: "facts", Most: 1000, Replies: true,
		Prepare: func(step *engine.Step) ([]core.Event, bool) { return step.Output.Events, true },
		Deliver: func(_ context.Context, batch [][]core.Event) error {
			for _, e := range slices.Concat(batch...) {
				s.told <- e.Fact
			}
			return nil
		}}
	s.radio = engine.Start(state, engine.NewAlone(s.clock.Now, nil), engine.Options{Followers: []engine.Follower{facts}, Logf: t.Logf})
	t.Cleanup(s.radio.Close)
	s.vault = &teststation.Bucket{}
	if s.accounts, err = admin.OpenAccounts(s.vault, password, s.clock.Now); err != nil {
		t.Fatal(err)
	}
	s.editor = editor
	s.use(s.accounts)
	return s
}

// use makes the handler, with these accounts.
func (s *station) use(accounts *admin.Accounts) {
	s.t.Helper()
	var err error
	s.handler, err = admin.New(admin.Options{Accounts: accounts, Engine: s.radio, Editor: s.editor, Sessions: s.sessions,
		Sockets: s.sockets, Audit: noting{s.log, s.t}, Now: s.clock.Now, Logf: s.t.Logf, Themes: s, Recordings: &s.tapes, Webhooks: &s.hooks, Log: s.lines,
		Resource: func(address string) ([]byte, error) { return s.zip(address) }})
	if err != nil {
		s.t.Fatal(err)
	}
}

// audited are the entries of the audit log.
func (s *station) audited() []audit.Entry {
	s.t.Helper()
	entries, err := s.log.Read(s.t.Context(), 1, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	return entries
}

// browser is one administrator.
type browser struct {
	s            *station
	cookie, csrf string
	change       func(*http.Request) // nil: as a browser does
}

// answer is what came back.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

func (b *browser) send(method, path string, body any) answer {
	b.s.t.Helper()
	var in io.Reader = http.NoBody
	switch body := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(body)
	default:
		j, err := json.Marshal(body)
		if err != nil {
			b.s.t.Fatal(err)
		}
		in = bytes.NewReader(j)
	}
	r := httptest.NewRequest(method, "http://radio.test/admin/api/"+path, in)
	r.RemoteAddr = "203.0.113.9:5000"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "squelch_admin", Value: b.cookie})
	}
	if b.csrf != "" {
		r.Header.Set("X-CSRF-Token", b.csrf)
	}
	if b.change != nil {
		b.change(r)
	}
	w := httptest.NewRecorder()
	b.s.handler.ServeHTTP(w, r)
	if err := contract.Answer(r, w.Code, w.Body.Bytes()); err != nil {
		b.s.t.Errorf("the document does not promise that: %v", err)
	}
	return answer{b.s.t, w.Code, w.Header(), w.Body.Bytes()}
}

func (s *station) logIn() *browser {
	s.t.Helper()
	b := &browser{s: s}
	a := b.send("POST", "login", wire.AdminLogin{Password: password})
	var in wire.AdminSession
	a.ok(&in)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		b.cookie = c.Value
	}
	b.csrf = in.CSRFToken
	return b
}

// ok expects success and reads the reply.
func (a answer) ok(into any) {
	a.t.Helper()
	if a.status != 200 {
		a.t.Fatalf("%d %s", a.status, a.body)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		a.t.Fatalf("%v in %s", err, a.body)
	}
}

// refused expects a refusal with a path and a part of its text.
func (a answer) refused(status int, field, text string) {
	a.t.Helper()
	var f wire.AdminFailure
	if err := json.Unmarshal(a.body, &f); err != nil || a.status != status || f.Success || f.Field != field || !strings.Contains(f.Error, text) {
		a.t.Fatalf("got %d %s, want %d, field %q, text %q", a.status, a.body, status, field, text)
	}
}

func (b *browser) config() wire.AdminConfig {
	b.s.t.Helper()
	var c wire.AdminConfig
	b.send("GET", "config", nil).ok(&c)
	return c
}

// inForce is the configuration of the radio itself.
func (s *station) inForce() core.Config {
	s.t.Helper()
	var c core.Config
	if err := s.radio.View(s.t.Context(), func(v core.View) { c = *v.Config() }); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// actions returns the actions in the audit log.
func (s *station) actions() []string {
	s.t.Helper()
	var all []string
	for _, e := range s.audited() {
		if e.Surface != audit.Admin || e.Actor.Name != "admin" || e.Detail["address"] != "203.0.113.9" {
			s.t.Fatalf("entry %+v", e)
		}
		all = append(all, e.Action)
	}
	return all
}

// noting is an audit log whose disk never fails.
type noting struct {
	*audit.Log
	t *testing.T
}

func (n noting) Note(ctx context.Context, entries ...audit.Entry) {
	if err := n.Append(ctx, entries...); err != nil {
		n.t.Error(err)
	}
}
