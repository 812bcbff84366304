package socket

import (
	"context"
	"slices"

	"squelch/core"
	"squelch/server/sio"
)

// mayRecover: a socket is taken up by its own alone, the same owner who asks for
// the same id, and as long as nobody else has come in its place.
func (h *Hub) mayRecover(old, now *sio.Socket) bool {
	a := now.Data.(*admitted)
	was := old.Data.(*admitted).client.Load()
	if was == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id := core.UserID(was.id.Load())
	return was.owner == a.owner && was.want == a.want && (h.clients[id] == was || h.lost[id] == was)
}

// resume lets the user of a lost socket go on with the new one, if the radio
// still has it as it was.
func (h *Hub) resume(old, now *sio.Socket) bool {
	a := now.Data.(*admitted)
	was := old.Data.(*admitted).client.Load()
	c := h.newClient(now, a)
	c.from = was
	c.imbe.Store(was.imbe.Load())
	if !c.keep(a.who.Sessions) {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	id := core.UserID(was.id.Load())
	by := core.Actor{User: id, Surface: core.BySocket, Name: a.who.Name}
	_, err := h.Engine().Bind(ctx, by, core.Recover{User: id, Owner: a.owner}, c.given)
	if err != nil {
		c.keep(nil)
	}
	return err == nil
}

// lose says whether c still was the client of its user, who now waits for it.
func (h *Hub) lose(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := core.UserID(c.id.Load())
	if h.clients[id] != c {
		return false
	}
	delete(h.clients, id)
	h.lost[id] = c
	return true
}

// forsake: nobody takes up the socket that the user has lost.
func (h *Hub) forsake(id core.UserID) {
	h.mu.Lock()
	c := h.lost[id]
	delete(h.lost, id)
	h.mu.Unlock()
	if c != nil {
		c.sock.Disconnect(true)
	}
}

// dead is an older client of the owner that has the id which c asks for, if it
// has died and nobody has noticed: the one that the owner means by the id, else
// any. A player's newest connection always wins.
func (h *Hub) dead(c *client, owner string) *client {
	older := h.older(c, owner)
	if len(older) == 0 || c.who.Player != 0 {
		return first(older)
	}
	alive := make([]chan bool, len(older))
	for i, old := range older {
		alive[i] = make(chan bool, 1)
		if !old.sock.Connected() {
			alive[i] <- false
			continue
		}
		old.sock.Probe(probeTime, func(ok bool) { alive[i] <- ok })
	}
	for i, old := range older {
		if !<-alive[i] {
			return old
		}
	}
	return nil
}

func first(clients []*client) *client {
	if len(clients) == 0 {
		return nil
	}
	return clients[0]
}

// older are the clients of an owner that have, or have asked for, the id that c
// asks for; the one that the id is an alias of comes first.
func (h *Hub) older(c *client, owner string) []*client {
	alias := c.want
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) { alias = v.Alias(owner, c.want) })
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*client
	for id, old := range h.clients {
		if old != c && old.owner == owner && (old.want == c.want || id == c.want || id == alias) {
			found = append(found, old)
		}
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
