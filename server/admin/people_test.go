package admin_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/session"
)

func withContext(ctx context.Context) func(*http.Request) {
	return func(r *http.Request) { *r = *r.WithContext(ctx) }
}

// connect puts a dispatcher of a session, or a player, on the radio.
func (s *station) connect(id core.UserID, owner string) {
	s.t.Helper()
	cmd := core.Connect{Want: id, Owner: owner, Facts: core.Facts{Name: "Alex"}}
	if _, err := s.radio.Do(s.t.Context(), core.Actor{User: id, Surface: core.BySocket}, cmd); err != nil {
		s.t.Fatal(err)
	}
}

func TestSessionsAreShownWithWhomTheyHoldAndRevoked(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	credentials, desk, err := s.sessions.Create(t.Context(), session.Identity{Callsign: "Desk", NacID: "desk-1", Via: session.ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	s.connect(-1, desk.Key)
	s.connect(-2, desk.Key)
	s.connect(7, "player")
	a := b.send("GET", "sessions", nil)
	var list wire.AdminSessionList
	a.ok(&list)
	if len(list.Sessions) != 1 || list.Sessions[0].Callsign != "Desk" || !slices.Equal(list.Sessions[0].Users, []core.UserID{-2, -1}) {
		t.Fatalf("%s", a.body)
	}
	for _, secret := range []string{credentials.SessionID, credentials.Token, "desk-1"} {
		if strings.Contains(string(a.body), secret) {
			t.Fatalf("%q is in %s", secret, a.body)
		}
	}
	var users wire.AdminUserList
	b.send("GET", "users", nil).ok(&users)
	if len(users.Users) != 3 || users.Users[0].Session != desk.Key || users.Users[2].Session != "" || users.Users[2].Name != "Alex" || users.Users[2].Link != "up" {
		t.Fatalf("%+v", users.Users)
	}
	b.send("POST", "sessions/revoke", `{}`).refused(400, "key", "key is missing")
	b.send("POST", "sessions/revoke", `{"key":"x"}`).refused(404, "key", "No such session")
	var gone wire.AdminRevoked
	b.send("POST", "sessions/revoke", wire.AdminRevoke{Key: wire.Text(desk.Key)}).ok(&gone)
	if s.sessions.Live(desk.Key) || !slices.Equal(s.sockets.ended, []string{desk.Key}) || !slices.Equal(gone.Closed, []core.UserID{-1}) {
		t.Fatalf("%+v, sockets of %v", gone, s.sockets.ended)
	}
	b.send("POST", "sessions/revoke", wire.AdminRevoke{Key: wire.Text(desk.Key)}).refused(404, "key", "No such session")
	if got := s.actions(); !slices.Equal(got, []string{"admin.login", "admin.session.revoke"}) {
		t.Fatalf("audited %v", got)
	}
}

// A socket that was opened in time stays; an administrator sees it and can end it.
func TestALoginThatIsOverIsShownWhileItHoldsAUser(t *testing.T) {
	s := onAir(t)
	_, desk, err := s.sessions.Create(t.Context(), session.Identity{Callsign: "Desk", Via: session.ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	s.connect(-1, desk.Lineage)
	s.clock.Pass(25 * time.Hour)
	b := s.logIn()
	var list wire.AdminSessionList
	b.send("GET", "sessions", nil).ok(&list)
	if len(list.Sessions) != 1 || list.Sessions[0].Key != desk.Lineage || list.Sessions[0].Expires != 0 || !slices.Equal(list.Sessions[0].Users, []core.UserID{-1}) {
		t.Fatalf("%+v", list.Sessions)
	}
	var users wire.AdminUserList
	if b.send("GET", "users", nil).ok(&users); users.Users[0].Session != desk.Lineage {
		t.Errorf("%+v", users.Users)
	}
	var gone wire.AdminRevoked
	b.send("POST", "sessions/revoke", wire.AdminRevoke{Key: wire.Text(desk.Lineage)}).ok(&gone)
	if !slices.Equal(s.sockets.ended, []string{desk.Lineage}) {
		t.Errorf("sockets of %v ended", s.sockets.ended)
	}
}

func TestALoginIsOneRowAndEndsWithAllItsSessions(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	first, desk, err := s.sessions.Create(t.Context(), session.Identity{Callsign: "Desk", Via: session.ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Pass(time.Minute)
	second, next, err := s.sessions.Reauth(t.Context(), first.Token, "Desk 2")
	if err != nil {
		t.Fatal(err)
	}
	s.connect(-1, desk.Lineage)
	var list wire.AdminSessionList
	b.send("GET", "sessions", nil).ok(&list)
	want := wire.AdminSessionRow{Key: desk.Lineage, Callsign: "Desk 2", Via: "nac", Created: desk.Created.UnixMilli(),
		Expires: next.Expires.UnixMilli(), LastUsed: next.LastUsed.UnixMilli(), Users: []core.UserID{-1}}
	if len(list.Sessions) != 1 || !reflect.DeepEqual(list.Sessions[0], want) {
		t.Fatalf("%+v, want %+v", list.Sessions, want)
	}
	var users wire.AdminUserList
	b.send("GET", "users", nil).ok(&users)
	if users.Users[0].Session != desk.Lineage {
		t.Errorf("the user belongs to %q", users.Users[0].Session)
	}
	// Any of its sessions may be named: the log has their keys.
	var gone wire.AdminRevoked
	b.send("POST", "sessions/revoke", wire.AdminRevoke{Key: wire.Text(next.Key)}).ok(&gone)
	for _, c := range []session.Credentials{first, second} {
		if _, err := s.sessions.Check(c.SessionID, c.Token); err == nil {
			t.Error("one of its sessions lives on")
		}
	}
	if !slices.Equal(s.sockets.ended, []string{desk.Lineage}) {
		t.Errorf("ended the sockets of %v", s.sockets.ended)
	}
}

// A broken disk does not keep anybody in: the answer says that it is not stored
// yet.
func TestARevocationIsInForceBeforeItIsStored(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	desk, login, err := s.sessions.Create(t.Context(), session.Identity{Callsign: "Desk", Via: session.ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	s.kept.Break(core.ErrStorage("the disk is full"))
	b.send("POST", "sessions/revoke", wire.AdminRevoke{Key: wire.Text(login.Key)}).refused(503, "", "Storage unavailable: the disk is full")
	if _, err := s.sessions.Check(desk.SessionID, desk.Token); err == nil || !slices.Equal(s.sockets.ended, []string{login.Key}) {
		t.Errorf("the session lives on; ended the sockets of %v", s.sockets.ended)
	}
	s.kept.Break(nil)
	if _, err := s.sessions.Sweep(t.Context()); err != nil || len(s.kept.All()) != 0 {
		t.Errorf("when the disk is back: %v, stored %d", err, len(s.kept.All()))
	}
}

// written puts n entries into the log.
func (s *station) written(n int) {
	s.t.Helper()
	for i := range n {
		e := audit.Entry{Actor: audit.Actor{ID: -1, Name: "=Desk"}, Surface: audit.REST, Action: "alert", Frequency: "154.755", Target: "-7",
			Detail: map[string]any{"n": i, "text": "with \"quotes\",\nlines"}}
		if err := s.log.Append(s.t.Context(), e); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestTheWholeLogComesAsLines(t *testing.T) {
	s := onAir(t)
	s.written(700) // more than two batches
	b := s.logIn()
	a := b.send("GET", "audit.jsonl", nil)
	if a.status != 200 || a.header.Get("Content-Disposition") != `attachment; filename="squelch-audit.jsonl"` || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	lines := strings.Split(strings.TrimSpace(string(a.body)), "\n")
	if len(lines) != 702 { // and the login, and this download
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != uint64(i+1) {
			t.Fatalf("line %d: %v %s", i+1, err, line)
		}
	}
	if !strings.Contains(lines[701], `"action":"admin.audit.download"`) {
		t.Fatalf("last line %s", lines[701])
	}
	var page wire.AdminAuditPage
	b.send("GET", "audit", nil).ok(&page)
	if len(page.Entries) != 100 || page.Entries[99].Seq != 702 || page.Entries[0].Actor != (wire.AdminAuditActor{ID: -1, Name: "=Desk"}) {
		t.Fatalf("%d entries, %+v", len(page.Entries), page.Entries[0])
	}
}

func TestTheWholeLogComesAsATableWithoutFormulas(t *testing.T) {
	s := onAir(t)
	s.written(300)
	rows, err := csv.NewReader(strings.NewReader(string(s.logIn().send("GET", "audit.csv", nil).body))).ReadAll()
	if err != nil || len(rows) != 303 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []string{"1", "2023-11-14T22:13:20.000Z", "-1", "'=Desk", "rest", "alert", "154.755", "-7", `{"n":0,"text":"with \"quotes\",\nlines"}`}
	if !reflect.DeepEqual(rows[1], want) || rows[0][0] != "seq" {
		t.Fatalf("%q", rows[:2])
	}
}

func TestAnEmptyOrBrokenLog(t *testing.T) {
	s := onAir(t)
	s.written(3)
	b := s.logIn()
	var v wire.AdminVerification
	b.send("GET", "audit/verify", nil).ok(&v)
	if !v.OK || v.First != 1 || v.Last != 4 || len(v.Head) != 64 {
		t.Fatalf("%+v", v)
	}
	s.paper.records[1] = []byte(strings.Replace(string(s.paper.records[1]), "154.755", "154.815", 1))
	v = wire.AdminVerification{}
	b.send("GET", "audit/verify", nil).ok(&v)
	if v.OK || v.Entry != 2 || !strings.Contains(v.Reason, "was changed") {
		t.Fatalf("%+v", v)
	}
	b.send("GET", "audit", nil).refused(500, "", "entry 2")
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Fatal("half a log looks like a whole one")
		}
	}()
	b.send("GET", "audit.jsonl", nil)
}

func TestTwoReadersOfTheLogAtOnceAreEnough(t *testing.T) {
	s := onAir(t)
	s.written(1)
	b := s.logIn()
	arrived, leave := make(chan bool), make(chan struct{})
	for range 2 {
		slow := &browser{s: s, cookie: b.cookie}
		slow.change = withContext(slowContext{Context: t.Context(), arrived: arrived, leave: leave})
		go func() { arrived <- slow.send("GET", "audit/verify", nil).status == 200 }()
		<-arrived
	}
	b.send("GET", "audit/verify", nil).refused(429, "", "already being read")
	b.send("GET", "audit.csv", nil).refused(429, "", "already being read")
	close(leave)
	for range 2 {
		if !<-arrived {
			t.Fatal("a reader failed")
		}
	}
	s.clock.Pass(time.Second)
	var v wire.AdminVerification
	b.send("GET", "audit/verify", nil).ok(&v)
}

// slowContext holds its owner where it asks whether it may go on.
type slowContext struct {
	context.Context
	arrived chan bool
	leave   chan struct{}
}

func (c slowContext) Err() error {
	select {
	case <-c.leave:
	default:
		c.arrived <- true
		<-c.leave
	}
	return c.Context.Err()
}
