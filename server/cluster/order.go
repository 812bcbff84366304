package cluster

import (
	"errors"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// ordered is a proposal that has been ordered.
type ordered struct {
	Place
	origin, number uint64
}

// decides says whether this node may order.
func (s *Source) decides() bool { return s.owner && s.o.Leases.Holds() }

// asked orders the proposal of another node. Those of one node keep their order: one that
// comes before an earlier one waits until that has been sent again.
func (s *Source) asked(p proposed) {
	if !s.decides() {
		return // the node sends it again
	}
	if p.Number != 0 {
		next := max(s.ordered[p.Origin]+1, p.Oldest)
		if p.Number != next {
			return
		}
	}
	s.order(decided{Origin: p.Origin, Number: p.Number, ID: p.ID}, p.Order.By, p.Order.Command)
}

// order gives a command its time and its place. One that cannot be told to the others has
// none.
func (s *Source) order(d decided, by core.Actor, cmd core.Command) {
	at := max(s.clock.ms(), s.last)
	d.Place, d.Node, d.Build, d.Before = Place{s.at.Epoch, s.at.Seq + 1}, s.o.Node, s.o.Build, s.before
	d.Order = &wire.Order{At: at, By: by, Command: cmd}
	if err := s.tell(d); err != nil {
		s.o.Logf("warning: radio %s: an order of node %s cannot be told: %v", s.o.Radio, s.o.Node, err)
		if d.Origin == s.o.Origin {
			s.lose(d.ID, ErrNoOwner)
		}
		return
	}
	fences := s.before != nil
	s.soon()
	s.at, s.last, s.before = d.Place, at, nil
	s.pass(d, fences)
}

// tell tells all nodes.
func (s *Source) tell(d decided) error {
	text := encode(d)
	if text == nil {
		return errors.New("it has numbers that JSON does not have")
	}
	return s.o.Mesh.Log.Publish(s.subject("o"), text)
}

// pass passes an order to this node's engine. A new owner fences the one before.
func (s *Source) pass(d decided, fences bool) {
	s.lastSeen = s.o.Wall()
	if d.Number != 0 {
		s.ordered[d.Origin] = max(s.ordered[d.Origin], d.Number)
		s.recent = append(s.recent, ordered{d.Place, d.Origin, d.Number})
		if len(s.recent) >= 2*remembered {
			s.recent = append(s.recent[:0], s.recent[len(s.recent)-remembered:]...)
		}
		if d.Origin == s.o.Origin {
			delete(s.pending, d.Number)
		}
		for origin := range s.ordered {
			if len(s.ordered) <= mostOrigins {
				break
			}
			if origin != s.o.Origin && origin != d.Origin {
				delete(s.ordered, origin)
			}
		}
	}
	s.connects(d.Order)
	s.push(engine.Ordered{Epoch: d.Epoch, Seq: d.Seq, Origin: d.Origin, ID: d.ID, Order: *d.Order, Store: fences})
	s.answerHave()
}

// beat says how far this owner is, and what is stored: a node may have missed either.
func (s *Source) beat(now time.Time) {
	s.said = now
	_ = s.tell(decided{Place: s.at, Node: s.o.Node})
	if s.safe != nil {
		_ = s.tell(*s.safe)
	}
}
