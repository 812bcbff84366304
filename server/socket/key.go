package socket

import (
	"encoding/json"

	"squelch/core/wire"
	"squelch/server/session"
)

// admitKey settles a handshake with an API key; is says that it carries one. As
// over REST no lock is asked and nothing is counted: a key is no guess. Any
// session id beside it has no meaning.
func (g *gate) admitKey(secret string) (who Identity, is bool, err error) {
	if !session.KeyForm(secret) {
		return Identity{}, false, nil
	}
	key, known := g.sessions.Keys().Check(secret)
	if !known {
		return Identity{}, true, Refuse("bad_token", "Authentication required")
	}
	scopes := wire.ScopeSetOf(key.Scopes...)
	if err := scopes.Check(wire.SocketScopes); err != nil {
		return Identity{}, true, Refuse("bad_scope", err.Error())
	}
	return Identity{Owner: key.Owner(), Name: key.Name, Key: true, Scopes: scopes}, true, nil
}

// may refuses an event that the client's API key was not made for.
func (c *client) may(event string) error {
	if !c.who.Key {
		return nil
	}
	need, known := wire.EventScopes(event)
	if !known {
		return nil // nobody handles it
	}
	return c.who.Scopes.Check(need)
}

// lacks tells a client what its key lacks. Voice is only counted: the client
// knows from its key-up.
func (c *client) lacks(event string, arg json.RawMessage, err error, ack func(...any)) {
	if event == "voice" {
		c.hub.silenced.Add(1)
	} else {
		c.refuse(event, arg, err)
	}
	answer(ack, err)
}
