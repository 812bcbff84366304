package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/session"
)

const logoutPath = "/radio/dispatch/logout"

// reauth asks for a new session with a token.
func (s *station) reauth(token, callsign string) credentials {
	s.t.Helper()
	a := s.send("POST", reauthPath, credentials{token: token}, map[string]string{"callsign": callsign})
	var reply wire.AuthReply
	if a.status != 200 || json.Unmarshal(a.body, &reply) != nil {
		s.t.Fatalf("reauth: %d %s", a.status, a.body)
	}
	return credentials{reply.SessionID, reply.AuthToken}
}

func TestEverySessionOfALoginIsItsDispatcher(t *testing.T) {
	s := onAir(t)
	s.console(s.logIn("Other"), -1)
	first := s.logIn("Desk")
	if got := s.console(first, -1); got != -2 {
		t.Fatalf("the desk got %d", got)
	}
	next := s.reauth(first.token, "Desk 2")
	last := s.reauth(next.token, "Desk 3")
	callsign := func(id core.UserID) (c string) {
		s.view(func(v core.View) { u, _ := v.User(id); c = u.Callsign })
		return c
	}
	for _, by := range []credentials{first, next, last, {first.session, last.token}, {last.session, first.token}, {next.session, masterToken}} {
		var made wire.PatchCreated
		a := s.send("POST", "/api/patch/create", by, map[string][]string{"frequencies": {mainChannel, tacChannel}})
		if err := json.Unmarshal(a.body, &made); err != nil || a.status != 201 || made.CreatedBy != -2 {
			t.Fatalf("%d %s; want a patch made by -2", a.status, a.body)
		}
		s.send("POST", "/api/patch/remove", by, map[string]string{"id": made.ID})
		for _, body := range []string{`{"callsign":"HERE","userId":-1}`, `{"callsign":"HERE"}`, `{"callsign":"HERE","userId":-2}`} {
			if a := s.send("POST", "/dispatch/user/update-callsign", by, body); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if callsign(-2) != "HERE" || callsign(-1) != "" {
				t.Errorf("%s: the callsigns are %q and %q", body, callsign(-2), callsign(-1))
			}
			s.do(core.Actor{Surface: core.ByAdmin}, core.SetCallsign{User: -2})
		}
	}
	stranger := s.logIn("Stranger")
	for _, c := range []credentials{{first.session, stranger.token}, {stranger.session, last.token}} {
		s.send("GET", "/api/status", c, nil).refused(t, 401, "Authentication required")
	}
}

// sockets remembers whose connections were ended.
type sockets struct {
	ended []string
	err   error
}

func (s *sockets) EndSession(_ context.Context, owner string) ([]core.UserID, error) {
	s.ended = append(s.ended, owner)
	return []core.UserID{-2}, s.err
}

func TestALogoutEndsTheWholeLogin(t *testing.T) {
	held := &sockets{}
	s := onAir(t, func(o *rest.Options) { o.Sockets = held })
	first, other := s.logIn("Desk"), s.logIn("Other")
	lineage := s.key(first)
	next := s.reauth(first.token, "Desk 2")
	a := s.send("POST", logoutPath, next, nil)
	if a.status != 200 || string(a.body) != "{\"success\":true}\n" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var cleared []string
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.MaxAge >= 0 || c.Value != "" || c.Path != "/" {
			t.Errorf("cookie %+v is not cleared", c)
		}
		cleared = append(cleared, c.Name)
	}
	if slices.Sort(cleared); !slices.Equal(cleared, []string{"dispatch_auth_token", "dispatch_login", "dispatch_login_done", "dispatch_session_id"}) {
		t.Errorf("cleared %v", cleared)
	}
	for _, c := range []credentials{first, next, {first.session, masterToken}} {
		s.send("GET", "/api/status", c, nil).refused(t, 401, "Authentication required")
		s.send("POST", logoutPath, c, nil).refused(t, 401, "Authentication required")
	}
	for _, token := range []string{first.token, next.token} {
		s.send("POST", reauthPath, credentials{token: token}, `{"callsign":"x"}`).refused(t, 401, "Authentication required")
	}
	if a := s.send("GET", "/api/status", other, nil); a.status != 200 {
		t.Errorf("another login: %d %s", a.status, a.body)
	}
	if !slices.Equal(held.ended, []string{lineage}) {
		t.Errorf("ended the sockets of %v, want %s", held.ended, lineage)
	}
	e := s.audit.entries[len(s.audit.entries)-1]
	if e.Action != "logout" || e.Actor.Name != "Desk 2" || e.Detail["login"] != lineage || e.Detail["address"] != "127.0.0.1" {
		t.Errorf("audited %+v", e)
	}
}

