package sim

import (
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// A look answers a GET route.
type look func(v core.View, q Request) any

// views are the GET routes that the simulation has, by path.
var views = map[string]look{
	"/radio/dispatch/status": func(v core.View, q Request) any { return wire.DispatchStatusOf(v, time.UnixMilli(q.At)) },
	"/api/status":            func(v core.View, _ Request) any { return wire.StatusOf(v) },
	"/radio/dispatch/config": func(v core.View, _ Request) any { return wire.ConfigOf(v, nil) },
	"/radio/dispatch/tones":  func(v core.View, _ Request) any { return wire.TonesOf(v.Config()) },
	"/api/patches":           func(v core.View, _ Request) any { return wire.PatchesOf(v) },
}

// kinds are the names that View knows.
var kinds = map[string]look{
	"status":  views["/radio/dispatch/status"],
	"config":  views["/radio/dispatch/config"],
	"tones":   views["/radio/dispatch/tones"],
	"patches": views["/api/patches"],
	"player":  func(v core.View, q Request) any { return wire.PlayerConfigOf(v, q.By.User) },
}

// View reads the radio without a step: "status" (at the moment At), "config",
// "tones", "patches", or "player", the configuration as the player User has it.
type View struct {
	Kind string      `json:"kind"`
	At   int64       `json:"at,omitempty"`
	User core.UserID `json:"user,omitempty"`
}

// View gives what a View asks for, as the service's reply would be.
func (r *Radio) View(w View) (any, error) {
	l := kinds[w.Kind]
	if l == nil {
		return nil, &core.Error{Kind: core.NotFound, Field: "kind", Message: "kind must be status, config, tones, patches or player"}
	}
	return l(r.state.View(), Request{At: w.At, By: core.Actor{User: w.User}}), nil
}
