package socket

import (
	"context"
	"encoding/json"
	"slices"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/sio"
)

// maxSteps is how many steps of the radio may wait for their delivery to the clients:
// half a second of a busy radio. Sending never waits for a client, so only a stalled
// machine lets that many pile up.
const maxSteps = 4096

// delivery is what clients are told of one step. It is made on the engine's
// goroutine and delivered on the hub's.
type delivery struct {
	first    []func() // clients learn their id and enter their rooms
	messages []message
	asker    core.UserID // whose command it was; 0: nobody's
	last     []func()    // clients whose user has left are disconnected
	anew     bool        // the radio was replaced: what clients know is out of date
}

type message struct {
	to    core.Audience
	event *sio.Prepared
}

// Follower tells the clients what happens on the radio. The caller of a command
// is answered after they have been told of it.
func (h *Hub) Follower() engine.Follower {
	return &engine.Queue[delivery]{Name: "sockets", Most: maxSteps, Batch: 1, Replies: true,
		Prepare: h.prepare, Deliver: h.deliver, Lost: h.dropAll}
}

func (h *Hub) prepare(s *engine.Step) (delivery, bool) {
	d := delivery{first: h.entering, asker: s.Order.By.User, anew: s.Snapshot != nil}
	h.entering = nil
	defer func() { h.bound = h.bound[:0] }()
	for _, m := range door.Messages(s.Output, s.View) {
		if p := h.encode(m); p != nil {
			d.messages = append(d.messages, message{m.To, p})
		}
	}
	for _, e := range s.Output.Events {
		d.last = h.follow(d.last, e.Fact, s.View)
	}
	for _, id := range door.Closed(s.Output, s.View) {
		if c := h.client(id); c != nil {
			d.last = append(d.last, func() { c.conn.Disconnect(true) })
		}
	}
	return d, d.anew || len(d.first) > 0 || len(d.messages) > 0 || len(d.last) > 0
}

// encode marshals at once, because a payload may share its lists with the radio.
func (h *Hub) encode(m wire.Message) *sio.Prepared {
	arg, err := json.Marshal(m.Payload)
	if err != nil {
		h.Logf("event %s cannot be encoded: %v", m.Name, err)
		return nil
	}
	return h.ns.PrepareRaw(m.Name, arg)
}

// follow keeps what the adapter itself must know of a client's user. The functions
// that it adds to last disconnect clients after their last messages are sent.
func (h *Hub) follow(last []func(), f core.Fact, v core.View) []func() {
	switch f := f.(type) {
	case core.UserConnected:
		if !slices.Contains(h.bound, f.User) {
			last = h.lose(last, f.User)
		}
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
	case core.LinkLost:
		h.stillHere(f.User)
	case core.UserLeft:
		if door.Stays(f.User, v) {
			break
		}
		h.revoke(f.User)
		// The one that is here still has been taken off by another node.
		for _, c := range []*client{h.forget(f.User), h.client(f.User)} {
			if c != nil {
				last = append(last, func() { c.conn.Disconnect(true) })
			}
		}
	}
	return last
}

func (h *Hub) deliver(_ context.Context, steps []delivery) error {
	for _, d := range steps {
		if d.anew {
			h.Logf("the radio was restored from a snapshot: all clients are dropped and must reconnect")
			h.breakAll()
		}
		for _, f := range d.first {
			f()
		}
		for _, m := range d.messages {
			h.send(m, d.asker)
		}
		for _, f := range d.last {
			f()
		}
	}
	return nil
}

// dropAll breaks every connection, because clients have missed something. They
// reconnect, and are told how the radio is then.
func (h *Hub) dropAll(_ context.Context, steps int) {
	h.Logf("clients missed %d steps: all are dropped and must reconnect", steps)
	h.breakAll()
}

func (h *Hub) breakAll() {
	h.mu.Lock()
	lost, all := h.lost, make([]*client, 0, len(h.clients))
	h.lost = map[core.UserID]*client{}
	for _, c := range h.clients {
		all = append(all, c)
	}
	h.mu.Unlock()
	for _, c := range lost {
		c.conn.Disconnect(true)
	}
	for _, c := range all {
		c.conn.Break()
	}
}

// send sends a message to its audience.
func (h *Hub) send(m message, asker core.UserID) {
	if m.to.Everyone {
		h.ns.Except().SendPrepared(m.event)
		h.controls.everyone(m.event.JSON())
		return
	}
	rooms := roomsOf(m.to, asker)
	if len(rooms) > 0 {
		h.ns.To(rooms...).SendPrepared(m.event)
		h.controls.to(rooms, m.event.JSON())
	}
}

// roomsOf are the rooms of an audience, each client in one of them at least. First comes
// whoever has asked: a talker waits for the floor, and those who hear it wait for the talker.
func roomsOf(to core.Audience, asker core.UserID) (rooms []string) {
	if to.Includes(asker) {
		rooms = append(rooms, userRoom(asker))
	}
	if to.Dispatchers {
		rooms = append(rooms, dispatchRoom)
	}
	for _, u := range to.Users {
		if u != asker && (!to.Dispatchers || !u.Dispatcher()) {
			rooms = append(rooms, userRoom(u))
		}
	}
	return rooms
}
