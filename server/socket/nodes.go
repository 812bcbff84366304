package socket

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// nodeList tells clients of the other nodes. The zero value is ready.
type nodeList struct {
	mu      sync.Mutex // what is told later is never older
	told    bool       // somebody has been told of nodes
	leaving bool
}

// tell tells a client that has just come.
func (l *nodeList) tell(h *Hub, c *client) {
	if h.Nodes == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(h); len(now.Nodes) > 0 {
		l.told = true
		_ = c.conn.Emit(wire.NodesEvent, now)
	}
}

func (l *nodeList) now(h *Hub) wire.Nodes {
	now := h.Nodes()
	now.Leaving = l.leaving
	if now.Nodes == nil {
		now.Nodes = []wire.NodeAddress{}
	}
	return now
}

// everyone tells all clients, unless there never were other nodes.
func (l *nodeList) everyone(h *Hub) {
	now := l.now(h)
	if !l.told && len(now.Nodes) == 0 {
		return
	}
	l.told = true
	arg, err := json.Marshal(now)
	if err != nil {
		h.Logf("the nodes cannot be encoded: %v", err)
		return
	}
	event := h.ns.PrepareRaw(wire.NodesEvent, arg)
	h.ns.Except().SendPrepared(event)
	h.controls.everyone(event.JSON())
}

func (l *nodeList) leave(h *Hub) { l.set(h, true) }
func (l *nodeList) stay(h *Hub)  { l.set(h, false) }

// set notes whether this node leaves, and tells all clients if it begins to.
func (l *nodeList) set(h *Hub, leaving bool) {
	if h.Nodes == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	begins := leaving && !l.leaving
	l.leaving = leaving
	if begins {
		l.everyone(h)
	}
}

// NodesChanged tells all clients of the nodes anew.
func (h *Hub) NodesChanged() {
	if h.Nodes == nil {
		return
	}
	h.nodes.mu.Lock()
	defer h.nodes.mu.Unlock()
	h.nodes.everyone(h)
}

// Move ends all links of this node so that its clients go to another one, and takes no
// more until Stay: connections are refused with 503, which a balancer and every client
// understand. The radio keeps the users' places for the resume window. It waits until the
// links have ended, or until ctx ends.
func (h *Hub) Move(ctx context.Context) error {
	h.nodes.leave(h)
	h.Server.Pause()
	if err := h.hangUp(ctx); err != nil {
		return err
	}
	for {
		if len(h.Linked()) == 0 {
			return nil
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stay takes clients again after Move.
func (h *Hub) Stay() {
	h.nodes.stay(h)
	h.mu.Lock()
	h.hungUp = false
	h.mu.Unlock()
	h.controls.open()
	h.Server.Resume()
}

// Linked are the users with a live link to this node.
func (h *Hub) Linked() []core.UserID {
	h.mu.Lock()
	defer h.mu.Unlock()
	users := make([]core.UserID, 0, len(h.clients))
	for id := range h.clients {
		users = append(users, id)
	}
	return users
}

// Answers says whether this node has a link of this user that still answers. It takes as
// long as a probe.
func (h *Hub) Answers(id core.UserID) bool {
	c := h.client(id)
	if c == nil {
		return false
	}
	return !c.mustGo(false)
}

// deadElsewhere is the id that a newcomer asks for, if its login has it, and its link was
// at another node that is gone, or that gets no answer from the client any more. 0: it is
// not so. A node that is killed tells nobody of its links, and its clients are often
// quicker at the next node than the roll call that finds them missing.
func (h *Hub) deadElsewhere(c *client, login string) (dead core.UserID) {
	if h.Elsewhere == nil || login == "" || !c.want.Dispatcher() {
		return 0 // a player's newest connection wins in any case
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_ = h.Engine().View(ctx, func(v core.View) {
		for _, id := range []core.UserID{door.Meant(v, login, c.want), c.want} {
			if u, known := v.User(id); known && u.Linked && !u.Lost && slices.Contains(door.Users(v, login), id) {
				dead = id
				return
			}
		}
	})
	if dead == 0 || h.client(dead) != nil || h.Elsewhere(ctx, dead) {
		return 0
	}
	return dead
}

// lose ends this node's link of a user who has just connected at another one.
func (h *Hub) lose(last []func(), id core.UserID) []func() {
	if h.Elsewhere == nil {
		return last
	}
	if c := h.client(id); c != nil && h.unbind(c) {
		h.revoke(id)
		last = append(last, func() { c.conn.Disconnect(true) })
	}
	if c := h.forget(id); c != nil {
		last = append(last, func() { c.conn.Disconnect(true) })
	}
	return last
}

// stillHere corrects the radio, which believes that a user's link is lost that is alive
// here: another node had to say so of the link before this one, and was late.
func (h *Hub) stillHere(id core.UserID) {
	c := h.client(id)
	if c == nil || h.Elsewhere == nil {
		return
	}
	by := c.caller()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), commandTime)
		defer cancel()
		step := door.Recover(by)
		_, err := h.Engine().Bind(ctx, step.By, step.Command, func(core.Output) { h.bound = append(h.bound, id) })
		if err != nil {
			h.Log.Debug("a late report of a lost link stays", "user", id.String(), "reason", err.Error())
		}
	}()
}
