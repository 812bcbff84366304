// Package socket is the adapter of the radio for its clients: it decodes what they
// send into commands, tells them of events, and carries their voice. It decides
// nothing. A client is connected by a link: a Socket.IO socket, or the data channel of
// its WebRTC connection.
package socket

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/sio"
	"squelch/sfu"
)

// Identity is whom a socket's credentials belong to.
type Identity struct {
	// Caller: User is a player's; Owner is the lineage of a session, or an API
	// key's Owner.
	door.Caller
	// Sessions are the keys of the sessions that the socket needs: its own, and then
	// that of its token.
	Sessions []string
}

// Gate checks credentials. Errors of Admit are *sio.ConnectError with Data of
// type Refusal.
type Gate interface {
	// Admit checks the auth object of a handshake.
	Admit(h wire.Handshake, addr string) (Identity, error)
	// Session checks a session id that is named after the handshake; owner and token
	// are those that the socket was admitted with.
	Session(owner, token, sessionID string) (Identity, error)
	// Live says whether a session or API key of this owner may still be used.
	Live(owner string) bool
	// Hold notes an open socket on sessions, so that they do not end to make room;
	// false: the first of them has ended. Release takes the same keys; cut says that
	// the socket's link broke.
	Hold(sessions []string) bool
	Release(sessions []string, cut bool)
	// Player returns the player to whom a player token belongs; 0: nobody.
	Player(token string) core.UserID
}

// Refusal is the data of a connect_error.
type Refusal = wire.ConnectRefusal

// Refuse makes a connect_error.
func Refuse(code, message string) *sio.ConnectError {
	return &sio.ConnectError{Message: message, Data: Refusal{Code: code, Error: message}}
}

// Options of a Hub.
type Options struct {
	Engine func() *engine.Engine // the engine starts after the hub, which follows it
	Server *sio.Server
	Gate   Gate
	// Joining asks the outside (Lua callbacks) about a user who connects, and
	// fills in what it says. Nil: nobody is asked.
	Joining func(ctx context.Context, id core.UserID, facts *core.Facts)
	Media   *sfu.SFU
	// Tones are where sound files are looked for, in this order.
	Tones []fs.FS
	// Scripts passes an event of a player's client to the scripts in the service; false:
	// none wants it. Refresh asks for a player's NAC id anew. Nil: nobody does.
	Scripts func(from core.UserID, event string, args []json.RawMessage) bool
	Refresh func(ctx context.Context, id core.UserID) error
	// PublicURL is the address under which browsers reach the service; "": pages count
	// as ours only if they come from the handshake's own host.
	PublicURL string
	Now       func() time.Time
	Logf      func(format string, args ...any)
	// KeyUp is told how long the answer to a key-up took, and over which link (polling,
	// websocket, webrtc) it came. Nil: nobody is.
	KeyUp func(link string, took time.Duration)
	// Log is told who connects and who is refused. Nil: nobody is.
	Log *slog.Logger
	// Nodes are where clients may go when this node is gone: they are told when they
	// connect, and after NodesChanged. Nil: the service is alone, and nobody is told.
	Nodes func() wire.Nodes
	// Elsewhere asks the other nodes whether one of them has a link of this user that
	// still answers; a node that is gone has none. It takes a few seconds at most. Nil:
	// there are no other nodes.
	Elsewhere func(ctx context.Context, id core.UserID) bool
	// EventsPerSecond and VoiceBytes are limits of one socket; 0: the defaults.
	EventsPerSecond, VoiceBytes int
}

// Hub holds all clients.
type Hub struct {
	Options
	door    door.Door
	ns      *sio.Namespace
	mu      sync.Mutex
	clients map[core.UserID]*client
	wrong   atomic.Int64 // events with a wrong payload
	// silenced counts the voice events of API keys that may not talk.
	silenced atomic.Int64
	lost     map[core.UserID]*client   // clients whose link broke; their users wait for them
	leaving  map[*client]bool          // unbound; the radio does not know it yet
	offers   map[core.UserID][]*client // answered, but their data channel is not open yet
	hungUp   bool                      // no more data channels
	controls switchboard
	slots    slotsEvent
	nodes    nodeList
	// entering is what bind leaves for the next delivery; only the engine's goroutine
	// uses it.
	entering []func()
	// bound are the users whose clients the step that is being prepared has bound here.
	// Only the engine's goroutine uses it.
	bound []core.UserID
}

// NewHub mounts the radio on a Socket.IO server.
func NewHub(o Options) *Hub {
	if o.EventsPerSecond <= 0 {
		o.EventsPerSecond = defaultEventRate
	}
	if o.VoiceBytes <= 0 {
		o.VoiceBytes = door.DefaultVoiceBytes
	}
	if o.KeyUp == nil {
		o.KeyUp = func(string, time.Duration) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Joining == nil {
		o.Joining = func(context.Context, core.UserID, *core.Facts) {}
	}
	h := &Hub{Options: o, ns: o.Server.Of("/"), clients: map[core.UserID]*client{}, lost: map[core.UserID]*client{},
		leaving: map[*client]bool{}, offers: map[core.UserID][]*client{}}
	h.door.Host.VoiceBytes = o.VoiceBytes
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

// bind makes c the client of user id. It runs on the engine's goroutine, before
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
	h.forsake(id) // a lost client of the id is replaced
	c.id.Store(int32(id))
	h.bound = append(h.bound, id)
	// Wait for the delivery: messages of earlier steps, for whoever had the id then,
	// may still be queued.
	h.entering = append(h.entering, func() {
		if was != id {
			c.conn.Leave(userRoom(was))
		}
		rooms := []string{userRoom(id)}
		if id.Dispatcher() {
			rooms = append(rooms, dispatchRoom)
		}
		c.conn.Join(rooms...)
	})
}

// unbind removes c from clients; false: c was not the client of its user any more.
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
