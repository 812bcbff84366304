package sfu

import (
	"maps"
	"slices"

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

// reach tells the kinds of sinks apart.
type reach uint8

const (
	toTexts   reach = 1 << iota // attached sinks: legacy clients
	toPeers                     // slots that carry frames as they were sent
	toDecoded                   // slots of a digital channel: what has been through the vocoder
	// inOrder are those that need a talker's frames in order; the buffer of any other
	// listener puts them in order.
	inOrder = toTexts | toDecoded
	toAll   = inOrder | toPeers
)

// plan is the route table with everything looked up in advance: which sinks each
// listener has, and which form they take. It is immutable and replaced whole, so that
// the hot path reads one pointer. (With the table alone, each frame would cost a
// look-up for each listener.)
type plan struct {
	talks map[core.UserID]*talk // of those who are attached here
	far   map[farID]*talk       // of the others, each with one row; nil: there are no other nodes
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
	peers  bool // some run goes to slots
	talk   int  // core.Row.Talk

	away Cascade // nil: nobody hears it on another node
	far  *far    // nil: the talker is attached here

	tape    Tape // nil: it is not recorded
	digital bool // keyed is a digital channel
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

// row finds a talker's row; nil: there is none.
func (p *plan) row(talker core.UserID, keyed core.Frequency) *row {
	if t := p.talks[talker]; t != nil {
		for i := range t.rows {
			if t.rows[i].keyed == keyed {
				return &t.rows[i]
			}
		}
	}
	if t := p.far[farID{talker, keyed}]; t != nil {
		return &t.rows[0]
	}
	return nil
}

// rowOf finds the row of a burst; nil: the burst is over.
func (p *plan) rowOf(talker core.UserID, keyed core.Frequency, b *burst) *row {
	if r := p.row(talker, keyed); r != nil && r.burst == b {
		return r
	}
	return nil
}

// end notes when the bursts of the plan ended that go on in no other row, and lists them.
func (p *plan) end(goOn []*burst, now int64) (over []*burst) {
	for _, t := range p.all() {
		for i := range t.rows {
			if b := t.rows[i].burst; !slices.Contains(goOn, b) {
				b.endedAt.Store(now)
				over = append(over, b)
			}
		}
	}
	return over
}

// all are the talks of all nodes.
func (p *plan) all() []*talk {
	return slices.AppendSeq(slices.Collect(maps.Values(p.talks)), maps.Values(p.far))
}

// burstOn is the burst of a talker's row; nil: there is no such row.
func (p *plan) burstOn(talker core.UserID, keyed core.Frequency) *burst {
	if r := p.row(talker, keyed); r != nil {
		return r.burst
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
