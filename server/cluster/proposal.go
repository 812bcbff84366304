package cluster

import (
	"context"
	"maps"
	"slices"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

type proposal struct {
	id   uint64
	by   core.Actor
	cmd  core.Command
	born time.Time
	sent time.Time
}

// Propose hands a command to the owner.
func (s *Source) Propose(ctx context.Context, id uint64, by core.Actor, cmd core.Command) error {
	if _, keyed := cmd.(core.KeyUp); keyed && s.isDeaf.Load() {
		return ErrNoOwner
	}
	p := &proposal{id: id, by: by, cmd: cmd, born: s.o.Now()}
	select {
	case <-s.quit:
		return engine.ErrClosed
	default:
	}
	select {
	case s.proposals <- p:
		return nil
	default:
	}
	select {
	case s.proposals <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return engine.ErrClosed
	}
}

// propose orders a command of this node, or sends it to the owner.
func (s *Source) propose(p *proposal) {
	if s.decides() {
		s.order(decided{ID: p.id, Origin: s.o.Origin}, p.by, p.cmd)
		return
	}
	if p.id == 0 {
		s.send(p, 0, 0)
		return
	}
	if len(s.pending) >= mostPending {
		s.lose(p.id, ErrNoOwner)
		return
	}
	s.number++
	s.pending[s.number] = p
	s.soon()
	s.send(p, s.number, s.oldest())
}

// send sends a proposal to the owner, if one is known.
func (s *Source) send(p *proposal, number, oldest uint64) {
	owner := s.o.Leases.Owner(s.o.Radio)
	if owner.Node == "" || owner.Node == s.o.Node || owner.Epoch != s.at.Epoch {
		return // an owner whom this replica does not follow yet may have it already
	}
	p.sent = s.o.Now()
	_ = s.o.Mesh.Log.Publish(s.subject("p")+"."+owner.Node, encode(proposed{Origin: s.o.Origin, Number: number, Oldest: oldest, ID: p.id, Order: wire.Order{By: p.by, Command: p.cmd}}))
}

// oldest is the lowest number that waits for its order. Numbers rise, so it is rarely far
// below the newest.
func (s *Source) oldest() uint64 {
	for s.first <= s.number && s.pending[s.first] == nil {
		s.first++
	}
	return s.first
}

// lose tells a caller that there is no order.
func (s *Source) lose(id uint64, why error) {
	if id != 0 {
		s.push(engine.Ordered{Origin: s.o.Origin, ID: id, Lost: why})
	}
}

// repeat sends proposals again, all of them in their order, whose orders have not come.
func (s *Source) repeat(now time.Time) {
	if len(s.pending) == 0 {
		return
	}
	oldest := s.oldest()
	late := now.Sub(s.pending[oldest].sent) > repeatAfter
	if !late && !s.decides() {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(s.pending)) {
		p := s.pending[n]
		switch {
		case now.Sub(p.born) > s.o.Leases.Scale(giveUp):
			delete(s.pending, n)
			s.lose(p.id, ErrNoOwner)
		case s.decides():
			delete(s.pending, n)
			s.order(decided{Origin: s.o.Origin, Number: n, ID: p.id}, p.by, p.cmd)
		default:
			s.send(p, n, s.oldest())
		}
	}
}

// sendAgain has what waits sent again at once.
func (s *Source) sendAgain() {
	if p := s.pending[s.oldest()]; p != nil {
		p.sent = time.Time{}
	}
	s.repeat(s.o.Now())
}
