package socket

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"squelch/core"
	"squelch/core/door"
	"squelch/sfu"
)

// Offer takes the offer of a player's whole client, voice and the data channel
// "control", and returns the answer. The game server's word is enough: the client has
// no credentials, and acts as this player only. The player must be known. A newer offer
// replaces an older one. Errors are *core.Error, except failures of the service.
func (h *Hub) Offer(ctx context.Context, id core.UserID, sdp string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	c := h.newClient(nil, &admitted{who: Identity{Caller: door.Caller{Kind: door.Player, User: id}}, want: id})
	if !h.await(id, c) {
		return "", refusedOffer(errHungUp)
	}
	if err := h.known(ctx, id); err != nil { // after await: if the player is dropped from now on, the offer is too
		h.claim(id, c)
		return "", err
	}
	answer, err := h.Media.Answer(ctx, id, sdp, sfu.PeerEvents{
		Slots: func(s sfu.Slots) {
			if c.id.Load() != 0 { // else it is told after the welcome
				c.tellSlots(s)
			}
		},
		Closed:  func(error) { h.claim(id, c) },
		Control: func(channel *sfu.Control) { h.opened(id, c, channel) },
	})
	if err != nil {
		h.claim(id, c)
		return "", refusedOffer(err)
	}
	h.replace(id, c)
	return answer, nil
}

// known refuses a player whom the game server has not made known.
func (h *Hub) known(ctx context.Context, id core.UserID) (refused error) {
	if err := h.Engine().View(ctx, func(v core.View) { refused = door.Known(v, id) }); err != nil {
		return err
	}
	return refused
}

var errHungUp = errors.New("the service is stopping")

// refusedOffer is an error of the media plane as the game server is told it.
func refusedOffer(err error) error {
	switch {
	case errors.Is(err, sfu.ErrFull), errors.Is(err, sfu.ErrOften):
		return &core.Error{Kind: core.Full, Message: err.Error()}
	case errors.Is(err, sfu.ErrNoWebRTC), errors.Is(err, sfu.ErrClosed), errors.Is(err, errHungUp),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &core.Error{Kind: core.Unavailable, Message: err.Error()}
	}
	return &core.Error{Kind: core.Invalid, Field: "sdp", Message: err.Error()}
}

// await notes a client whose data channel is not open yet; false: it is too late for
// that.
func (h *Hub) await(id core.UserID, c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hungUp {
		return false
	}
	h.offers[id] = append(h.offers[id], c)
	return true
}

// claim says whether a client is still awaited. From now on it is not.
func (h *Hub) claim(id core.UserID, c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := slices.Index(h.offers[id], c)
	if n < 0 {
		return false
	}
	if h.offers[id] = slices.Delete(h.offers[id], n, n+1); len(h.offers[id]) == 0 {
		delete(h.offers, id)
	}
	return true
}

// replace forgets the older offers of a player, whose connections have ended.
func (h *Hub) replace(id core.UserID, c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := slices.Index(h.offers[id], c); n > 0 {
		h.offers[id] = slices.Delete(h.offers[id], 0, n)
	}
}

// opened takes a data channel into service. It returns when the channel is over.
func (h *Hub) opened(id core.UserID, c *client, channel *sfu.Control) {
	k := newControl(h, c, channel)
	if !h.claim(id, c) || !h.controls.add(k) {
		channel.Cut()
		return
	}
	k.serve()
	h.controls.remove(k)
}

// revoke ends the WebRTC connection of a user who has left the radio, open or not. A
// connection that carries events too ends with its link, after the last of them.
func (h *Hub) revoke(id core.UserID) {
	h.mu.Lock()
	delete(h.offers, id)
	c := h.clients[id]
	h.mu.Unlock()
	if c != nil {
		if k, is := c.conn.(*control); is && k.channel.Current() {
			return
		}
	}
	h.Media.ClosePeer(id)
}

// HangUp tells the clients of a node that it leaves, and ends all data channels as the end
// of the Socket.IO server ends the sockets, and waits until the radio has been told, or
// until ctx ends. There are no more offers after that.
func (h *Hub) HangUp(ctx context.Context) error {
	h.nodes.leave(h)
	return h.hangUp(ctx)
}

func (h *Hub) hangUp(ctx context.Context) error {
	h.mu.Lock()
	h.hungUp = true
	clear(h.offers)
	h.mu.Unlock()
	open := h.controls.close()
	for _, k := range open {
		k.hangUp()
	}
	for _, k := range open {
		select {
		case <-k.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (h *Hub) panicked(id core.UserID, cause any) {
	h.Logf("handler of player %s panicked: %v\n%s", id, cause, debug.Stack())
}
