package sfu

import (
	"cmp"
	"slices"

	"squelch/core"
)

// want is one talker whom a peer's user hears.
type want struct {
	talker core.UserID
	burst  *burst
	leg    core.Leg
}

// Slot says what a downlink of a peer carries.
type Slot struct {
	Slot      int    // 0-based
	Mid       string // the media section of the offer
	Talker    core.UserID
	Frequency core.Frequency
	Reason    core.Reason
	Patch     int
	Fade      uint8 // as in core.Leg
}

// Waiting is a talker whom the user would hear if a slot were free.
type Waiting struct {
	Talker    core.UserID
	Frequency core.Frequency
}

// Slots says whom a peer hears, and whom it does not for lack of a slot.
type Slots struct {
	Slots   []Slot // the ones in use
	Waiting []Waiting
}

// before orders wants: first by the core's order of preference, with the self-test
// beside the speaker channel because the user asked for it, then the newest burst.
func before(a, b *want) int {
	if c := cmp.Compare(rank(a.leg.Reason), rank(b.leg.Reason)); c != 0 {
		return c
	}
	if c := cmp.Compare(b.burst.began, a.burst.began); c != 0 {
		return c
	}
	return cmp.Compare(a.talker, b.talker)
}

func rank(r core.Reason) core.Reason {
	if r == core.AsLoopback {
		return core.AsSpeaker
	}
	return r
}

// assignAll gives the talkers of all rows to the slots of those who hear them, and lists
// the peers for which anything changed. The caller holds the control lock.
func assignAll(rows []core.Row, bursts []*burst, users map[core.UserID]*listener) (changed []*peer) {
	for i := range rows {
		if bursts[i] == nil {
			continue
		}
		for _, l := range rows[i].Legs {
			if u := users[l.Listener]; u != nil && u.ready {
				u.peer.wants = append(u.peer.wants, want{rows[i].Talker, bursts[i], l})
			}
		}
	}
	for _, u := range users {
		if u.ready && u.peer.assign() {
			changed = append(changed, u.peer)
		}
	}
	return changed
}

// assign distributes the wants over the slots and says whether anything changed.
// The caller holds the control lock. The wants are empty afterwards.
func (p *peer) assign() bool {
	if len(p.wants) == 0 && p.quiet {
		return false
	}
	wants := p.wants
	p.wants = p.wants[:0]
	p.quiet = len(wants) == 0
	changed := false
	for _, s := range p.slots {
		u := s.use.Load()
		if u == nil {
			continue
		}
		i := slices.IndexFunc(wants, func(w want) bool { return w.talker == u.talker })
		if i < 0 {
			s.use.Store(nil)
			s.freed, s.last, s.gone = p.turn(), u.talker, u
			changed = true
			continue
		}
		if w := wants[i]; w.burst != u.burst || w.leg != u.leg {
			if w.burst != u.burst || !w.leg.SamePath(u.leg) {
				s.use.Store(newUse(s, &w))
			} else {
				u.leg = w.leg // frames on their way with this use must not be lost
			}
			changed = true
		}
		wants = slices.Delete(wants, i, i+1)
	}
	slices.SortFunc(wants, func(a, b want) int { return before(&a, &b) })
	var waiting []want
	for _, w := range wants {
		s := p.slotFor(&w)
		if s == nil {
			waiting = append(waiting, w)
			continue
		}
		if out := s.use.Load(); out != nil {
			waiting = append(waiting, want{out.talker, out.burst, out.leg})
		}
		s.use.Store(newUse(s, &w))
		changed = true
	}
	slices.SortFunc(waiting, func(a, b want) int { return before(&a, &b) })
	same := func(a, b want) bool { return a.talker == b.talker && a.leg.Frequency == b.leg.Frequency }
	changed = changed || !slices.EqualFunc(waiting, p.waiting, same)
	p.waiting = waiting
	if changed {
		p.publishSlots()
	}
	return changed
}

// slotFor finds a slot for a want; nil: there is none. It prefers the free slot that
// this talker had before, whose receiver has adapted to the talker's line; then the
// one that has been free longest, so that the end of one burst is still played while
// another burst begins in another slot; then the slot of the last of the talkers who
// rank below w.
func (p *peer) slotFor(w *want) *slot {
	var free, least *slot
	for _, s := range p.slots {
		u := s.use.Load()
		switch {
		case u == nil:
			if s.last == w.talker {
				return s
			}
			if free == nil || s.freed < free.freed {
				free = s
			}
		case rank(u.leg.Reason) > rank(w.leg.Reason):
			if least == nil || before(&want{leg: u.leg, burst: u.burst}, &want{leg: least.use.Load().leg, burst: least.use.Load().burst}) > 0 {
				least = s
			}
		}
	}
	if free != nil {
		return free
	}
	return least
}

// turn numbers the moments at which slots become free.
func (p *peer) turn() uint64 {
	p.turns++
	return p.turns
}

// useOf is a talker's use of a slot; nil: the talker waits.
func (p *peer) useOf(talker core.UserID) *use {
	for _, s := range p.slots {
		if u := s.use.Load(); u != nil && u.talker == talker {
			return u
		}
	}
	return nil
}

func (p *peer) publishSlots() {
	view := &Slots{}
	for _, s := range p.slots {
		if u := s.use.Load(); u != nil {
			view.Slots = append(view.Slots, Slot{s.index, s.mid, u.talker, u.leg.Frequency, u.leg.Reason, u.leg.Patch, u.leg.Fade})
		}
	}
	for _, w := range p.waiting {
		view.Waiting = append(view.Waiting, Waiting{w.talker, w.leg.Frequency})
	}
	p.view.Store(view)
}
