package socket

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/session"
)

func (s *station) reauth(token string) session.Credentials {
	s.t.Helper()
	c, _, err := s.sessions.Reauth(s.t.Context(), token, "AGAIN")
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// ends fills up the login with new sessions and says which of the given ones ended.
func (s *station) ends(token string, all ...session.Credentials) (ended []bool) {
	s.t.Helper()
	for range 2 * session.DefaultMaxPerLogin {
		time.Sleep(time.Millisecond) // so that each is younger than the one before
		token = s.reauth(token).Token
	}
	for _, c := range all {
		_, err := s.sessions.Check(c.SessionID, masterToken)
		ended = append(ended, err != nil)
	}
	return ended
}

func link(c session.Credentials) string { return `["setDispatchSession","` + c.SessionID + `"]` }

const done = `431[{"success":true}]`

// Sessions end to make room, but not under an open socket: neither its own session,
// nor the one of its token, which it sends again when it reconnects.
func TestAnOpenSocketKeepsItsSessions(t *testing.T) {
	s := newStation(t, 100)
	first := s.login("KING-1")
	second, third := s.reauth(first.Token), s.reauth(first.Token)
	desk, got := s.dial(map[string]any{"authToken": first.Token, "sessionId": second.SessionID, "serverId": -1})
	if !strings.HasPrefix(got, "40{") {
		t.Fatal(got)
	}
	desk.tuned()
	if ended := s.ends(s.reauth(first.Token).Token, first, second, third); fmt.Sprint(ended) != "[false false true]" {
		t.Errorf("the token's session, the socket's and an idle one ended: %v", ended)
	}
	next := s.reauth(first.Token)
	if got := desk.asks(link(next)); got != done {
		t.Fatal(got)
	}
	if ended := s.ends(s.reauth(first.Token).Token, first, second, next); fmt.Sprint(ended) != "[false true false]" {
		t.Errorf("the token's session, the one that the socket has left and its new one ended: %v", ended)
	}
	desk.say("41")
	desk.say("1")
	s.left(-1)
	if ended := s.ends(s.reauth(first.Token).Token, first, next); fmt.Sprint(ended) != "[true true]" {
		t.Errorf("without a socket they ended: %v", ended)
	}
}

// left waits until a user is not on the radio any more.
func (s *station) left(id core.UserID) {
	s.t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		found := false
		if err := s.Engine().View(s.t.Context(), func(v core.View) { _, found = v.User(id) }); err != nil {
			s.t.Fatal(err)
		}
		if !found {
			return
		}
		if time.Now().After(until) {
			s.t.Fatalf("user %d stays", id)
		}
	}
}

func TestASocketNamesAnySessionOfItsLoginAndNoOther(t *testing.T) {
	s := newStation(t, 100)
	first, stranger := s.login("KING-1"), s.login("ROOK-1")
	desk, _ := s.dial(map[string]any{"authToken": first.Token, "sessionId": first.SessionID, "serverId": -1})
	next := s.reauth(first.Token)
	for _, c := range []struct {
		named session.Credentials
		want  string
	}{{next, done}, {first, done}, {next, done}, {stranger, `431[{"success":false,"error":"Unknown or expired session"}]`}} {
		if got := desk.asks(link(c.named)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	// The token that the socket came with may be over before the login is.
	if err := s.sessions.Discard(t.Context(), keyOf(s, first)); err != nil {
		t.Fatal(err)
	}
	if got := desk.asks(link(s.reauth(next.Token))); got != done {
		t.Errorf("after the end of its own token: %s", got)
	}
	bot := s.desk(-5)
	for _, c := range []session.Credentials{next, stranger} {
		if got := bot.asks(link(c)); got != done {
			t.Errorf("with the bare master token: %s", got)
		}
	}
}

func keyOf(s *station, c session.Credentials) string {
	found, err := s.sessions.Check(c.SessionID, c.Token)
	if err != nil {
		s.t.Fatal(err)
	}
	return found.Key
}

// The older socket of a dispatcher is dead, and the new one has the token of a
// reauth: id, channel and floor go on.
func TestADispatcherComesBackWithANewSession(t *testing.T) {
	s := newStation(t, 100)
	s.desk(-1).tuned()
	first := s.login("KING-1")
	old, _ := s.dial(map[string]any{"authToken": first.Token, "sessionId": first.SessionID, "serverId": -1})
	old.hear(`42["identity",{"serverId":-2}`)
	old.tuned()
	next := s.reauth(first.Token)
	for name, c := range map[string]session.Credentials{
		"new session, new token": next, "new session, old token": {SessionID: next.SessionID, Token: first.Token},
		"old session, new token": {SessionID: first.SessionID, Token: next.Token}, "old session, old token": first,
	} {
		old.conn.Close()
		back, got := s.dial(map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -1})
		if !strings.HasPrefix(got, "40{") {
			t.Fatalf("%s: %s", name, got)
		}
		if got := back.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
			t.Errorf("%s: %s", name, got)
		}
		if got := back.asks(`["setTalking",true]`); got != done {
			t.Errorf("%s: key-up on the channel that it had: %s", name, got)
		}
		back.asks(`["setTalking",false]`)
		old = back
	}
}

// A session that ends between handshake and connection leaves no socket behind.
func TestASessionThatEndsInTheHandshakeHasNoSocket(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("KING-1")
	s.Gate = &lateGate{s.Gate, func() {
		if err := s.sessions.Revoke(t.Context(), keyOf(s, c)); err != nil {
			t.Error(err)
		}
	}}
	r, _ := s.dial(map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -1})
	r.hear("41")
	s.left(-1)
}

// lateGate runs a function after somebody has been admitted.
type lateGate struct {
	Gate
	then func()
}

func (g *lateGate) Hold(sessions []string) bool {
	if then := g.then; then != nil {
		g.then = nil
		then()
	}
	return g.Gate.Hold(sessions)
}
