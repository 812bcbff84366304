package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/internal/contract"
	"squelch/server/internal/teststation"
	"squelch/server/internal/testtheme"
	"squelch/server/rest"
	"squelch/server/session"
)

const (
	masterToken = "the game server's own token"
	dispatchNac = "4711"
	mainChannel = "154.755"
	tacChannel  = "460.25"
)

// station is a whole service on a port of its own: a real radio, real
// sessions, everything kept in memory.
type station struct {
	*httptest.Server
	t        testing.TB
	engine   *engine.Engine
	sessions *session.Manager
	mirror   *game.Mirror
	audit    *audited
	bucket   *teststation.Bucket
	clock    *teststation.Clock // the clock of sessions, lock-out and limits
	log      *lines
	unready  string          // why it takes no traffic
	market   *testtheme.Site // nil: it has no themes
	options  rest.Options
	handler  *rest.Handler
}

type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) logf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

func (l *lines) containing(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range l.all {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// audited is an audit log in memory.
type audited struct {
	mu      sync.Mutex
	entries []audit.Entry
	fails   error
}

func (a *audited) Append(_ context.Context, entries ...audit.Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fails == nil {
		a.entries = append(a.entries, entries...)
	}
	return a.fails
}

func (a *audited) Note(_ context.Context, entries ...audit.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = append(a.entries, entries...)
}

func (a *audited) actions() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for _, e := range a.entries {
		all = append(all, e.Action)
	}
	return all
}

func radioConfig() core.Config {
	c := core.DefaultConfig()
	c.ServerName = "County Dispatch"
	c.DispatchNac = dispatchNac
	c.Zones = []core.Zone{{Name: "County", Channels: []core.Channel{
		{Name: "Main", Type: core.Conventional, Frequency: frequency(mainChannel), Shown: "154.7550"},
		{Name: "Tac", Type: core.Conventional, Frequency: frequency(tacChannel), Shown: "460.250"},
		{Name: "Digital", Type: core.Digital, Frequency: frequency("155.1")},
		{Name: "Talkgroup", Type: core.Trunked, Frequency: frequency("851"), Low: frequency("852"), High: frequency("852.0125")},
	}}}
	c.Alerts = []core.Alert{{Name: "SIGNAL 100", Tones: core.AlertTones{Activate: "ALERT_A"}}}
	c.Tones = []core.Tone{{Name: "ALERT_A", File: "alert_a.wav"}, {Name: "BEEP", File: "beep.wav"}}
	return c
}

func frequency(text string) core.Frequency {
	f, err := core.ParseFrequency(text)
	if err != nil {
		panic(err)
	}
	return f
}

// onAir starts a station; change may modify its options.
func onAir(t testing.TB, change ...func(*rest.Options)) *station {
	t.Helper()
	state, err := core.New(radioConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &station{t: t, audit: &audited{}, bucket: &teststation.Bucket{}, log: &lines{}, clock: teststation.NewClock(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))}
	s.mirror = game.NewMirror(game.MirrorOptions{Engine: func() *engine.Engine { return s.engine }, Callbacks: func() []string { return []string{"getUserNacId"} }})
	s.engine = engine.Start(state, engine.NewAlone(time.Now, nil), engine.Options{Followers: []engine.Follower{s.mirror.Follower()}})
	s.sessions, err = session.New(s.bucket, session.Options{MasterToken: masterToken, Now: s.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	options := rest.Options{Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, Audit: s.audit, Now: s.clock.Now, Logf: s.log.logf, Build: "test",
		Ready: func() string { return s.unready }, Cluster: twoNodes{}, Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "squelch_ready 1\n") }),
		Resource: func(address string) ([]byte, error) { return []byte("zip for " + address), nil },
		Panel:    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<title>panel</title>") })}
	s.options = options
	s.use(t, change...)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() { s.Close(); s.engine.Close() })
	return s
}

// use changes the options of a station.
func (s *station) use(t testing.TB, change ...func(*rest.Options)) {
	t.Helper()
	for _, c := range change {
		c(&s.options)
	}
	var err error
	if s.handler, err = rest.New(s.options); err != nil {
		t.Fatal(err)
	}
}

