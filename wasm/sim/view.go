package sim

import (
	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// kinds are the names that View knows, with the routes that answer them.
var kinds = map[string]string{
	"status":  "GET /radio/dispatch/status",
	"config":  "GET /radio/dispatch/config",
	"tones":   "GET /radio/dispatch/tones",
	"patches": "GET /api/patches",
}

// View says what to read of the radio, without a step. Kind is "status" (at the moment
// At, ms since the epoch), "config", "tones", "patches", or "player": the configuration
// as the player User has it.
type View struct {
	Kind string      `json:"kind"`
	At   int64       `json:"at,omitempty"`
	User core.UserID `json:"user,omitempty"`
}

// View gives what w asks for, as the service would reply. An unknown Kind is a
// *core.Error of kind NotFound.
func (r *Radio) View(w View) (any, error) {
	if w.Kind == "player" {
		return wire.PlayerConfigOf(r.state.View(), w.User), nil
	}
	route := kinds[w.Kind]
	if route == "" {
		return nil, &core.Error{Kind: core.NotFound, Field: "kind", Message: "kind must be status, config, tones, patches or player"}
	}
	step, err := r.door.Ask(func(read func(core.View)) error {
		read(r.state.View())
		return nil
	}, door.Request{At: w.At, By: door.Caller{Kind: door.Session}, Route: route})
	return step.Answer(core.Output{}, nil).Body, err
}
