package sfu

import (
	"slices"
	"time"

	"squelch/core"
)

// A client whose line has died closes it and goes on over its sinks. What its slots were
// sent meanwhile never came, and is sent again there.

const (
	// unheardLeast is how many packets of a slot must be missing at the client's last report,
	// so that its line counts as dead: fewer may be on their way.
	unheardLeast = 5
	// unheardReport is how old that report may be, and unheardTalk how long ago a talk may
	// have ended: what was said before is out of date.
	unheardReport = 2 * time.Second
	unheardTalk   = 3 * time.Second
)

// unheard is what a client has not received of a talk.
type unheard struct {
	talker core.UserID
	leg    core.Leg
	frames []pastFrame
}

// unheard lists what the peer's client has not received. The caller holds the control lock.
func (p *peer) unheard(now int64) (all []unheard) {
	for _, s := range p.slots {
		n := s.hearing.missing(s.places(), now)
		var of []unheard
		for _, u := range []*use{s.use.Load(), s.gone} {
			if u == nil || n <= 0 || u.burst.over(now, unheardTalk) {
				continue
			}
			past := u.burst.pastOf(asSent)
			if u.digital {
				past = u.burst.pastOf(decoded)
			}
			frames := past.last(n)
			n -= len(frames)
			of = append(of, unheard{u.talker, u.leg, frames})
		}
		slices.Reverse(of) // the earlier talk comes first
		all = append(all, of...)
	}
	return all
}

// send gives the frames to the sinks that carry the user's voice from now on.
func (x unheard) send(sinks []Sink) {
	for _, f := range x.frames {
		m := &Message{Frame: &Frame{Talker: x.talker, Payload: f.payload, timestamp: f.timestamp, timed: true}, Leg: x.leg}
		for _, sink := range sinks {
			sink.Send(m)
		}
	}
}
