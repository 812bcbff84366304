package socket

import (
	"strings"
	"testing"
	"time"

	"squelch/core"
)

// One login that connects under ever new ids and breaks each link fills the radio
// with users who may come back; others must still find a place.
func TestGhostsOfOneLoginLeaveRoomForOthers(t *testing.T) {
	s := newStation(t, 40)
	mad, king := s.login("MAD"), s.login("KING-1")
	first, _ := s.dial(auth(mad, -1))
	first.tuned()
	for id := -2; id > -80; id-- {
		r, got := s.dial(auth(mad, id))
		if !strings.HasPrefix(got, "40") {
			t.Fatalf("id %d: %s", id, got)
		}
		r.asks(`["heartbeat",1]`)
		r.conn.NetConn().Close()
	}
	r, got := s.dial(auth(king, -100))
	if !strings.HasPrefix(got, "40") {
		t.Fatalf("another login: %s", got)
	}
	r.tuned()
	s.waiting(ownersIds-1, "the newest ghosts wait")
	first.tuned() // somebody who is connected is not removed to make room

	// When all places are taken by connected users, the next one is refused, but only
	// if it is of that login.
	for id := -200; id > -200-ownersIds+1; id-- {
		r, _ := s.dial(auth(mad, id))
		r.asks(`["heartbeat",1]`)
	}
	s.waiting(0, "the ghosts have made room")
	if _, got := s.dial(auth(mad, -300)); !strings.Contains(got, `"code":"full"`) {
		t.Errorf("one more: %s", got)
	}
	if _, got := s.dial(auth(king, -101)); !strings.HasPrefix(got, "40") {
		t.Errorf("another login: %s", got)
	}
	var u core.UserView
	_ = s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(-1) })
	if !u.Linked || u.Lost {
		t.Errorf("the first is %+v", u)
	}
}

// A client that gets the id of a ghost stays; the ghost makes room and leaves.
func TestWhoGetsAGhostsIDStays(t *testing.T) {
	s := newStation(t, 4)
	mad := s.login("MAD")
	live := s.console(auth(mad, -1))
	await(t, live.met, "the radio")
	for _, id := range []int{-2, -3, -4} {
		r, _ := s.dial(auth(mad, id))
		r.asks(`["heartbeat",1]`)
		r.conn.NetConn().Close()
		s.waiting(-1-id, "a ghost more")
	}
	king, _ := s.dial(auth(s.login("KING-1"), -1))
	if got := king.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Fatal(got)
	}
	king.tuned()
	s.waiting(2, "one ghost has gone")
	king.asks(`["heartbeat",1]`)
	if n := s.Stats().Clients; n != 2 {
		t.Errorf("%d clients", n)
	}
}

// A player's newest connection replaces the older one. If the radio refuses the
// newest one, no user is left that looks linked but has no client.
func TestARefusedReplacementLeavesNoGhost(t *testing.T) {
	s := newStation(t, 10)
	token := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{"serverId":7}`)))
	s.do(core.Register{User: 7})
	first, _ := s.dial(map[string]any{"authToken": token})
	first.tuned()
	s.unit = strings.Repeat("x", 1000) // no radio takes such a unit id
	second, _ := s.dial(map[string]any{"authToken": token})
	second.hear(`42["refused"`)
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var u core.UserView
		_ = s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(7) })
		if u.Lost || !u.Linked {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the player seems to be linked: %+v", u)
		}
	}
}
