package wire

import (
	"squelch/core"
)

type (
	// Layout is a console's arrangement that an administrator has published. Scans has the
	// priority of each channel that is heard: 0 none, 1 pre-empts everything, 2 all but 1.
	Layout struct {
		Name    string           `json:"name"`
		Order   []core.Frequency `json:"order"` // of the cards
		Scans   map[string]int   `json:"scans"`
		Targets []core.Frequency `json:"targets"` // on which the PTT talks
		Filter  string           `json:"filter"`  // mine, active, all
		Zoom    core.Zoom        `json:"zoom"`    // 0.9-2, or "fit"
		Density string           `json:"density"` // comfortable, compact, dense
		Rail    LayoutRail       `json:"rail"`
	}
	LayoutRail struct {
		Width float64 `json:"width"` // 280-640 px at 100 %
		Split float64 `json:"split"` // 0-1
	}
)

// layoutsOf are published layouts on the wire.
func layoutsOf(all []core.Layout) []Layout {
	out := make([]Layout, len(all))
	for i := range all {
		l := &all[i]
		out[i] = Layout{l.Name, list(l.Order), map[string]int{}, list(l.Targets), l.Filter, l.Zoom, l.Density, LayoutRail(l.Rail)}
		for _, s := range l.Scans {
			out[i].Scans[s.Frequency.String()] = s.Priority
		}
	}
	return out
}
