package socket

import (
	"context"
	"errors"

	"squelch/core"
	"squelch/core/door"
)

// link changes the session of a socket: to another one of its login or, with the bare
// master token, to any.
func (c *client) link(step door.Step, ack func(...any)) {
	login := c.hub.loginOf(c)
	who, err := c.hub.Gate.Session(c.who.Owner, c.token, step.Body.(string))
	switch {
	case err != nil:
	case who.Login() == login: // the same dispatcher goes on
		if !c.keep(who.Sessions) {
			err = errNoSession
		}
	default:
		err = c.take(who)
	}
	c.tell(step.Answer(core.Output{}, err), ack)
	if err == nil && !c.hub.Gate.Live(who.Owner) { // revoked in between, as in connected
		c.conn.Disconnect(true)
	}
}

// take moves this socket to another login. It gets back the id that an older, lost or
// dead socket of that login had.
func (c *client) take(who Identity) error {
	if old := c.hub.dead(c, who.Login()); old != nil && c.hub.unbind(old) {
		old.conn.Disconnect(true)
		c.hub.unlink(core.UserID(old.id.Load()))
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	step := door.Relink(c.caller(), who.Caller)
	if _, err := c.hub.Engine().Bind(ctx, step.By, step.Command, c.given); err != nil {
		if refused := (*core.Error)(nil); !errors.As(err, &refused) { // the command may be in effect: the client reconnects and sees
			c.conn.Disconnect(true)
		}
		return err
	}
	c.hub.mu.Lock()
	c.login, c.who = who.Login(), who
	c.hub.mu.Unlock()
	if !c.keep(who.Sessions) { // the session has ended meanwhile
		c.conn.Disconnect(true)
	}
	return nil
}
