package script

import "golang.org/x/time/rate"

// Unhurried lets the scripts make any number of changes a second.
func (h *Host) Unhurried() {
	for _, u := range h.units {
		u.acts.SetLimit(rate.Inf)
	}
}
