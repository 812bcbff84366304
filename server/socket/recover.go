package socket

import (
	"context"
	"slices"

	"squelch/core"
	"squelch/core/door"
	"squelch/server/sio"
)

// mayRecover says whether now may continue the socket old: it must be of the same
// owner and ask for the same id, and nobody else may have taken that place.
func (h *Hub) mayRecover(old, now *sio.Socket) bool {
	a := now.Data.(*admitted)
	was := old.Data.(*admitted).client.Load()
	if was == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id := core.UserID(was.id.Load())
	return was.login == a.who.Login() && was.want == a.want && (h.clients[id] == was || h.lost[id] == was)
}

// resume lets the user of a lost socket continue on the new one, if the radio still
// has that user as it was.
func (h *Hub) resume(old, now *sio.Socket) bool {
	a := now.Data.(*admitted)
	was := old.Data.(*admitted).client.Load()
	c := h.socketClient(now, a)
	c.from = was
	c.imbe.Store(was.imbe.Load())
	if !c.keep(a.who.Sessions) {
		return false
	}
	was.conn.Ended(probeTime) // until then the radio does not know that the link is lost
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	id := core.UserID(was.id.Load())
	by := a.who.Caller
	by.User = id
	step := door.Recover(by)
	_, err := h.Engine().Bind(ctx, step.By, step.Command, c.given)
	if err != nil && h.client(id) != c {
		c.keep(nil)
		return false
	}
	return true // if c is bound, the command is in effect, though its answer came too late
}

// depart unbinds c, whose link has ended. If it was lost, c is kept in lost, because
// its user may come back. Newcomers wait for c until departed. False: c was not the
// client of its user any more.
func (h *Hub) depart(c *client, clean bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := core.UserID(c.id.Load())
	if h.clients[id] != c {
		return false
	}
	delete(h.clients, id)
	if !clean {
		h.lost[id] = c
	}
	h.leaving[c] = true
	return true
}

// departed says that the radio knows of c's end.
func (h *Hub) departed(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.leaving, c)
}

// forsake ends the lost socket of a user, so that nobody can recover it.
func (h *Hub) forsake(id core.UserID) {
	if c := h.forget(id); c != nil {
		c.conn.Disconnect(true)
	}
}

// forget removes and returns the client whose socket the user has lost, so that
// nobody can recover it; nil: there is none.
func (h *Hub) forget(id core.UserID) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.lost[id]
	delete(h.lost, id)
	return c
}

// dead finds an older client of the login that stands in the way of the id that c
// asks for, and that has died unnoticed: first the one whose id the login means, then
// any other. For a player it is the older client in any case, because the newest
// connection always wins.
func (h *Hub) dead(c *client, login string) *client {
	older := h.older(c, login)
	inTheWay := make([]chan bool, len(older))
	for i, old := range older {
		inTheWay[i] = make(chan bool, 1)
		go func() { inTheWay[i] <- old.mustGo(c.who.Kind == door.Player) }()
	}
	for i, old := range older {
		if <-inTheWay[i] {
			return old
		}
	}
	return nil
}

// mustGo says whether a client must be taken off the radio by the newcomer that wants
// its id: it is dead, or the newest wins. A client that has just said goodbye, or has
// lost its link, leaves by itself, so that a goodbye is never taken for a lost link.
func (c *client) mustGo(newestWins bool) bool {
	switch {
	case c.conn.Ended(probeTime):
		return false
	case newestWins || !c.conn.Connected():
		return true
	}
	alive := make(chan bool, 1)
	c.conn.Probe(probeTime, func(ok bool) { alive <- ok })
	return !<-alive && !c.conn.Ended(probeTime)
}

// older returns the clients of a login, those that are just leaving included, that
// have, or have asked for, the id that c asks for. The client whose id c.want is an
// alias for comes first.
func (h *Hub) older(c *client, login string) []*client {
	alias := c.want
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) { alias = door.Meant(v, login, c.want) })
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*client
	consider := func(id core.UserID, old *client) {
		if old != c && old.login == login && (old.want == c.want || id == c.want || id == alias) {
			found = append(found, old)
		}
	}
	for id, old := range h.clients {
		consider(id, old)
	}
	for old := range h.leaving {
		consider(core.UserID(old.id.Load()), old)
	}
	slices.SortFunc(found, func(x, y *client) int {
		switch a, b := core.UserID(x.id.Load()), core.UserID(y.id.Load()); {
		case (a == alias) != (b == alias):
			if a == alias {
				return -1
			}
			return 1
		default:
			return int(b) - int(a)
		}
	})
	return found
}
