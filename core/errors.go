package core

// Kind says what sort of refusal an Error is. Package door maps kinds to status
// codes.
type Kind uint8

const (
	Invalid     Kind = iota + 1 // a missing or wrong value; Field names it
	NotFound                    // no such channel, user, patch, tone, alert, group
	Conflict                    // the thing is already in use (patch, id, callsign)
	Forbidden                   // the actor or user may not do this
	Full                        // a pool or a limit is used up
	Unavailable                 // nothing can be stored just now
)

func (k Kind) String() string {
	return [...]string{"", "invalid", "not found", "conflict", "forbidden", "full", "unavailable"}[k]
}

// Error is every refusal that the core gives. Nothing has changed when a
// command returns one.
type Error struct {
	Kind    Kind
	Field   string // the request field at fault, as spelled on the wire; may be ""
	Message string // a sentence for a person
}

func (e *Error) Error() string { return e.Message }

// errChannelNotFound has the exact text that clients compare.
var errChannelNotFound = &Error{NotFound, "frequency", "Channel not found"}

// ErrChannelNotFound is the error for every unknown or malformed frequency.
func ErrChannelNotFound() *Error { return errChannelNotFound }

func errUserNotFound(field string) *Error {
	return &Error{NotFound, field, "User not found"}
}

func invalid(field, message string) *Error   { return &Error{Invalid, field, message} }
func forbidden(field, message string) *Error { return &Error{Forbidden, field, message} }
