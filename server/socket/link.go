package socket

import (
	"context"
	"encoding/json"

	"squelch/core"
	"squelch/core/wire"
)

// link names another session for a socket: one of the login that it belongs to,
// or with the bare master token any.
func (c *client) link(arg json.RawMessage, ack func(...any)) {
	var id string
	if err := wire.DecodeArg(arg, "sessionId", &id, "a string"); err != nil {
		c.ignored("setDispatchSession", arg, err, ack)
		return
	}
	if c.who.Player != 0 || c.who.Key {
		answer(ack, nil) // players and keys have no session; their clients send this all the same
		return
	}
	owner := c.hub.ownerOf(c)
	who, err := c.hub.Gate.Session(owner, c.token, id)
	switch {
	case err != nil:
	case who.Owner == owner: // the same dispatcher goes on
		if !c.keep(who.Sessions) {
			err = errNoSession
		}
	default:
		err = c.take(who)
	}
	if err != nil {
		c.refuse("setDispatchSession", nil, err)
	}
	answer(ack, err)
	if err == nil && !c.hub.Gate.Live(who.Owner) { // revoked in between, as in connected
		c.sock.Disconnect(true)
	}
}

// take makes this socket one of another login's. The id that an older socket of
// that login has left, or died with, comes back.
func (c *client) take(who Identity) error {
	if old := c.hub.dead(c, who.Owner); old != nil && c.hub.unbind(old) {
		old.sock.Disconnect(true)
		c.hub.unlink(core.UserID(old.id.Load()))
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	link := core.LinkSession{User: core.UserID(c.id.Load()), Owner: who.Owner, Name: who.Name, Callsign: who.Name}
	if _, err := c.hub.Engine().Bind(ctx, c.actor(), link, c.given); err != nil {
		return err
	}
	c.hub.mu.Lock()
	c.owner = who.Owner
	c.hub.mu.Unlock()
	c.who = who
	if !c.keep(who.Sessions) { // it has ended meanwhile
		c.sock.Disconnect(true)
	}
	return nil
}