// A logout that cannot be audited just now is a logout all the same; its record waits
// for the disk.
func TestALogoutThatCannotBeAuditedYetEndsTheLogin(t *testing.T) {
	held := &sockets{}
	s := onAir(t, func(o *rest.Options) { o.Sockets = held })
	who := s.logIn("Desk")
	s.audit.fails = errors.New("disk full")
	if a := s.send("POST", logoutPath, who, nil); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.send("GET", "/api/status", who, nil).refused(t, 401, "")
	if len(held.ended) != 1 {
		t.Errorf("ended the sockets of %v", held.ended)
	}
}

func TestALogoutDoesNotWaitForABrokenDisk(t *testing.T) {
	held := &sockets{}
	s := onAir(t, func(o *rest.Options) { o.Sockets = held })
	who := s.logIn("Desk")
	s.bucket.Break(core.ErrStorage("the disk is full"))
	if a := s.send("POST", logoutPath, who, nil); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.send("GET", "/api/status", who, nil).refused(t, 401, "")
	if len(held.ended) != 1 || s.log.containing("could not be stored yet") != 1 || len(s.bucket.All()) != 1 {
		t.Errorf("ended %v, stored %d, log %q", held.ended, len(s.bucket.All()), s.log.all)
	}
	s.bucket.Break(nil)
	if _, err := s.sessions.Sweep(t.Context()); err != nil || len(s.bucket.All()) != 0 {
		t.Errorf("when the disk is back: %v, stored %d", err, len(s.bucket.All()))
	}
}

func TestForeignPagesLogNobodyOut(t *testing.T) {
	s := onAir(t)
	who := s.logIn("Desk")
	withCookies := func(site string) func(*http.Request) {
		return func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "dispatch_auth_token", Value: who.token})
			r.AddCookie(&http.Cookie{Name: "dispatch_session_id", Value: who.session})
			r.Header.Set("Sec-Fetch-Site", site)
		}
	}
	s.send("POST", logoutPath, credentials{}, nil, withCookies("cross-site")).refused(t, 401, "Authentication required")
	if a := s.send("POST", logoutPath, credentials{}, nil, withCookies("same-origin")); a.status != 200 {
		t.Errorf("our own page: %d %s", a.status, a.body)
	}
}

func TestAReauthThatCannotBeAuditedLeavesTheLoginAlone(t *testing.T) {
	s := onAir(t)
	who := s.logIn("Desk")
	s.audit.fails = errors.New("disk full")
	s.send("POST", reauthPath, credentials{token: who.token}, `{"callsign":"Desk"}`).refused(t, 500, "Server error")
	s.audit.fails = nil
	if a := s.send("GET", "/api/status", who, nil); a.status != 200 || len(s.sessions.List()) != 1 {
		t.Errorf("%d %s, %d sessions", a.status, a.body, len(s.sessions.List()))
	}
}

func TestWhereEverySessionHasAnOpenSocketAMoreIsRefused(t *testing.T) {
	s := onAir(t, func(o *rest.Options) { o.Reauths = session.NewLimiter(1e6, 1e6, nil) })
	who := s.logIn("Desk")
	for len(s.sessions.List()) < 16 {
		s.reauth(who.token, "Desk")
	}
	for _, one := range s.sessions.List() {
		s.sessions.Hold(one.Key)
	}
	a := s.send("POST", reauthPath, credentials{token: who.token}, `{"callsign":"Desk"}`)
	a.refused(t, 429, "Too many sessions with an open connection")
	if got := a.header.Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After %q", got)
	}
	if a := s.send("GET", "/api/status", who, nil); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestAnAuditedReauthNamesItsLogin(t *testing.T) {
	s := onAir(t)
	first := s.logIn("Desk")
	next := s.reauth(first.token, "Desk 2")
	found, err := s.sessions.Check(next.session, next.token)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Pass(time.Second)
	s.reauth(masterToken, "Bot")
	entries := s.audit.entries
	if e := entries[1]; e.Action != "reauth" || e.Detail["login"] != s.key(first) || e.Detail["session"] != found.Key {
		t.Errorf("with a session's token: %+v", e)
	}
	if e := entries[2]; e.Action != "reauth" || e.Detail["login"] != nil {
		t.Errorf("with the master token: %+v", e)
	}
	for _, e := range entries {
		told, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{first.session, first.token, next.session, next.token} {
			if strings.Contains(string(told), secret) {
				t.Errorf("a secret is in the log: %s", told)
			}
		}
	}
}
