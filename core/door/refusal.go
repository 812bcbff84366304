package door

import (
	"errors"

	"squelch/core"
	"squelch/core/wire"
)

// Refusal is an error of the front door, with a status of its own.
type Refusal struct {
	Status  int // of HTTP
	Message string
}

func (e *Refusal) Error() string { return e.Message }

// Refusals with texts that clients compare.
var (
	ErrAuthentication = &Refusal{401, "Authentication required"}
	ErrWrongNac       = &Refusal{401, "Invalid NAC ID"}
	ErrServer         = &Refusal{500, "Server error"}
	ErrNoPath         = &Refusal{404, "No such path"}
	ErrNoScript       = &Refusal{404, "No script has registered this event"}
	ErrManyEvents     = &Refusal{429, "Too many events for scripts"}
	// ErrKeyPath refuses API keys where a session is made or ended, or a cluster changed.
	ErrKeyPath = &Refusal{403, "This path is not for API keys, which need no session: it is for a login or the master token"}
)

// Missing refuses a route whose file is not there, or the external login if none is
// configured.
func Missing(route string) error {
	switch route {
	case "GET /radio/dispatch/installer":
		return &Refusal{404, "There is no installer"}
	case "GET /radio/dispatch/update.json":
		return &Refusal{404, "There is no update manifest"}
	case "GET /radio/tones/{file}":
		return &Refusal{404, "Tone not found"}
	case "GET /api/game/callbacks":
		return &Refusal{404, "No callback of config.lua needs the game server"}
	case "GET /radio/resource.zip":
		return &Refusal{404, "The resource's page is not part of this build of the service: run 'just panel', then build it again"}
	case "GET /radio/dispatch/login", "GET /radio/dispatch/callback":
		return &Refusal{404, "External login is not configured"}
	}
	return ErrNoPath
}

// statusOf maps the core's kinds of refusal to HTTP status codes. No other table maps
// kinds to codes.
var statusOf = map[core.Kind]int{
	core.Invalid:     400,
	core.NotFound:    404,
	core.Conflict:    409,
	core.Forbidden:   403,
	core.Full:        409,
	core.Unavailable: 503,
}

// Status is the HTTP status code of a refusal; 0: err is not a refusal but a failure
// of the service.
func Status(err error) int {
	var own *Refusal
	if errors.As(err, &own) {
		return own.Status
	}
	var refused *core.Error
	if errors.As(err, &refused) {
		return statusOf[refused.Kind]
	}
	return 0
}

func invalid(field, message string) error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: message}
}

// refusedMessage tells a client that its join, key-up or the like was refused.
func refusedMessage(q Request, err error) wire.Message {
	return to(q.By.User, "refused", wire.RefusedOf(q.Event, q.Payload, err))
}
