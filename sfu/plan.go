package sfu

import (
	"squelch/core"
)

// listener is what the SFU knows about an attached user. It is immutable: a change
// makes a new one, which shares the talker.
type listener struct {
	sinks  []Sink
	imbe   bool  // the sinks take IMBE
	peer   *peer // the user's WebRTC connection, if any
	ready  bool  // the peer is up: voice goes there and not to the sinks
	talker *talker
}

// form is what a frame must be turned into before a run's listeners can hear it
// (RATIONALE, "Who hears what on a digital channel?").
type form uint8

const (
	asSent  form = iota // the frame as it came
	asIMBE              // the frame as IMBE
	decoded             // the frame's IMBE, decoded and sent as Opus
)

// reach tells the two kinds of sinks apart.
type reach uint8

const (
	toTexts reach = 1 << iota // attached sinks: legacy clients
	toPeers                   // slots of WebRTC connections
)

// plan is the route table with everything looked up in advance: which sinks each
// listener has, and which form they take. It is immutable and replaced whole, so that
// the hot path reads one pointer. (With the table alone, each frame would cost a
// look-up for each listener.)
type plan struct {
	talks map[core.UserID]*talk
}

// talk is one talker's rows.
type talk struct {
	rows []row
}

type row struct {
	keyed  core.Frequency // zero: the loopback row
	talker *talker
	burst  *burst
	runs   []run
	peers  bool // some run goes to peers
}

// carries says whether a frame keyed on f goes along this row. The self-test carries
// every frame.
func (r *row) carries(f core.Frequency) bool { return f == 0 || r.keyed == f || r.keyed == 0 }

// run is neighbouring legs whose listeners get the same message through the same kind
// of sink.
type run struct {
	leg   core.Leg
	reach reach
	imbe  bool // the listeners take IMBE
	sinks []Sink
}

// form is the form in which this run takes a frame that came as e.
func (r *run) form(e Encoding) form {
	switch {
	case r.leg.Digital && r.imbe:
		return asIMBE
	case r.leg.Digital, e == IMBE && !r.imbe:
		return decoded
	}
	return asSent
}

// replan makes a new plan of the routes and the users, and swaps it in. The caller
// holds the control lock.
func (s *SFU) replan() {
	users := *s.users.Load()
	old := s.plan.Load()
	now := s.clock()
	rows := s.routes.All()
	bursts := make([]*burst, len(rows))
	for i := range rows {
		if users[rows[i].Talker] == nil {
			continue
		}
		bursts[i] = s.burstOf(old, &rows[i], now)
		for _, l := range rows[i].Legs {
			if u := users[l.Listener]; u != nil && u.ready {
				u.peer.wants = append(u.peer.wants, want{rows[i].Talker, bursts[i], l})
			}
		}
	}
	for _, u := range users {
		if u.ready && u.peer.assign() {
			s.notices.slotsChanged(u.peer)
		}
	}
	p := &plan{talks: make(map[core.UserID]*talk)}
	for i := range rows {
		user := users[rows[i].Talker]
		if user == nil {
			continue
		}
		t := p.talks[rows[i].Talker]
		if t == nil {
			t = &talk{}
			p.talks[rows[i].Talker] = t
		}
		r := row{keyed: rows[i].Keyed, talker: user.talker, burst: bursts[i]}
		r.addRuns(rows[i].Talker, rows[i].Legs, users)
		if s.tap != nil && r.keyed != 0 {
			leg := core.Leg{Frequency: r.keyed, Reason: core.AsListener, Digital: rows[i].Digital}
			r.runs = append(r.runs, run{leg: leg, reach: toTexts, sinks: []Sink{s.tap}})
		}
		t.rows = append(t.rows, r)
	}
	s.plan.Store(p)
}

// burstOf is the burst of a row: the old one if the row goes on, a new one if it
// begins.
func (s *SFU) burstOf(old *plan, r *core.Row, now int64) *burst {
	if t := old.talks[r.Talker]; t != nil {
		for i := range t.rows {
			if t.rows[i].keyed == r.Keyed {
				return t.rows[i].burst
			}
		}
	}
	return &burst{counts: s.counters.channel(r.Keyed), began: now}
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
				r.peers = r.peers || x.reach == toPeers
			}
		}
		lo = hi
	}
}

// rowOf finds the row of a burst; nil: the burst is over.
func (p *plan) rowOf(talker core.UserID, b *burst) *row {
	if t := p.talks[talker]; t != nil {
		for i := range t.rows {
			if t.rows[i].burst == b {
				return &t.rows[i]
			}
		}
	}
	return nil
}

// floorOf is the burst of a talker who holds a floor, nil for anybody else;
// testing says that a self-test runs.
func (p *plan) floorOf(talker core.UserID) (b *burst, testing bool) {
	if t := p.talks[talker]; t != nil {
		for i := range t.rows {
			if t.rows[i].keyed == 0 {
				testing = true
			} else if b == nil {
				b = t.rows[i].burst
			}
		}
	}
	return b, testing
}
