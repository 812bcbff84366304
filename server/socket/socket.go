// Package socket is the Socket.IO adapter of the radio: it decodes what clients
// send into commands, tells clients of events, and carries their voice. It
// decides nothing.
package socket

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/sio"
	"squelch/sfu"
)

// Limits and timeouts of the adapter.
const (
	// probeTime is how long an older socket of the same identity has to answer
	// before it counts as dead (decisions: "Same dispatcher id twice").
	probeTime = 2 * time.Second
	// commandTime bounds one command of a client, the store included.
	commandTime = 10 * time.Second
	// defaultEventRate (per second) and eventBurst bound the control events of
	// one socket: beyond them its events wait, nobody else's do. A console that
	// joins and scans a large layout sends some hundreds at once.
	defaultEventRate = 200
	eventBurst       = 4000
	// defaultVoiceBytes is the largest data field of a voice event, as base64
	// text: a 300 ms WebM blob is under 10 KiB.
	defaultVoiceBytes = 64 << 10
)

// Identity is who a socket's credentials belong to.
type Identity struct {
	Owner  string      // the lineage of the session, an API key's Owner, or "" with the bare master token
	Player core.UserID // set for a player token
	Name   string      // the session's callsign, the key's name
	Nac    string
	Key    bool          // with an API key, which may do what Scopes says
	Scopes wire.ScopeSet // of an API key
	// Sessions are the keys of the sessions that the socket needs: the one it is
	// on, and then that of its token.
	Sessions []string
}

// Gate checks credentials. Errors of Admit are *sio.ConnectError with Data of
// type Refusal.
type Gate interface {
	// Admit checks the auth object of a handshake.
	Admit(h wire.Handshake, addr string) (Identity, error)
	// Session checks a session id that is named after the handshake, for a
	// socket of owner that was admitted with the token.
	Session(owner, token, sessionID string) (Identity, error)
	// Live says whether a session or API key of this owner may still be used.
	Live(owner string) bool
	// Hold notes an open socket on sessions, which then do not end to make room;
	// false: the first of them has ended. Release takes the same keys back; cut
	// says that the socket's link broke.
	Hold(sessions []string) bool
	Release(sessions []string, cut bool)
	// Player is whose player token it is; 0: nobody's.
	Player(token string) core.UserID
}

// Refusal is the data of a connect_error.
type Refusal = wire.ConnectRefusal

// Refuse makes a connect_error.
func Refuse(code, message string) *sio.ConnectError {
	return &sio.ConnectError{Message: message, Data: Refusal{Code: code, Error: message}}
}

// Facts asks the outside (Lua callbacks, the game server's register) about a
// user who connects.
type Facts func(ctx context.Context, id core.UserID, who Identity) core.Facts

// Options of a Hub.
type Options struct {
	Engine func() *engine.Engine // the engine starts after the hub, which is its sink
	Server *sio.Server
	Gate   Gate
	Facts  Facts
	Media  *sfu.SFU
	// PublicURL is the address under which browsers reach the service; "": only
	// the host that a handshake names.
	PublicURL string
	Now       func() time.Time
	Logf      func(format string, args ...any)
	// EventsPerSecond and VoiceBytes are limits of one socket; 0: the defaults.
	EventsPerSecond, VoiceBytes int
}

// Hub is all clients.
type Hub struct {
	Options
	ns      *sio.Namespace
	mu      sync.Mutex
	clients map[core.UserID]*client
	wrong   atomic.Int64 // events with a wrong payload
	// silenced are voice events of API keys that may not talk.
	silenced atomic.Int64
	lost     map[core.UserID]*client // whose link broke; its user waits for it
}

