package metrics

import (
	"context"
	"errors"
	"strings"

	"squelch/core"
	"squelch/server/engine"
)

// Kinds of grants, and the denial that is none of the request's.
const (
	Ordinary = "key_up"
	Override = "override"
	HotMic   = "hot_mic"
	Busy     = "busy"
)

// maxSteps is how many steps may wait. They are counted faster than they come; if they
// ever are not, the sums of two neighbours are joined.
const maxSteps = 1024

// tally is what a step adds to the counters.
type tally struct {
	grants, denials, refusals map[string]int
}

// Follower counts who gets the floor, and who does not.
func (m *Metrics) Follower() engine.Follower {
	return &engine.Queue[tally]{Name: "metrics", Most: maxSteps, Prepare: count, Merge: tally.add,
		Deliver: func(_ context.Context, steps []tally) error {
			for _, t := range steps {
				for kind, n := range t.grants {
					m.made().grants.WithLabelValues(kind).Add(float64(n))
				}
				for reason, n := range t.denials {
					m.made().denials.WithLabelValues(reason).Add(float64(n))
				}
				for kind, n := range t.refusals {
					m.made().refusals.WithLabelValues(kind).Add(float64(n))
				}
			}
			return nil
		}}
}

func count(s *engine.Step) (t tally, some bool) {
	if s.Refusal != nil {
		kind := kindOf(s.Refusal)
		if _, key := s.Order.Command.(core.KeyUp); key {
			t.denials = map[string]int{kind: 1}
		}
		t.refusals = map[string]int{kind: 1}
		return t, true
	}
	for _, e := range s.Output.Events {
		switch f := e.Fact.(type) {
		case core.FloorTaken:
			if f.Frequency != f.Keyed { // of one talk that is heard on several channels, one counts
				continue
			}
			kind := Ordinary
			switch {
			case f.HotMic:
				kind = HotMic
			case f.Override:
				kind = Override
			}
			t.grants = plus(t.grants, kind)
		case core.FloorDenied:
			t.denials = plus(t.denials, Busy)
		}
	}
	return t, t.grants != nil || t.denials != nil
}

// kindOf is the kind of a refusal, of which there are few.
func kindOf(err error) string {
	var e *core.Error
	if errors.As(err, &e) {
		return strings.ReplaceAll(e.Kind.String(), " ", "_")
	}
	return "other"
}

func plus(counts map[string]int, name string) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[name]++
	return counts
}

// add joins the newer of two steps to the older.
func (t tally) add(newer tally) tally {
	join := func(a, b map[string]int) map[string]int {
		if a == nil {
			return b
		}
		for name, n := range b {
			a[name] += n
		}
		return a
	}
	return tally{join(t.grants, newer.grants), join(t.denials, newer.denials), join(t.refusals, newer.refusals)}
}
