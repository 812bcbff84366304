package sfu

import (
	"sync"
	"sync/atomic"

	"squelch/core"
)

// farID names a row of a talker who is attached to another node.
type farID struct {
	talker core.UserID
	keyed  core.Frequency
}

// far is what is remembered of one row of a talker who is attached to another node, from the
// grant of the floor to its release. Unlike a talker's own frames, which go along all of its
// rows at once, they come for each row, so each has a codec of its own. Times are ns on the
// SFU's clock.
type far struct {
	talker *talker

	mu       sync.Mutex // one frame at a time; control code takes it when the row begins
	frame    Frame
	node     uint64 // from which its frames come; 0: none has come
	nodeAt   int64  // when the last one did
	theirs   uint32 // the stream's epoch there
	epoch    uint32 // and here
	turn     uint16 // sequence number of the last frame that had its turn
	turned   bool
	budget   int64 // how many frames may come now, times farSpacing in ns
	budgetAt int64
}

func newFar(now int64) *far {
	return &far{talker: &talker{}, budget: int64(farBunch) * int64(farSpacing), budgetAt: now}
}

// farCounts are the frames from other nodes, by what became of them.
type farCounts struct {
	taken, held, attached, ended, early, other, flooded, malformed atomic.Uint64
}

// FarStats counts the frames that came from other nodes since the start.
type FarStats struct {
	Taken uint64 // and were carried
	Held  uint64 // of these: came before their row, and waited for it
	// The others were dropped:
	Attached  uint64 // the talker is attached here
	Ended     uint64 // their talk was over
	Early     uint64 // their row did not come in time, or too many waited
	Other     uint64 // the same talk comes from another node
	Flooded   uint64 // above the rate of voice
	Malformed uint64 // timed, and not a packet
}

// Far reads the counts of what came from other nodes.
func (s *SFU) Far() FarStats {
	c := &s.far
	return FarStats{Taken: c.taken.Load(), Held: c.held.Load(), Attached: c.attached.Load(), Ended: c.ended.Load(),
		Early: c.early.Load(), Other: c.other.Load(), Flooded: c.flooded.Load(), Malformed: c.malformed.Load()}
}

// FromNode takes a frame that another node has sent. The talker's row has to be in the route
// table with the same talk. A frame that comes before its row waits for it for at most
// aheadTime, because voice may overtake the order of the key-up; one whose talk is over is not
// heard. Frames of one row must come one at a time, in order; different rows may come at once.
// The payload is not kept.
func (s *SFU) FromNode(c Crossing) {
	if (*s.users.Load())[c.Talker] != nil { // it has moved here
		s.far.attached.Add(1)
		return
	}
	for !s.takeFar(&c) {
		if s.ahead.hold(s, &c) {
			return
		}
	}
}

// takeFar carries a frame along its row, after those that have waited for the row; false: there
// is no such row yet. A frame that is too late is taken, too: it is dropped.
func (s *SFU) takeFar(c *Crossing) bool {
	id := farID{c.Talker, c.Keyed}
	t := s.plan.Load().far[id]
	if t == nil || t.rows[0].talk < c.Talk {
		if int64(c.Talk) <= s.newestTalk.Load() {
			s.far.ended.Add(1)
			return true
		}
		return false
	}
	r := &t.rows[0]
	r.far.mu.Lock()
	defer r.far.mu.Unlock()
	s.releaseAhead(id, r)
	s.play(id, r.far, c)
	return true
}

// play carries one frame by the plan as it is now. The caller holds the row's lock.
func (s *SFU) play(id farID, x *far, c *Crossing) {
	t := s.plan.Load().far[id] // while others had the lock, the talk may have ended
	now := s.clock()
	switch {
	case t == nil || t.rows[0].talk != c.Talk || t.rows[0].far != x:
		s.far.ended.Add(1)
		return
	case !x.afford(now):
		s.far.flooded.Add(1)
		return
	case x.node != c.Node && x.node != 0 && now-x.nodeAt < int64(nodeQuiet):
		s.far.other.Add(1)
		return
	}
	f := &x.frame
	f.Reset()
	f.Talker, f.Keyed, f.Encoding, f.Text, f.Payload = c.Talker, c.Keyed, c.Encoding, c.Text, c.Payload
	f.timestamp, f.timed, f.preRolled = c.Timestamp, c.Timed, c.PreRolled
	f.sequence, f.counted = c.Sequence, c.Counted
	if f.timed && f.Opaque() {
		s.far.malformed.Add(1)
		return
	}
	s.far.taken.Add(1)
	x.follow(s, f, c, now)
	to := reach(0)
	if c.Comes {
		to = toPeers
	}
	if c.Turn {
		to |= inOrder
	}
	f.at = now
	s.carry(t, f, to)
}

// follow notes where the stream is, and gives the frame the epoch that it has here and the
// number of packets that are missing before it, those among them that were lost between the
// nodes.
func (x *far) follow(s *SFU, f *Frame, c *Crossing, now int64) {
	if x.node != c.Node || x.theirs != c.Epoch || x.epoch == 0 {
		x.theirs, x.turned = c.Epoch, false
		x.epoch = s.farEpoch.Add(1) | farEpochs
	}
	x.node, x.nodeAt = c.Node, now
	f.epoch, f.lost = x.epoch, c.Lost
	if c.Turn && c.Counted {
		if gap := c.Sequence - x.turn - 1; x.turned && gap < 1<<15 && gap > f.lost {
			f.lost = gap
		}
		x.turn, x.turned = c.Sequence, true
	}
}

// afford says whether a frame may pass: each comes in two copies at most, at the rate of voice,
// with room for bunches.
func (x *far) afford(now int64) bool {
	x.budget = min(x.budget+now-x.budgetAt, int64(farBunch)*int64(farSpacing))
	x.budgetAt = now
	if x.budget < int64(farSpacing) {
		return false
	}
	x.budget -= int64(farSpacing)
	return true
}

// noteTalks notes the newest talk of a table whose plan is in force. The caller holds the
// control lock.
func (s *SFU) noteTalks(rows []core.Row) {
	if s.cascade == nil {
		return
	}
	newest := s.newestTalk.Load()
	for i := range rows {
		newest = max(newest, int64(rows[i].Talk))
	}
	s.newestTalk.Store(newest)
}