func contains(text, part string) bool { return strings.Contains(text, part) }

// answer is what came back, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("answer %d is not a JSON object: %q", a.status, a.body)
	}
	return v
}

func (a answer) text(t testing.TB) string {
	t.Helper()
	text, _ := a.json(t)["error"].(string)
	return text
}

// refused checks a failure: its status, its whole body, and that its error contains a
// text.
func (a answer) refused(t testing.TB, status int, contains string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	v := a.json(t)
	text, _ := v["error"].(string)
	if len(v) != 2 || v["success"] != false || text == "" || !strings.Contains(text, contains) {
		t.Fatalf("body %s, want success false and an error with %q", a.body, contains)
	}
	if got := a.header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Fatalf("content type %q", got)
	}
}

type credentials struct{ session, token string }

func (c credentials) sign(r *http.Request) {
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		r.Header.Set("X-Session-Id", c.session)
	}
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send makes a request; body may be nil, a string (sent as it is) or anything that
// becomes JSON.
func (s *station) send(method, path string, who credentials, body any, change ...func(*http.Request)) answer {
	s.t.Helper()
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	case []byte:
		data = b
	default:
		data, _ = json.Marshal(b) // of strings and numbers
	}
	r, err := http.NewRequest(method, s.URL+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	who.sign(r)
	for _, c := range change {
		c(r)
	}
	got, err := noRedirects.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	read, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.HasPrefix(path, "/admin/") { // a stand-in serves it here
		return answer{got.StatusCode, got.Header, read}
	}
	if err := contract.Answer(r, got.StatusCode, read); err != nil {
		s.t.Errorf("the document does not promise that: %v", err)
	}
	return answer{got.StatusCode, got.Header, read}
}

// logIn begins a session as a console does.
func (s *station) logIn(callsign string) credentials {
	s.t.Helper()
	a := s.send("POST", "/radio/dispatch/auth", credentials{}, map[string]string{"nacId": dispatchNac, "callsign": callsign})
	var reply wire.AuthReply
	if a.status != 200 || json.Unmarshal(a.body, &reply) != nil || !reply.Success || reply.SessionID == "" || reply.AuthToken == "" {
		s.t.Fatalf("login: %d %s", a.status, a.body)
	}
	return credentials{reply.SessionID, reply.AuthToken}
}

// key is the public name of the session's login.
func (s *station) key(c credentials) string {
	s.t.Helper()
	found, err := s.sessions.Check(c.session, c.token)
	if err != nil {
		s.t.Fatal(err)
	}
	return found.Lineage
}

func (s *station) do(by core.Actor, cmd core.Command) core.Output {
	s.t.Helper()
	out, err := s.engine.Do(context.Background(), by, cmd)
	if err != nil {
		s.t.Fatalf("%T: %v", cmd, err)
	}
	return out
}

// join puts a player on a channel.
func (s *station) join(id core.UserID, channel string) {
	s.t.Helper()
	by := core.Actor{User: id, Surface: core.BySocket}
	s.do(core.Actor{Surface: core.ByREST}, core.Register{User: id, Facts: core.Facts{Name: fmt.Sprint("Unit ", id)}})
	s.do(by, core.Connect{Want: id, Owner: fmt.Sprint("player ", id)})
	s.do(by, core.JoinAsSpeaker{User: id, Frequency: frequency(channel)})
}

// console connects a session's socket as a dispatcher and returns its id.
func (s *station) console(c credentials, want core.UserID) core.UserID {
	s.t.Helper()
	out := s.do(core.Actor{Surface: core.BySocket}, core.Connect{Want: want, Owner: s.key(c), Facts: core.Facts{Name: "Console"}})
	made, ok := core.First[core.UserConnected](out)
	if !ok {
		s.t.Fatal("the console did not connect")
	}
	return made.User
}

func (s *station) view(look func(core.View)) {
	s.t.Helper()
	if err := s.engine.View(context.Background(), look); err != nil {
		s.t.Fatal(err)
	}
}

func (s *station) reconfigure(c core.Config) {
	s.t.Helper()
	s.do(core.Actor{Surface: core.ByAdmin}, core.ReplaceConfig{Config: c})
}
