package sfu

import (
	"slices"

	"squelch/core"
)

// A radio may be on several nodes. Each has the whole route table, and a user is attached to
// one of them. A frame of a talker who is attached here goes once to the other nodes, however
// many listeners there are (Cascade); a frame of a talker who is attached elsewhere comes from
// there (FromNode), and is then a frame like any other. What comes from a node never goes to
// another one.

// Cascade carries frames to the other nodes.
type Cascade interface {
	// Away takes a frame of a talker who is attached here, once for each row that has a
	// listener who is not. It is on the hot path: it must not block, take a lock that control
	// code holds, or allocate. The frame's text may be kept, its payload not. Several talkers'
	// goroutines may call it at once; calls for one talker come in order.
	Away(Crossing)
	// Attached is called when a user has been attached or is no longer. It must not block or
	// call the SFU.
	Attached()
}

// Crossing is a frame on its way between two nodes.
type Crossing struct {
	Node   uint64 // of FromNode: the process that it comes from; the talker is attached there
	Talker core.UserID
	Keyed  core.Frequency
	Talk   int // core.Row.Talk: every node has the same number of it

	Encoding Encoding
	Text     string // base64 exactly as a legacy client sent it; "": there is a Payload
	Payload  []byte

	Timed     bool
	Timestamp uint32 // if Timed: media time of the first sample, at 48 kHz
	Counted   bool
	Sequence  uint16 // if Counted, as in stream.Packet
	Epoch     uint32 // if Counted
	Lost      uint16 // with Turn: packets that were lost directly before this one
	Comes     bool   // it comes now: for those who put packets in order themselves
	Turn      bool   // all before it have had their turn: for the others
	PreRolled bool   // it came before the floor was granted
}

// SetCascade says what carries frames to other nodes; nil: nothing does, and there are none. No
// frame is handed to the old one that begins after it has returned.
func (s *SFU) SetCascade(c Cascade) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return
	}
	s.cascade = c
	s.replan()
}

// CarryAll says whether the frames of all rows go to the other nodes, because one of them
// records, and not only of those that somebody hears there.
func (s *SFU) CarryAll(yes bool) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.carryAll == yes || s.closed {
		return
	}
	s.carryAll = yes
	s.replan()
}

// Isolate says whether this node no longer knows what the others decide. Then nobody hears a
// talker of another node here, and nothing goes there: a floor that was granted here may have
// been granted to somebody else meanwhile.
func (s *SFU) Isolate(yes bool) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.isolated == yes || s.closed {
		return
	}
	s.isolated = yes
	s.replan()
}

// joined says whether frames go to other nodes and come from there. The caller holds the
// control lock.
func (s *SFU) joined() bool { return s.cascade != nil && !s.isolated }

// Attached lists the users who are attached here, sorted.
func (s *SFU) Attached() []core.UserID {
	users := *s.users.Load()
	all := make([]core.UserID, 0, len(users))
	for id := range users {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// awayOf is what carries a row's frames to other nodes; nil: nobody is there who wants them.
// The caller holds the control lock.
func (s *SFU) awayOf(row *core.Row, users map[core.UserID]*listener) Cascade {
	if !s.joined() || row.Keyed == 0 {
		return nil
	}
	if s.carryAll || slices.ContainsFunc(row.Legs, func(l core.Leg) bool { return users[l.Listener] == nil }) {
		return s.cascade
	}
	return nil
}

// cross hands a frame of this row to the other nodes.
func (r *row) cross(f *Frame, to reach) {
	c := Crossing{
		Talker: f.Talker, Keyed: r.keyed, Talk: r.talk,
		Encoding: f.Encoding, Text: f.Text, Payload: f.Payload,
		Timed: f.timed, Timestamp: f.timestamp, Counted: f.counted, Sequence: f.sequence, Epoch: f.epoch,
		Lost: f.lost, Comes: to&toPeers != 0, Turn: to&inOrder != 0, PreRolled: f.preRolled,
	}
	if c.Text != "" {
		c.Payload = nil
	}
	r.away.Away(c)
}
