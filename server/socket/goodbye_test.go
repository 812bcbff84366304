package socket

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/engine"
)

// A console that logs out and connects again at once, before the service has handled
// the goodbye to its end, begins anew: a goodbye is never taken for a lost link.
func TestAGoodbyeIsNotALostLink(t *testing.T) {
	s := newStation(t, 40)
	login := s.login("BRISK")
	for n := range 200 {
		r, got := s.dial(auth(login, -1))
		if !strings.HasPrefix(got, "40") {
			t.Fatalf("round %d: %s", n, got)
		}
		// Where the goodbye is still on its way, the newcomer gets the next id.
		var id core.UserID
		if _, err := fmt.Sscanf(r.hear(`42["self"`), `42["self",{"serverId":%d`, &id); err != nil {
			t.Fatal(err)
		}
		var u core.UserView
		_ = s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(id) })
		if u.Current != 0 {
			t.Fatalf("round %d: it is still on %v", n, u.Current)
		}
		r.tuned()
		r.say("41")
		r.say("1")
	}
}

// slowLeave holds the next client that leaves between the hub, which has unbound it,
// and the radio, which does not know that yet.
type slowLeave struct {
	armed       atomic.Bool
	held, letGo chan struct{}
}

func (s *station) slowLeave() *slowLeave {
	l := &slowLeave{held: make(chan struct{}), letGo: make(chan struct{})}
	engineOf := s.Hub.Engine
	s.Hub.Engine = func() *engine.Engine {
		if l.armed.CompareAndSwap(true, false) {
			close(l.held)
			<-l.letGo
		}
		return engineOf()
	}
	return l
}

// end makes a client leave, and lets the radio know only when somebody new has had time
// to come in between.
func (l *slowLeave) end(leave func()) {
	l.armed.Store(true)
	leave()
	<-l.held
	time.AfterFunc(200*time.Millisecond, func() { close(l.letGo) })
}

// Whoever comes back while the radio does not yet know of the end of the link before is
// not taken off the radio by it.
func TestABelatedGoodbyeEndsNobodyElse(t *testing.T) {
	t.Run("a player", func(t *testing.T) {
		s := newStation(t, 40)
		token := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{}`)))
		who := map[string]any{"authToken": token, "serverId": 7}
		slow := s.slowLeave()
		r, _ := s.dial(who)
		r.tuned()
		old := s.client(7)
		slow.end(func() { r.say("41") })
		again, _ := s.dial(who)
		again.tuned()
		old.conn.Ended(patience)
		if u := s.user(7); !isLive(u) || u.Current == 0 {
			t.Errorf("the new link's user is %+v", u)
		}
	})
	t.Run("a dispatcher", func(t *testing.T) {
		s := newStation(t, 40)
		who := auth(s.login("BRISK"), -1)
		slow := s.slowLeave()
		r, _ := s.dial(who)
		r.tuned()
		old := s.client(-1)
		slow.end(func() { r.say("41") })
		again, _ := s.dial(who)
		again.tuned()
		old.conn.Ended(patience)
		if u := s.user(-1); !isLive(u) || u.Current == 0 {
			t.Errorf("it should have got its own id: %+v", u)
		}
	})
	t.Run("a lost link that is recovered", func(t *testing.T) {
		s := newStation(t, 40)
		who := auth(s.login("BRISK"), -1)
		slow := s.slowLeave()
		r, greeting := s.dial(who)
		r.tuned()
		r.say(`42["heartbeat",1]`)
		pid, offset := papers(greeting, r.hear(`42["heartbeat_response"`))
		slow.end(func() { r.conn.NetConn().Close() })
		who["pid"], who["offset"] = pid, offset
		again, greeting := s.dial(who)
		if !strings.Contains(greeting, pid) {
			t.Errorf("another socket was made: %s", greeting)
		}
		again.asks(`["heartbeat",1]`)
		if u := s.user(-1); !isLive(u) || u.Current == 0 {
			t.Errorf("its user is %+v", u)
		}
	})
}
