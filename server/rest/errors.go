package rest

import (
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/reply"
	"squelch/server/session"
)

func invalid(field, message string) error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: message}
}

func notFound(message string) error {
	return &reply.Refusal{Status: http.StatusNotFound, Message: message}
}

var errLooks = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Others look through the timeline; try again later", Retry: lookRetry}

// describe returns the status and the text of an error. Only a failure of the server
// itself is 500; its cause is for the log, not for the caller.
func describe(err error) *reply.Refusal {
	r := reply.RefusalOf(err)
	switch {
	case r != nil:
		return r
	case errors.Is(err, session.ErrInvalid):
		return &reply.Refusal{Status: http.StatusBadRequest, Message: err.Error()}
	case errors.Is(err, session.ErrFull):
		return &reply.Refusal{Status: http.StatusConflict, Message: err.Error()}
	case errors.Is(err, session.ErrBusy):
		return &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Too many sessions with an open connection; close one, or try again later", Retry: busyRetry}
	case errors.Is(err, session.ErrToken), errors.Is(err, session.ErrUnknown):
		return reply.RefusalOf(door.ErrAuthentication)
	case errors.Is(err, engine.ErrResync):
		return reply.ErrLate
	}
	return &reply.Refusal{Status: http.StatusInternalServerError, Message: door.ErrServer.Message}
}

// fail answers with an error.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if reply.Unheard(r, err) {
		return
	}
	told := describe(err)
	switch told.Status {
	case http.StatusInternalServerError:
		h.o.Logf("rest: %s %q: %v", r.Method, r.URL.Path, err)
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110, section 15.5.2
	}
	told.Write(w, wire.Failure{Error: told.Message})
}
