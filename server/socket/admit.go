package socket

import (
	"context"

	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/sio"
)

// admitted is what the middleware leaves for the connection.
type admitted struct {
	who   Identity
	token string
	want  core.UserID
	owner string
}

// admit is the middleware: credentials and a sensible id, or connect_error.
func (h *Hub) admit(s *sio.Socket) error {
	var auth wire.Handshake
	raw := s.Handshake().Auth
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if err := wire.Decode(raw, &auth); err != nil {
		return Refuse("bad_id", err.Error())
	}
	fromCookies(&auth, s.Handshake().Header, s.Handshake().Host)
	who, err := h.Gate.Admit(auth, s.Handshake().RemoteAddr)
	if err != nil {
		return err
	}
	want := auth.ServerID.User
	switch {
	case who.Player != 0:
		if auth.ServerID.Given && want != who.Player {
			return Refuse("bad_id", "serverId is not the one that this player token was made for")
		}
		want = who.Player
	case !auth.ServerID.Given:
		want = -1
	case want >= 0:
		return Refuse("bad_id", "serverId must be negative for a dispatcher")
	}
	owner := who.Owner
	if owner == "" {
		owner = "socket " + s.ID()
	}
	if h.full(owner, want) {
		return Refuse("full", "The radio is full")
	}
	s.Data = &admitted{who, string(auth.AuthToken), want, owner}
	return nil
}

// full: nobody new gets in. Who is known already has a place.
func (h *Hub) full(owner string, want core.UserID) (full bool) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) {
		_, known := v.User(v.Alias(owner, want))
		full = v.Full() && !known
	})
	return full
}

// connected puts the user of a new socket on the radio.
func (h *Hub) connected(s *sio.Socket) {
	a := s.Data.(*admitted)
	c := &client{hub: h, sock: s, who: a.who, token: a.token, want: a.want, owner: a.owner,
		pace: rate.NewLimiter(rate.Limit(h.EventsPerSecond), eventBurst)}
	c.sink = &legacySink{c}
	s.OnEvent(c.event)
	s.OnDisconnect(c.gone)
	if !c.keep(a.who.Sessions) { // it has ended since it was admitted
		s.Disconnect(true)
		return
	}
	old := h.dead(c, a.owner)
	if old != nil {
		h.unbind(old)
		old.sock.Disconnect(true)
	}
	if err := c.join(a.owner, old != nil); err != nil {
		c.refuse("connect", nil, err)
		s.Disconnect(true)
		return
	}
	// The session or key may have been revoked since it was admitted; whoever
	// revoked it did not see this socket then.
	if a.who.Player == 0 && a.who.Owner != "" && !h.Gate.Live(a.who.Owner) {
		s.Disconnect(true)
	}
}

// dead is the older client that has the id which c asks for in the name of
// owner, if it has died and nobody has noticed. A player's newest connection
// always wins.
func (h *Hub) dead(c *client, owner string) *client {
	id := c.want
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) { id = v.Alias(owner, c.want) })
	old := h.client(id)
	if old == nil || old == c || h.ownerOf(old) != owner {
		return nil
	}
	if c.who.Player == 0 && old.sock.Connected() {
		alive := make(chan bool, 1)
		old.sock.Probe(probeTime, func(ok bool) { alive <- ok })
		if <-alive {
			return nil
		}
	}
	return old
}

func (h *Hub) ownerOf(c *client) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.owner
}
