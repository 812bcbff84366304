package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sioclient "squelch/server/sio/client"
)

// office is the others: two consoles and two units on one channel, who talk in turn
// while the service is attacked, and a game server at work.
type office struct {
	s       *service
	members []*member
	took    []time.Duration // of the key-ups
	lastLog time.Time

	ended   atomic.Pointer[string] // why the victim's socket has ended
	closing atomic.Bool
	closers []func()
	reading sync.WaitGroup
}

// member is one of them, with a client that would reconnect.
type member struct {
	*sioclient.Client
	id      int
	ready   chan bool
	trouble atomic.Pointer[string] // the first thing that must not happen

	mu    sync.Mutex
	heard map[string]chan bool // voice and floor events that somebody waits for
}

func newOffice(s *service) *office {
	s.t.Helper()
	o := &office{s: s}
	for _, id := range []int{-100, -101} {
		by := s.login(fmt.Sprint("DESK ", -id))
		o.join(id, map[string]any{"authToken": by.AuthToken, "sessionId": by.SessionID, "serverId": id})
	}
	for _, id := range []int{501, 502} {
		var player struct{ PlayerToken string }
		s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": id, "name": fmt.Sprint("Unit ", id), "nacId": "PD"},
			session{AuthToken: masterToken}, http.StatusOK, &player)
		o.join(id, map[string]any{"authToken": player.PlayerToken, "serverId": id})
	}
	return o
}

func (o *office) join(id int, auth map[string]any) {
	m := &member{id: id, ready: make(chan bool, 1), heard: map[string]chan bool{}}
	fail := func(format string, args ...any) {
		what := fmt.Sprintf(format, args...)
		m.trouble.CompareAndSwap(nil, &what)
	}
	var err error
	m.Client, err = sioclient.New(sioclient.Options{URL: o.s.url, NoReconnect: true, Auth: func() any { return auth },
		OnConnect:      func(bool) { m.ready <- true },
		OnConnectError: func(err error) { fail("refused: %v", err) },
		OnDisconnect:   func(reason string) { fail("disconnected: %s", reason) },
		OnEvent: func(e sioclient.Event) {
			switch e.Name {
			case "identity":
				fail("another id: %s", e.Args[0])
			case "refused", "ptt:denied":
				fail("%s %s", e.Name, e.Args[0])
			case "voice", "talkingState":
				m.hear(string(e.Args[0]))
			}
		}})
	if err != nil {
		o.s.t.Fatal(err)
	}
	o.members = append(o.members, m)
	select {
	case <-m.ready:
	case <-time.After(patience):
		o.s.t.Fatalf("%d never came on the radio", id)
	}
	o.must(m, "setSpeakerChannel", "154.755")
}

// victim is the socket of one more console, which an enemy knows of. It has to
// survive.
func (o *office) victim() (pid, offset string) {
	by := o.s.login("VICTIM")
	r := o.s.websocket("")
	r.wait("0{")
	r.send(fmt.Sprintf(`40{"authToken":%q,"sessionId":%q,"serverId":-102}`, by.AuthToken, by.SessionID))
	v := set{r.conn}
	pid, offset = v.papers(r.wait("40{"))
	_ = r.conn.SetWriteDeadline(time.Time{}) // it is in no hurry any more
	o.reading.Go(func() {
		for {
			text, err := r.read(time.Now().Add(patience))
			if err != nil || strings.HasPrefix(text, "41") {
				if !o.closing.Load() {
					what := fmt.Sprintf("its socket was ended: %s %v", text, err)
					o.ended.CompareAndSwap(nil, &what)
				}
				return
			}
		}
	})
	o.closers = append(o.closers, func() { _ = r.conn.Close() })
	return pid, offset
}

func (o *office) close() {
	o.closing.Store(true)
	for _, end := range o.closers {
		end()
	}
	o.reading.Wait()
	for _, m := range o.members {
		m.Close()
	}
}

// must sends an event and expects success.
func (o *office) must(m *member, event string, args ...any) {
	o.s.t.Helper()
	answer := make(chan string, 1)
	err := m.EmitAck(event, patience, func(args []json.RawMessage, err error) {
		if err != nil || len(args) == 0 {
			answer <- fmt.Sprint(err)
			return
		}
		answer <- string(args[0])
	}, args...)
	if err != nil {
		o.s.t.Fatalf("%d %s: %v; %v", m.id, event, err, o.troubles())
	}
	if got := <-answer; !strings.HasPrefix(got, `{"success":true`) {
		o.s.t.Fatalf("%d %s: %s; %v", m.id, event, got, o.troubles())
	}
}

// hear keeps what somebody waits for.
func (m *member) hear(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for want, found := range m.heard {
		if strings.Contains(text, want) {
			close(found)
			delete(m.heard, want)
		}
	}
}

func (m *member) expect(want string) chan bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := make(chan bool)
	m.heard[want] = found
	return found
}

// round: everybody talks once and is heard, and the game server and a console do
// their daily work.
func (o *office) round(n int) {
	o.s.t.Helper()
	for i, m := range o.members {
		near := o.members[(i+1)%len(o.members)]
		word := fmt.Sprintf("Y2FsbQ%dx%d", n, i+len(o.members))
		heard := near.expect(`"data":"` + word + `"`)
		from := time.Now()
		o.must(m, "setTalking", true)
		o.took = append(o.took, time.Since(from))
		if err := m.Emit("voice", map[string]any{"data": word}); err != nil {
			o.s.t.Fatal(err)
		}
		select {
		case <-heard:
		case <-time.After(patience):
			o.s.t.Fatalf("%d was not heard by %d; %v", m.id, near.id, o.troubles())
		}
		o.must(m, "setTalking", false)
	}
	player := map[string]any{"serverId": 600 + n%50, "name": "Passer-by"}
	game := session{AuthToken: masterToken}
	o.s.ask(http.MethodPost, "/api/player/connect", player, game, http.StatusOK, nil)
	o.s.ask(http.MethodPost, "/api/player/drop", player, game, http.StatusOK, nil)
	if time.Since(o.lastLog) > 500*time.Millisecond { // an address may log in five times a second
		o.lastLog = time.Now()
		by := o.s.login("RELIEF")
		o.s.ask(http.MethodGet, "/radio/dispatch/status", nil, by, http.StatusOK, nil)
		o.s.ask(http.MethodPost, "/radio/dispatch/logout", map[string]any{}, by, http.StatusOK, nil)
	}
}

func (o *office) troubles() (all []string) {
	for _, m := range o.members {
		if what := m.trouble.Load(); what != nil {
			all = append(all, fmt.Sprintf("%d: %s", m.id, *what))
		}
	}
	if what := o.ended.Load(); what != nil {
		all = append(all, "-102: "+*what)
	}
	return all
}

func (o *office) undisturbed(rounds int) {
	o.s.t.Helper()
	if all := o.troubles(); len(all) > 0 {
		o.s.t.Errorf("disturbed: %v", all)
	}
	slices.Sort(o.took)
	at := func(share float64) time.Duration { return o.took[int(share*float64(len(o.took)-1))] }
	o.s.t.Logf("%d rounds, %d key-ups granted: median %v, p99 %v, longest %v", rounds, len(o.took),
		at(0.5).Round(time.Microsecond), at(0.99).Round(time.Microsecond), at(1).Round(time.Microsecond))
	if at(0.99) > keyUpWithin {
		o.s.t.Errorf("p99 of a key-up is %v", at(0.99))
	}
}
