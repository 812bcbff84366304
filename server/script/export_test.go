package script

import "golang.org/x/time/rate"

// Unhurried lets the scripts make any number of changes a second.
func (h *Host) Unhurried() {
	for _, u := range h.units {
		u.acts.SetLimit(rate.Inf)
	}
}

// Asked is how many players it remembers to have asked for their callsign; for the
// engine's goroutine.
func (h *Host) Asked() int { return len(h.asked) }
