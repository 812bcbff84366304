package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/session"
)

// statusOf maps what the core refuses to status codes, the only such table of
// this surface.
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

var (
	errLogin    = &refusal{status: http.StatusUnauthorized, message: "Authentication required"}
	errPassword = &refusal{status: http.StatusUnauthorized, message: "Wrong password"}
	errOrigin   = &refusal{status: http.StatusForbidden, message: "Requests from pages of other origins are refused"}
	errCSRF     = &refusal{status: http.StatusForbidden, message: "The header X-CSRF-Token must carry the csrfToken of this login"}
	errNoPath   = &refusal{status: http.StatusNotFound, message: "No such path"}
	errBusy     = &refusal{status: http.StatusTooManyRequests, message: "The audit log is being read already; try again later", retry: 5 * time.Second}
	errRevision = &refusal{status: http.StatusConflict, message: "Somebody else has changed the configuration meanwhile; load it again"}
)

func tooMany(wait time.Duration) error {
	return &refusal{status: http.StatusTooManyRequests, message: "Too many requests; try again later", retry: wait}
}

// describe gives the status of an error and what its caller may know of it.
func describe(err error) (status int, told wire.AdminFailure, retry time.Duration) {
	var own *refusal
	var refused *core.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own.status, wire.AdminFailure{Error: own.message}, own.retry
	case errors.As(err, &refused) && statusOf[refused.Kind] != 0:
		return statusOf[refused.Kind], wire.AdminFailure{Error: refused.Message, Field: refused.Field}, 0
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, wire.AdminFailure{Error: "The body is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes"}, 0
	case errors.Is(err, session.ErrUnknown):
		return http.StatusNotFound, wire.AdminFailure{Error: "No such session", Field: "key"}, 0
	}
	return http.StatusInternalServerError, wire.AdminFailure{Error: "Server error; the log of the service says more"}, 0
}

func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the caller has gone
	}
	status, told, retry := describe(err)
	if status == http.StatusInternalServerError {
		h.o.Logf("admin: %s %q: %v", r.Method, r.URL.Path, err)
	}
	if retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(retry.Seconds()))))
	}
	reply(w, status, told)
}

// reply writes a JSON answer, never kept by anybody.
func reply(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString(`{"success":false,"error":"Server error"}`)
	}
	private(w.Header(), "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a caller that has gone is no error
}

func private(header http.Header, kind string) {
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
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
