// Package reply is how the interface and the administration answer over HTTP:
// JSON, and for an error its status and what the caller may know of it.
package reply

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"squelch/core"
)

// statusOf maps what the core refuses to status codes, the only such table.
var statusOf = map[core.Kind]int{
	core.Invalid:   http.StatusBadRequest,
	core.NotFound:  http.StatusNotFound,
	core.Conflict:  http.StatusConflict,
	core.Forbidden: http.StatusForbidden,
	core.Full:      http.StatusConflict,

	core.Unavailable: http.StatusServiceUnavailable,
}

// storageRetry is the Retry-After of what could not be stored: within it the
// service looks at its disk again (server/keeper).
const storageRetry = 15 * time.Second

// Refusal is an error as its caller is told of it.
type Refusal struct {
	Status  int
	Message string
	Field   string        // path of the value at fault; "": none
	Retry   time.Duration // Retry-After; 0: none
}

func (e *Refusal) Error() string { return e.Message }

// TooMany refuses a request that comes too early by wait.
func TooMany(wait time.Duration) error {
	return &Refusal{Status: http.StatusTooManyRequests, Message: "Too many requests; try again later", Retry: wait}
}

// RefusalOf finds the Refusal in an error, and makes one of what the core
// refuses and of a body that is too large. It is nil for everything else.
func RefusalOf(err error) *Refusal {
	var own *Refusal
	var refused *core.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &refused) && statusOf[refused.Kind] != 0:
		told := &Refusal{Status: statusOf[refused.Kind], Message: refused.Message, Field: refused.Field}
		if refused.Kind == core.Unavailable {
			told.Retry = storageRetry
		}
		return told
	case errors.As(err, &large):
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Message: "The body is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes"}
	}
	return nil
}

// Write answers with a refusal; body is its form on this surface.
func (e *Refusal) Write(w http.ResponseWriter, body any) {
	if e.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.Retry.Seconds()))))
	}
	JSON(w, e.Status, body)
}

// Unheard tells that a request failed because its caller has gone.
func Unheard(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && r.Context().Err() != nil
}
