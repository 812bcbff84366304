package rest

import (
	"net/http"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// admitKey settles who calls with an API key; is says that the request carries one
// that matters here. No lock is asked, because a valid key is not a guess, and a key
// that is no longer valid does not count as one. A session id beside it is ignored.
func (h *Handler) admitKey(route wire.Route, r *http.Request) (by caller, is bool, err error) {
	secret := bearer(r)
	switch {
	case !session.KeyForm(secret), route.Auth == wire.Public && !route.NoKeys:
		return caller{}, false, nil
	}
	if err := door.Admit(&route, door.Caller{Kind: door.Key, Scopes: ^wire.ScopeSet(0)}); err != nil { // no key may use this route
		return caller{}, true, err
	}
	key, known := h.o.Sessions.Keys().Check(secret)
	if !known {
		return caller{}, true, door.ErrAuthentication
	}
	if wait := h.o.Limiter.Wait(key.Owner()); wait > 0 {
		return caller{}, true, reply.TooMany(wait)
	}
	by = caller{key: key}
	return by, true, door.Admit(&route, by.asking())
}

// asking is the caller as the front door knows it.
func (c caller) asking() door.Caller {
	switch {
	case c.key.ID != "":
		return door.Caller{Kind: door.Key, Owner: c.key.Owner(), Name: c.key.Name, Scopes: wire.ScopeSetOf(c.key.Scopes...)}
	case c.session.Key != "":
		return door.Caller{Kind: door.Session, Owner: c.session.Lineage, Name: c.session.Callsign, Nac: c.session.NacID}
	case c.token != "":
		return door.Caller{Kind: door.Master}
	}
	return door.Caller{Kind: door.Nobody}
}
