package socket

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"squelch/core"
	"squelch/core/wire"
)

// cluster makes stations the nodes of one.
func cluster(t *testing.T, nodes int) []*station {
	t.Helper()
	all := newStations(t, 100, nodes)
	for n, s := range all {
		var others []wire.NodeAddress
		for m, o := range all {
			if m != n {
				others = append(others, wire.NodeAddress{Name: string(rune('a' + m)), URL: o.web.URL})
			}
		}
		s.listed.Store(&wire.Nodes{Self: string(rune('a' + n)), Nodes: others})
		s.Nodes = func() wire.Nodes { return *s.listed.Load() }
		s.Elsewhere = func(_ context.Context, id core.UserID) bool {
			for m, o := range all {
				if m != n && !o.killed.Load() && o.Answers(id) {
					return true
				}
			}
			return false
		}
	}
	return all
}

func TestTheWelcomeNamesTheOtherNodes(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	r := all[0].desk(-1)
	want := `42["nodes",{"self":"a","nodes":[{"name":"b","url":"` + all[1].web.URL + `"}]}`
	if got := r.hear(`42["nodes"`); !strings.HasPrefix(got, want) {
		t.Errorf("told %s, want %s", got, want)
	}
	all[0].offered().player(7)
	h := all[0].handheld(7)
	if got := h.hear(`["nodes"`); "42"+got != want+"]" {
		t.Errorf("over the data channel %s, want %s", got, want)
	}
	all[0].listed.Store(&wire.Nodes{Self: "a"})
	all[0].NodesChanged()
	if got := r.hear(`42["nodes"`); !strings.HasPrefix(got, `42["nodes",{"self":"a","nodes":[]}`) {
		t.Errorf("when the last one has gone: %s", got)
	}
	h.hear(`["nodes"`)
}

func TestAServiceThatIsAloneNamesNoNodes(t *testing.T) {
	t.Parallel()
	for name, nodes := range map[string]func() wire.Nodes{"no cluster": nil, "nobody else in it": func() wire.Nodes { return wire.Nodes{Self: "a"} }} {
		s := newStation(t, 100)
		s.Nodes = nodes
		r := s.desk(-1)
		s.NodesChanged()
		r.say(`42["heartbeat",1]`)
		for _, m := range r.until(`42["heartbeat_response"`) {
			if strings.HasPrefix(m, `42["nodes"`) {
				t.Errorf("%s: told %s", name, m)
			}
		}
	}
}

func TestANodeThatMovesItsClientsTakesNoMoreUntilItStays(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	a, b := all[0], all[1]
	c := a.login("KING-1")
	r, _ := a.dial(auth(c, -1))
	r.tuned()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := a.Move(ctx); err != nil {
		t.Fatal(err)
	}
	if got := r.hear(`42["nodes",{"self":"a"`); !strings.Contains(got, `"leaving":true}`) {
		t.Errorf("told %s", got)
	}
	if _, answer, err := websocket.DefaultDialer.Dial(a.url, nil); err == nil || answer == nil || answer.StatusCode != 503 {
		t.Errorf("a client that comes: %v %v", answer, err)
	}
	again, _ := b.dial(auth(c, -1))
	again.say(`42["heartbeat",1]`)
	again.hear(`42["heartbeat_response"`)
	if u := b.user(-1); !u.Linked || u.Lost || u.Current == 0 {
		t.Errorf("at the other node: %+v", u)
	}
	a.Stay()
	a.desk(-2).tuned()
}

// TestAConsoleWhoseNodeWasKilledIsItselfAtTheNext: nobody has said yet that its link is
// lost.
func TestAConsoleWhoseNodeWasKilledIsItselfAtTheNext(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	a, b := all[0], all[1]
	c := a.login("KING-1")
	r, _ := a.dial(auth(c, -1))
	r.tuned()
	a.killed.Store(true) // for b
	again, _ := b.dial(auth(c, -1))
	again.say(`42["heartbeat",1]`)
	again.hear(`42["heartbeat_response"`)
	if u := b.user(-1); !u.Linked || u.Lost || u.Current == 0 {
		t.Errorf("it is %+v", u)
	}
	a.waits("the first node has lost it", func() bool { return len(a.Linked()) == 0 && len(b.Linked()) == 1 })
	r.until("41") // told that it is over
	if u := b.user(-1); u.Lost {
		t.Error("what the first node reports ends the second one's link")
	}
}

func TestALiveConsoleAtAnotherNodeKeepsItsId(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	c := all[0].login("KING-1")
	first, _ := all[0].dial(auth(c, -1))
	first.tuned()
	go func() { // it answers the probe
		for {
			_, m, err := first.conn.ReadMessage()
			if err != nil {
				return
			}
			if string(m) == "2" {
				_ = first.conn.WriteMessage(websocket.TextMessage, []byte("3"))
			}
		}
	}()
	second, _ := all[1].dial(auth(c, -1))
	if got := second.hear(`42["identity"`); !strings.HasPrefix(got, `42["identity",{"serverId":-2}`) {
		t.Errorf("the second is %s", got)
	}
}

func TestALateReportOfALostLinkIsCorrected(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	r := all[0].desk(-1).tuned()
	all[1].unlink(-1) // the other node was slow to notice
	all[0].waits("the link counts again", func() bool { return !all[0].user(-1).Lost })
	if got := r.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Error(got)
	}
}

func TestAPlayersNewestConnectionWinsAtAnyNode(t *testing.T) {
	t.Parallel()
	all := cluster(t, 2)
	token := must(all[0].sessions.PlayerConnect(t.Context(), 7, nil))
	old, _ := all[0].dial(map[string]any{"authToken": token})
	old.say(`42["heartbeat",1]`)
	old.hear(`42["heartbeat_response"`)
	fresh, _ := all[1].dial(map[string]any{"authToken": token})
	fresh.tuned()
	old.until("41")
	all[0].waits("only the newest is linked", func() bool { return len(all[0].Linked()) == 0 && len(all[1].Linked()) == 1 })
	if u := all[1].user(7); !u.Linked || u.Lost {
		t.Errorf("the player is %+v", u)
	}
}

// waits polls until something is so.
func (s *station) waits(what string, is func() bool) {
	s.t.Helper()
	for until := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			s.t.Fatal("it did not happen that " + what)
		}
	}
}
