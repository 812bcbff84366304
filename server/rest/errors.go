package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/session"
)

// statusOf maps what the core refuses to status codes. It is the only such
// table of this surface.
var statusOf = map[core.Kind]int{
	core.Invalid:   http.StatusBadRequest,
	core.NotFound:  http.StatusNotFound,
	core.Conflict:  http.StatusConflict,
	core.Forbidden: http.StatusForbidden,
	core.Full:      http.StatusConflict,
}

// refusal is an error with its status, for what the core knows nothing of.
type refusal struct {
	status  int
	message string
	retry   time.Duration // Retry-After; 0: none
}

func (e *refusal) Error() string { return e.message }

// Refusals with texts that clients compare (spec: Errors).
var (
	errAuthentication = &refusal{status: http.StatusUnauthorized, message: "Authentication required"}
	errWrongNac       = &refusal{status: http.StatusUnauthorized, message: "Invalid NAC ID"}
	errNoPath         = &refusal{status: http.StatusNotFound, message: "No such path"}
)

func invalid(field, message string) error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: message}
}

func notFound(message string) error {
	return &refusal{status: http.StatusNotFound, message: message}
}

func tooMany(wait time.Duration) error {
	return &refusal{status: http.StatusTooManyRequests, message: "Too many requests; try again later", retry: wait}
}

// describe gives the status and the text of an error. Only a failure of the
// server itself is 500, and its cause is for the log, not for the caller.
func describe(err error) (status int, message string, retry time.Duration) {
	var own *refusal
	var refused *core.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own.status, own.message, own.retry
	case errors.As(err, &refused) && statusOf[refused.Kind] != 0:
		return statusOf[refused.Kind], refused.Message, 0
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, "The body is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes", 0
	case errors.Is(err, session.ErrInvalid):
		return http.StatusBadRequest, err.Error(), 0
	case errors.Is(err, session.ErrFull):
		return http.StatusConflict, err.Error(), 0
	case errors.Is(err, session.ErrToken), errors.Is(err, session.ErrUnknown):
		return errAuthentication.status, errAuthentication.message, 0
	}
	return http.StatusInternalServerError, "Server error", 0
}

// fail answers with an error.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the caller has gone
	}
	status, message, retry := describe(err)
	if status == http.StatusInternalServerError {
		h.o.Logf("rest: %s %q: %v", r.Method, r.URL.Path, err)
	}
	if retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(retry.Seconds()))))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110, section 15.5.2
	}
	reply(w, status, wire.Failure{Error: message})
}

// reply writes a JSON answer. Answers are never kept: they are the radio as it
// is now, and some carry secrets.
func reply(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString(`{"success":false,"error":"Server error"}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(out.Len()))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a caller that has gone is no error
}
