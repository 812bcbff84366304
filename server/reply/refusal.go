// Package reply is how the interface and the administration answer over HTTP: JSON,
// and for an error its status and what the caller may know about it.
package reply

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"squelch/core"
	"squelch/core/door"
)

// storageRetry is the Retry-After for what could not be stored: within that time the
// service looks at its disk again (server/keeper).
const storageRetry = 15 * time.Second

// lateRetry is the Retry-After when the radio did not answer in time: by then a stalled
// disk or machine has usually recovered.
const lateRetry = 5 * time.Second

// ErrLate refuses what may still take effect, because no answer came in time.
var ErrLate = &Refusal{Status: http.StatusServiceUnavailable, Message: "The radio did not answer in time; check its state before you try again", Retry: lateRetry}

// Refusal is an error as its caller sees it.
type Refusal struct {
	Status  int
	Message string
	Field   string        // path of the value at fault; "": none
	Retry   time.Duration // Retry-After; 0: none
}

func (e *Refusal) Error() string { return e.Message }

// TooMany refuses a request that comes too early; wait is how long to wait before the
// next.
func TooMany(wait time.Duration) error {
	return &Refusal{Status: http.StatusTooManyRequests, Message: "Too many requests; try again later", Retry: wait}
}

// RefusalOf finds the Refusal in an error, or makes one of a refusal by the radio or
// of a body that is too large or a deadline. It returns nil for everything else.
func RefusalOf(err error) *Refusal {
	var own *Refusal
	var large *http.MaxBytesError
	switch status := door.Status(err); {
	case errors.As(err, &own):
		return own
	case status != 0:
		return refusedBy(err, status)
	case errors.As(err, &large):
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Message: "The body is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes"}
	case errors.Is(err, context.DeadlineExceeded):
		return ErrLate
	}
	return nil
}

// refusedBy turns a refusal by the radio, or its front door, into a Refusal.
func refusedBy(err error, status int) *Refusal {
	told := &Refusal{Status: status, Message: err.Error()}
	var refused *core.Error
	if errors.As(err, &refused) {
		told.Message, told.Field = refused.Message, refused.Field
		if refused.Kind == core.Unavailable {
			told.Retry = storageRetry
		}
	}
	return told
}

// Write answers with a refusal; body is its form on this surface.
func (e *Refusal) Write(w http.ResponseWriter, body any) {
	if e.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.Retry.Seconds()))))
	}
	JSON(w, e.Status, body)
}

// Unheard says whether a request failed because its caller has gone.
func Unheard(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && r.Context().Err() != nil
}
