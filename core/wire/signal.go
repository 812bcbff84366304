package wire

import (
	"slices"

	"squelch/core"
)

// SignalOf is the strength of a signal with this fade (core.Leg.Fade); nil: 100.
func SignalOf(fade uint8) *int {
	if fade == 0 {
		return nil
	}
	signal := core.Leg{Fade: fade}.Signal()
	return &signal
}

// talkBegins is talkingState for everybody who is told that a talk has begun: one
// message, and one for each weaker signal with which somebody hears it.
func talkBegins(e core.Event, f core.FloorTaken, v core.View) []Message {
	state := TalkingState{ServerID: f.User, Frequency: f.Frequency.String(), State: true}
	row, ok := v.Routes().Row(f.User, f.Keyed)
	if !ok {
		return one(e, &sent.TalkingState, state)
	}
	weak := map[uint8][]core.UserID{} // by fade
	var all []core.UserID
	for _, l := range row.Legs {
		if l.Fade > 0 && l.Frequency == f.Frequency && e.To.Includes(l.Listener) {
			weak[l.Fade] = append(weak[l.Fade], l.Listener)
			all = append(all, l.Listener)
		}
	}
	if all == nil { // everybody hears it well
		return one(e, &sent.TalkingState, state)
	}
	slices.Sort(all)
	e.To = v.Without(e.To, all)
	messages := one(e, &sent.TalkingState, state)
	for fade := range uint8(101) {
		if weak[fade] == nil {
			continue
		}
		slices.Sort(weak[fade])
		state.Signal = SignalOf(fade)
		messages = append(messages, message(core.Audience{Users: weak[fade]}, &sent.TalkingState, state))
	}
	return messages
}
