package socket

import (
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/session"
)

// admitKey settles a handshake with an API key; is says whether it carries one. As
// over REST no lock is asked and nothing is counted, because a key is not a guess. A
// session id beside it is ignored.
func (g *gate) admitKey(secret string) (who Identity, is bool, err error) {
	if !session.KeyForm(secret) {
		return Identity{}, false, nil
	}
	key, known := g.sessions.Keys().Check(secret)
	if !known {
		return Identity{}, true, Refuse("bad_token", "Authentication required")
	}
	by := door.Caller{Kind: door.Key, Owner: key.Owner(), Name: key.Name, Scopes: wire.ScopeSetOf(key.Scopes...)}
	return Identity{Caller: by}, true, nil
}
