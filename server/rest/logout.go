package rest

import (
	"context"
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// logout ends the caller's login: all its sessions, and then their sockets, with a
// goodbye. A reconnect finds no session any more.
func (h *Handler) logout(w http.ResponseWriter, r *http.Request, by caller) error {
	for _, name := range []string{cookieToken, cookieSession, cookieLogin, cookieDone} {
		h.setCookie(w, r, name, "", -1, true)
	}
	// A logout is completed even if its client does not wait for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), commandTimeout)
	defer cancel()
	ended := h.o.Sessions.Revoke(ctx, by.session.Lineage)
	switch refused := (*core.Error)(nil); {
	case errors.Is(ended, session.ErrUnknown): // another logout or a revocation was faster
		ended = nil
	case errors.As(ended, &refused) && refused.Kind == core.Unavailable:
		// The sessions have ended; the keeper stores that when the disk is back.
		h.o.Logf("rest: a logout could not be stored yet: %v", ended)
		ended = nil
	}
	// Even if the disk fails, the sessions are refused from now on.
	closed, err := h.o.Sockets.EndSession(ctx, by.session.Lineage)
	if h.o.Audit != nil {
		h.o.Audit.Note(ctx, entry(r, "logout", by.session.Callsign, map[string]any{"login": by.session.Lineage, "users": closed}))
	}
	if err := errors.Join(ended, err); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}

// noSockets is for a handler without Socket.IO beside it.
type noSockets struct{}

func (noSockets) EndSession(context.Context, string) ([]core.UserID, error) { return nil, nil }
