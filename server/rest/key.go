package rest

import (
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// errKeyPath: an API key makes no session, and has none to end.
var errKeyPath = &reply.Refusal{Status: http.StatusForbidden,
	Message: "This path is not for API keys: a key needs no session, send it as bearer with every request"}

// admitKey settles who calls with an API key; is says that the request carries
// one that matters here. No lock is asked: a valid key is no guess, and one
// that is not valid any more is not counted as one. A session id beside it has
// no meaning.
func (h *Handler) admitKey(route wire.Route, r *http.Request) (by caller, is bool, err error) {
	secret := bearer(r)
	switch {
	case !session.KeyForm(secret), route.Auth == wire.Public && !route.NoKeys:
		return caller{}, false, nil
	case route.NoKeys:
		return caller{}, true, errKeyPath
	}
	key, known := h.o.Sessions.Keys().Check(secret)
	if !known {
		return caller{}, true, errAuthentication
	}
	if wait := h.o.Limiter.Wait(key.Owner()); wait > 0 {
		return caller{}, true, reply.TooMany(wait)
	}
	if err := wire.ScopeSetOf(key.Scopes...).Check(wire.ScopeSetOf(route.Scope)); err != nil {
		return caller{}, true, err
	}
	return caller{key: key}, true, nil
}

// owner is whose ids and aliases the caller's are.
func (c caller) owner() string {
	if c.key.ID != "" {
		return c.key.Owner()
	}
	return c.session.Lineage
}

// name is how the caller appears in the audit log.
func (c caller) name() string {
	if c.key.ID != "" {
		return c.key.Name
	}
	return c.session.Callsign
}

// gameServer is who speaks on the player routes: the game server, or the key
// that it uses.
func (c caller) gameServer() core.Actor {
	if c.key.ID != "" {
		return core.Actor{Surface: core.ByREST, Name: c.key.Name}
	}
	return core.Actor{Surface: core.ByREST, Name: "game server"}
}
