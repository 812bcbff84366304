package socket

import (
	"context"
	"sync/atomic"

	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/sio"
)

// admitted is what admit leaves in Socket.Data for connected.
type admitted struct {
	who     Identity
	token   string
	offered bool // by an offer of the game server, so there is no token
	want    core.UserID
	client  atomic.Pointer[client] // once it is on the radio
}

// admit is the middleware: it checks the credentials and the wanted id, or refuses
// with a connect_error.
func (h *Hub) admit(s *sio.Socket) error {
	err := h.judge(s)
	if err != nil {
		h.Log.Debug("connection refused", "address", s.Handshake().RemoteAddr, "reason", err.Error())
	}
	return err
}

func (h *Hub) judge(s *sio.Socket) error {
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
	want, refusal := door.Handshake(who.Caller, auth.ServerID)
	if refusal == nil {
		refusal = h.room(who.Login(), want)
	}
	if refusal != nil {
		return &sio.ConnectError{Message: refusal.Error, Data: *refusal}
	}
	s.Data = &admitted{who: who, token: string(auth.AuthToken), want: want}
	return nil
}

// room says why there is no place on the radio; nil: there is one.
func (h *Hub) room(login string, want core.UserID) (full *wire.ConnectRefusal) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) { full = door.Room(v, login, want) })
	return full
}

// connected puts the user of a new socket on the radio; the user of a recovered
// socket is there already.
func (h *Hub) connected(s *sio.Socket) {
	a := s.Data.(*admitted)
	h.Log.Debug("connects", "kind", string(a.who.Kind), "address", s.Handshake().RemoteAddr, "transport", s.Transport(), "recovered", s.Recovered())
	if !s.Recovered() && !h.enter(h.socketClient(s, a)) || !h.stillAdmitted(a) {
		s.Disconnect(true)
	}
}

// stillAdmitted says whether the socket may stay: since it was admitted, the session
// or key may have been revoked, or the player dropped, by somebody who could not see
// the socket yet.
func (h *Hub) stillAdmitted(a *admitted) bool {
	switch a.who.Kind {
	case door.Player:
		if a.offered {
			return h.known(context.Background(), a.want) == nil
		}
		return h.Gate.Player(a.token) == a.who.User
	case door.Master:
		return true
	}
	return h.Gate.Live(a.who.Owner)
}

// enter puts a new client on the radio.
func (h *Hub) enter(c *client) bool {
	if !c.keep(c.who.Sessions) { // they have ended since the socket was admitted
		return false
	}
	var dead core.UserID
	if old := h.dead(c, c.login); old != nil {
		dead = core.UserID(old.id.Load())
		h.unbind(old)
		old.conn.Disconnect(true)
	} else {
		dead = h.deadElsewhere(c, c.login)
	}
	err := c.join(dead)
	if dead != 0 && h.client(dead) == nil { // nobody has the id any more: c was refused, or got another id
		h.unlink(dead)
	}
	return err == nil
}

// unlink tells the radio that the link of a user is broken, because its client was
// unbound. The radio keeps the user's place for the resume window.
func (h *Hub) unlink(id core.UserID) {
	// A refusal means that the user has already left, which is just as good.
	lost := door.Leave(door.Caller{User: id}, false)
	_, _ = h.Engine().Do(context.Background(), lost.By, lost.Command)
}

func (h *Hub) newClient(conn connection, a *admitted) *client {
	c := &client{hub: h, conn: conn, who: a.who, token: a.token, want: a.want, login: a.who.Login(),
		pace: rate.NewLimiter(rate.Limit(h.EventsPerSecond), eventBurst), lua: rate.NewLimiter(scriptRate, scriptBurst)}
	a.client.Store(c)
	return c
}

func (h *Hub) socketClient(s *sio.Socket, a *admitted) *client {
	c := h.newClient(s, a)
	c.sink = &legacySink{hub: h, sock: s}
	s.OnEvent(c.event)
	if door.May(c.who.Caller, string(door.Voice)) == nil { // otherwise the answer waits, see event
		s.Quick(string(door.Voice))
	}
	s.OnDisconnect(c.gone)
	return c
}

func (h *Hub) loginOf(c *client) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.login
}
