package sfu

import "squelch/core"

// replan makes a new plan of the routes and the users, and swaps it in: which burst each
// row is and on which tape, then who gets which slot, then everything looked up in advance. The caller
// holds the control lock.
func (s *SFU) replan() {
	users := *s.users.Load()
	rows := s.routes.All()
	bursts := s.burstsOf(rows, users)
	tapes, over := s.tapesOf(rows)
	for _, p := range assignAll(rows, bursts, users) {
		s.notices.slotsChanged(p)
	}
	s.retireBursts(s.plan.Load().end(bursts, s.clock()))
	s.plan.Store(s.compile(rows, bursts, tapes, users))
	s.noteTalks(rows)
	endAll(over)
}

// burstsOf is the burst of each row: the old one if the row goes on, a new one if it
// begins; nil if the talker is not attached and there are no other nodes.
func (s *SFU) burstsOf(rows []core.Row, users map[core.UserID]*listener) []*burst {
	old := s.plan.Load()
	bursts := make([]*burst, len(rows))
	for i := range rows {
		here := users[rows[i].Talker] != nil
		if !here && (!s.joined() || rows[i].Keyed == 0) {
			continue
		}
		if bursts[i] = old.burstOn(rows[i].Talker, rows[i].Keyed); bursts[i] == nil {
			bursts[i] = &burst{counts: s.counters.channel(rows[i].Keyed), began: s.clock()}
		}
		if !here && bursts[i].far == nil {
			bursts[i].far = newFar(s.clock())
		}
	}
	return bursts
}

// compile makes the plan for the slots as they are assigned now. It changes nothing. The
// caller holds the control lock.
func (s *SFU) compile(rows []core.Row, bursts []*burst, tapes []Tape, users map[core.UserID]*listener) *plan {
	p := &plan{talks: make(map[core.UserID]*talk)}
	for i := range rows {
		user := users[rows[i].Talker]
		if user == nil {
			if bursts[i] != nil {
				p.addFar(&rows[i], bursts[i], tapes[i], users)
			}
			continue
		}
		t := p.talks[rows[i].Talker]
		if t == nil {
			t = &talk{}
			p.talks[rows[i].Talker] = t
		}
		r := row{keyed: rows[i].Keyed, talker: user.talker, burst: bursts[i], tape: tapes[i], digital: rows[i].Digital, talk: rows[i].Talk, away: s.awayOf(&rows[i], users)}
		r.addRuns(rows[i].Talker, rows[i].Legs, users)
		t.rows = append(t.rows, r)
	}
	return p
}

// addFar adds a row whose talker is attached to another node.
func (p *plan) addFar(of *core.Row, b *burst, tape Tape, users map[core.UserID]*listener) {
	r := row{keyed: of.Keyed, talker: b.far.talker, burst: b, tape: tape, digital: of.Digital, talk: of.Talk, far: b.far}
	r.addRuns(of.Talker, of.Legs, users)
	if p.far == nil {
		p.far = make(map[farID]*talk)
	}
	p.far[farID{of.Talker, of.Keyed}] = &talk{rows: []row{r}}
}

// addRuns makes runs of the legs: one for each message, and for each kind of sink
// among its listeners.
func (r *row) addRuns(talker core.UserID, legs []core.Leg, users map[core.UserID]*listener) {
	for lo := 0; lo < len(legs); {
		hi := lo + 1
		for hi < len(legs) && legs[hi].SameMessage(legs[lo]) {
			hi++
		}
		plain := run{leg: legs[lo], reach: toTexts}
		imbe := run{leg: legs[lo], reach: toTexts, imbe: true}
		peers := run{leg: legs[lo], reach: toPeers}
		if peers.leg.Digital {
			peers.reach = toDecoded
		}
		for _, l := range legs[lo:hi] {
			switch u := users[l.Listener]; {
			case u == nil:
			case u.ready:
				if use := u.peer.useOf(talker); use != nil { // nil: no slot is free
					peers.sinks = append(peers.sinks, use)
				}
			case u.imbe:
				imbe.sinks = append(imbe.sinks, u.sinks...)
			default:
				plain.sinks = append(plain.sinks, u.sinks...)
			}
		}
		for _, x := range []run{plain, imbe, peers} {
			if len(x.sinks) > 0 {
				r.runs = append(r.runs, x)
				r.peers = r.peers || x.reach != toTexts
			}
		}
		lo = hi
	}
}
