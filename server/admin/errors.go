package admin

import (
	"errors"
	"io"
	"net/http"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

var (
	errLogin    = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Authentication required"}
	errPassword = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Wrong password"}
	errOrigin   = &reply.Refusal{Status: http.StatusForbidden, Message: "Requests from pages of other origins are refused"}
	errCSRF     = &reply.Refusal{Status: http.StatusForbidden, Message: "The header X-CSRF-Token must carry the csrfToken of this login"}
	errNoPath   = &reply.Refusal{Status: http.StatusNotFound, Message: "No such path"}
	errBusy     = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "The audit log is being read already; try again later", Retry: 5 * time.Second}
	errRevision = &reply.Refusal{Status: http.StatusConflict, Message: "Somebody else has changed the configuration meanwhile; load it again"}
)

// describe gives the status of an error and what its caller may know of it.
func describe(err error) *reply.Refusal {
	if r := reply.RefusalOf(err); r != nil {
		return r
	}
	if errors.Is(err, session.ErrUnknown) {
		return &reply.Refusal{Status: http.StatusNotFound, Message: "No such session", Field: "key"}
	}
	return &reply.Refusal{Status: http.StatusInternalServerError, Message: "Server error; the log of the service says more"}
}

func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if reply.Unheard(r, err) {
		return
	}
	told := describe(err)
	if told.Status == http.StatusInternalServerError {
		h.o.Logf("admin: %s %q: %v", r.Method, r.URL.Path, err)
	}
	told.Write(w, wire.AdminFailure{Error: told.Message, Field: told.Field})
}

// body reads a request's body of bounded size.
func body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return nil, &core.Error{Kind: core.Invalid, Message: "The body ended too early"}
	}
	return b, err
}
