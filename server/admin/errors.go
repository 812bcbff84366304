package admin

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/reply"
	"squelch/server/session"
)

var (
	errLogin      = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Authentication required"}
	errKey        = &reply.Refusal{Status: http.StatusForbidden, Message: "API keys do not open the administration"}
	errPassword   = &reply.Refusal{Status: http.StatusUnauthorized, Message: "Wrong name or password"}
	errOrigin     = &reply.Refusal{Status: http.StatusForbidden, Message: "Requests from pages of other origins are refused"}
	errCSRF       = &reply.Refusal{Status: http.StatusForbidden, Message: "The header X-CSRF-Token must carry the csrfToken of this login"}
	errNoPath     = &reply.Refusal{Status: http.StatusNotFound, Message: "No such path"}
	errBusy       = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "The audit log is already being read; try again later", Retry: 5 * time.Second}
	errNoWebhooks = &reply.Refusal{Status: http.StatusNotFound, Message: "The configuration has no webhooks", Field: "hook"}
	errRevision   = &reply.Refusal{Status: http.StatusConflict, Message: "Somebody else has changed the configuration meanwhile; load it again"}
)

// describe returns the status of an error and what its caller may know about it.
func describe(err error) *reply.Refusal {
	if r := reply.RefusalOf(err); r != nil {
		return r
	}
	if errors.Is(err, engine.ErrResync) {
		return reply.ErrLate
	}
	if errors.Is(err, session.ErrUnknown) {
		return &reply.Refusal{Status: http.StatusNotFound, Message: "No such session", Field: "key"}
	}
	for _, known := range []struct {
		err    error
		status int
		field  string
	}{
		{session.ErrNoKey, http.StatusNotFound, "id"},
		{ErrNoScript, http.StatusNotFound, "name"},
		{session.ErrKeyName, http.StatusConflict, "name"},
		{session.ErrKeysFull, http.StatusConflict, "name"},
	} {
		if errors.Is(err, known.err) {
			return &reply.Refusal{Status: known.status, Message: sentence(err), Field: known.field}
		}
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

// sentence is an error as a person reads it.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
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
