package rest

import (
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// Refusals with texts that clients compare (spec: Errors).
var (
	errAuthentication = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Authentication required"}
	errWrongNac       = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Invalid NAC ID"}
	errNoPath         = &reply.Refusal{Status: http.StatusNotFound, Message: "No such path"}
)

func invalid(field, message string) error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: message}
}

func notFound(message string) error {
	return &reply.Refusal{Status: http.StatusNotFound, Message: message}
}

// describe gives the status and the text of an error. Only a failure of the
// server itself is 500, and its cause is for the log, not for the caller.
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
		return errAuthentication
	}
	return &reply.Refusal{Status: http.StatusInternalServerError, Message: "Server error"}
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
