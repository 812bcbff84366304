package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"squelch/core"
	"squelch/sfu"
	peer "squelch/sfu/client"
)

// handheld is a player's radio: one WebRTC connection for voice and events.
type handheld struct {
	*peer.Client
	s    *station
	mu   sync.Mutex
	got  []string // messages, those in pieces put together
	part string
	from map[core.UserID]int // frames of voice
	over bool
	asks int
}

// offered makes the media plane take offers.
func (s *station) offered() *station {
	s.t.Helper()
	if err := s.Media.Listen(sfu.Network{UDP: "127.0.0.1:0"}); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// player makes a player known, as the game server does.
func (s *station) player(id core.UserID) {
	s.t.Helper()
	if _, err := s.sessions.PlayerConnect(s.t.Context(), int(id), []byte(`{}`)); err != nil {
		s.t.Fatal(err)
	}
	s.do(core.Register{User: id, Facts: core.Facts{Name: "Unit " + id.String()}})
}

// drop ends a player, as the game server does.
func (s *station) drop(id core.UserID) {
	s.t.Helper()
	if err := s.sessions.PlayerDrop(s.t.Context(), int(id)); err != nil {
		s.t.Fatal(err)
	}
	s.do(core.Drop{User: id})
}

// handheld connects a player.
func (s *station) handheld(id core.UserID) *handheld {
	s.t.Helper()
	r, err := s.tryHandheld(id, func(ctx context.Context, offer string) (string, error) { return s.Offer(ctx, id, offer) })
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *station) tryHandheld(id core.UserID, offer func(context.Context, string) (string, error)) (r *handheld, err error) {
	r = &handheld{s: s, from: map[core.UserID]int{}}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	r.Client, err = peer.Dial(ctx, peer.Options{ID: id, Loopback: true, Control: r.take, Heard: r.hears, Gone: func() { r.set(func() { r.over = true }) }}, offer)
	if err == nil {
		s.t.Cleanup(r.Close)
	}
	return r, err
}

func (r *handheld) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *handheld) hears(p peer.Received) { r.set(func() { r.from[p.Talker]++ }) }

// take puts messages that come in pieces together.
func (r *handheld) take(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var piece []string
	if strings.HasPrefix(string(text), `["#more"`) || strings.HasPrefix(string(text), `["#end"`) {
		if err := json.Unmarshal(text, &piece); err != nil || len(piece) != 2 {
			r.s.t.Errorf("piece %.80q: %v", text, err)
			return
		}
		if r.part += piece[1]; piece[0] == "#more" {
			return
		}
		text, r.part = []byte(r.part), ""
	}
	r.got = append(r.got, string(text))
}

// until waits for something about a radio.
func (r *handheld) until(what string, done func() bool) {
	r.s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		yes := done()
		r.mu.Unlock()
		if yes {
			return
		}
		if time.Now().After(end) {
			r.s.t.Fatalf("in vain: %s; got %.2000q", what, r.got)
		}
	}
}

// hear waits for a message that begins with prefix, takes it and what came before.
func (r *handheld) hear(prefix string) (text string) {
	r.s.t.Helper()
	r.until("waiting for "+prefix, func() bool {
		n := slices.IndexFunc(r.got, func(m string) bool { return strings.HasPrefix(m, prefix) })
		if n >= 0 {
			text, r.got = r.got[n], r.got[n+1:]
		}
		return n >= 0
	})
	return text
}

func (r *handheld) say(text string) {
	r.s.t.Helper()
	if err := r.SendControl(text); err != nil {
		r.s.t.Fatal(err)
	}
}

// ask sends an event and returns its acknowledgement.
func (r *handheld) ask(event, payload string) string {
	r.s.t.Helper()
	r.asks++
	r.say(fmt.Sprintf(`[%q,%s,%d]`, event, payload, r.asks))
	prefix := fmt.Sprintf(`["#ack",%d,`, r.asks)
	return strings.TrimSuffix(strings.TrimPrefix(r.hear(prefix), prefix), "]")
}

const success = `{"success":true}`

func (r *handheld) tuned() *handheld {
	r.s.t.Helper()
	if got := r.ask("setSpeakerChannel", `"154.755"`); got != success {
		r.s.t.Fatalf("tuning: %s", got)
	}
	return r
}

func (r *handheld) ended() { r.s.t.Helper(); r.until("the end", func() bool { return r.over }) }

// user is how the radio sees a user.
func (s *station) user(id core.UserID) (u core.UserView) {
	s.t.Helper()
	if err := s.Engine().View(s.t.Context(), func(v core.View) { u, _ = v.User(id) }); err != nil {
		s.t.Fatal(err)
	}
	return u
}

// becomes waits until the radio sees a user so.
func (s *station) becomes(id core.UserID, what string, is func(core.UserView) bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !is(s.user(id)); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("user %s does not become %s: %+v", id, what, s.user(id))
		}
	}
}

func isLost(u core.UserView) bool { return u.Linked && u.Lost }
func isLive(u core.UserView) bool { return u.Linked && !u.Lost }
func isOff(u core.UserView) bool  { return !u.Linked }
