package sim

import (
	"squelch/core"
	"squelch/core/wire"
)

// Talk is a row of the route table: a talker on the frequency that was keyed ("": a
// self-test), and who hears the talker. It stands for the media plane, which a
// simulation does not have.
type Talk struct {
	Talker    core.UserID `json:"talker"`
	Frequency string      `json:"frequency"`
	Digital   bool        `json:"digital"`
	Legs      []Leg       `json:"legs"`
}

// Leg is one listener of a Talk, as the voice event to that listener would say.
type Leg struct {
	User        core.UserID `json:"user"`
	Frequency   string      `json:"frequency"`
	ReceiveType string      `json:"receiveType"`
	PatchID     string      `json:"patchId,omitempty"`
	Signal      *int        `json:"signal,omitempty"`
}

func talksOf(t *core.RouteTable) []Talk {
	talks := []Talk{}
	for _, row := range t.All() {
		talk := Talk{row.Talker, row.Keyed.String(), row.Digital, []Leg{}}
		for _, l := range row.Legs {
			leg := Leg{User: l.Listener, Frequency: l.Frequency.String(), ReceiveType: l.Reason.String(), Signal: wire.SignalOf(l.Fade)}
			if l.Patch != 0 {
				leg.PatchID = core.PatchID(l.Patch)
			}
			talk.Legs = append(talk.Legs, leg)
		}
		talks = append(talks, talk)
	}
	return talks
}
