package socket

import (
	"context"
	"sync/atomic"

	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/sio"
)

// masterOwner is the owner of all sockets that came with the bare master token:
// a bot that is started again is known by the id that it asks for.
const masterOwner = "master"

// admitted is what the middleware leaves for the connection.
type admitted struct {
	who    Identity
	token  string
	want   core.UserID
	owner  string
	client atomic.Pointer[client] // once it is on the radio
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
	fromCookies(&auth, s.Handshake().Header, s.Handshake().Host, h.PublicURL)
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
		owner = masterOwner
	}
	if err := h.room(owner, want); err != nil {
		return Refuse("full", err.Error())
	}
	s.Data = &admitted{who: who, token: string(auth.AuthToken), want: want, owner: owner}
	return nil
}

// room says why there is no place on the radio; nil: there is one.
func (h *Hub) room(owner string, want core.UserID) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) { err = v.Room(owner, want) })
	return err
}

// connected puts the user of a new socket on the radio; that of a recovered one
// is there already.
func (h *Hub) connected(s *sio.Socket) {
	a := s.Data.(*admitted)
	if !s.Recovered() && !h.enter(s, a) || !h.stillAdmitted(a) {
		s.Disconnect(true)
	}
}

// stillAdmitted: the session or key may have been revoked, or the player
// dropped, since the socket was admitted; whoever did it did not see it then.
func (h *Hub) stillAdmitted(a *admitted) bool {
	switch {
	case a.who.Player != 0:
		return h.Gate.Player(a.token) == a.who.Player
	case a.who.Owner != "":
		return h.Gate.Live(a.who.Owner)
	}
	return true
}

// enter puts a new client on the radio.
func (h *Hub) enter(s *sio.Socket, a *admitted) bool {
	c := h.newClient(s, a)
	if !c.keep(a.who.Sessions) { // they have ended since it was admitted
		return false
	}
	var dead core.UserID
	if old := h.dead(c, a.owner); old != nil {
		dead = core.UserID(old.id.Load())
		h.unbind(old)
		old.sock.Disconnect(true)
	}
	err := c.join(a.owner, dead)
	if err != nil {
		c.refuse("connect", nil, err)
	}
	if dead != 0 && h.client(dead) == nil { // nobody has it any more: c was refused, or got another id
		h.unlink(dead)
	}
	return err == nil
}

// unlink tells the radio that the link of a user whose client was unbound is
// broken: its place is kept for a while.
func (h *Hub) unlink(id core.UserID) {
	// A refusal: the user has gone by itself, all the better.
	_, _ = h.Engine().Do(context.Background(), core.Actor{User: id, Surface: core.BySocket}, core.Unlink{User: id})
}

func (h *Hub) newClient(s *sio.Socket, a *admitted) *client {
	c := &client{hub: h, sock: s, who: a.who, token: a.token, want: a.want, owner: a.owner,
		pace: rate.NewLimiter(rate.Limit(h.EventsPerSecond), eventBurst)}
	c.sink = &legacySink{c}
	s.OnEvent(c.event)
	s.OnDisconnect(c.gone)
	a.client.Store(c)
	return c
}

func (h *Hub) ownerOf(c *client) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.owner
}