// NewHub mounts the radio on a Socket.IO server.
func NewHub(o Options) *Hub {
	if o.EventsPerSecond <= 0 {
		o.EventsPerSecond = defaultEventRate
	}
	if o.VoiceBytes <= 0 {
		o.VoiceBytes = defaultVoiceBytes
	}
	h := &Hub{Options: o, ns: o.Server.Of("/"), clients: map[core.UserID]*client{}, lost: map[core.UserID]*client{}}
	h.ns.Use(h.admit)
	h.ns.OnConnection(h.connected)
	h.ns.OnRecover(h.mayRecover, h.resume)
	return h
}

// Stats of the adapter.
type Stats struct {
	Clients      int   `json:"clients"`
	WrongPayload int64 `json:"wrongPayload"`
	Silenced     int64 `json:"silenced"` // voice with an API key that may not talk
}

// Stats counts the clients and what was ignored.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Stats{Clients: len(h.clients), WrongPayload: h.wrong.Load(), Silenced: h.silenced.Load()}
}

func (h *Hub) client(id core.UserID) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clients[id]
}

// bind makes c the client of user id; it runs on the engine's goroutine, before
// anybody is told.
func (h *Hub) bind(c *client, id core.UserID) {
	h.mu.Lock()
	was := core.UserID(c.id.Load())
	if was != id && h.clients[was] == c {
		delete(h.clients, was)
	}
	h.clients[id] = c
	if h.lost[id] == c.from {
		delete(h.lost, id)
	}
	c.from = nil
	h.mu.Unlock()
	h.forsake(id) // another client has taken its place
	if was != id {
		c.sock.Leave(userRoom(was))
	}
	c.id.Store(int32(id))
	rooms := []string{userRoom(id)}
	if id.Dispatcher() {
		rooms = append(rooms, dispatchRoom)
	}
	c.sock.Join(rooms...)
}

// unbind says whether c still was the client of its user.
func (h *Hub) unbind(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := core.UserID(c.id.Load())
	if h.clients[id] != c {
		return false
	}
	delete(h.clients, id)
	return true
}

const dispatchRoom = "dispatch"

func userRoom(id core.UserID) string { return "user " + id.String() }

// Tell delivers events; it is the engine's sink and runs on its goroutine.
func (h *Hub) Tell(events []core.Event, v core.View) {
	for _, e := range events {
		for _, m := range wire.Encode(e, v) {
			h.send(m)
		}
		h.follow(e.Fact, v)
	}
}

// follow keeps what the adapter itself must know of a client's user.
func (h *Hub) follow(f core.Fact, v core.View) {
	switch f := f.(type) {
	case core.UserConnected:
		if c := h.client(f.User); c != nil {
			u, _ := v.User(f.User)
			c.current.Store(int64(u.Current))
		}
	case core.SpeakerJoined:
		if c := h.client(f.User); c != nil {
			c.current.Store(int64(f.Frequency))
		}
	case core.SpeakerLeft:
		if c := h.client(f.User); c != nil {
			c.current.CompareAndSwap(int64(f.Frequency), 0)
		}
	case core.UserLeft:
		// The same step may have given the id to somebody else, as on a full radio.
		if u, on := v.User(f.User); on && u.Linked {
			return
		}
		h.Media.ClosePeer(f.User)
		h.forsake(f.User)
		if c := h.client(f.User); c != nil && f.Reason != "closed" {
			c.sock.Disconnect(true)
		}
	}
}

func (h *Hub) send(m wire.Message) {
	arg, err := json.Marshal(m.Payload)
	if err != nil {
		h.Logf("event %s cannot be encoded: %v", m.Name, err)
		return
	}
	p := h.ns.PrepareRaw(m.Name, arg)
	if m.To.Everyone {
		h.ns.Except().SendPrepared(p)
		return
	}
	var rooms []string
	if m.To.Dispatchers {
		rooms = append(rooms, dispatchRoom)
	}
	for _, u := range m.To.Users {
		if !m.To.Dispatchers || !u.Dispatcher() {
			rooms = append(rooms, userRoom(u))
		}
	}
	if len(rooms) > 0 {
		h.ns.To(rooms...).SendPrepared(p)
	}
}
