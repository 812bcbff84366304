package sfu

// Totals are the counts of the whole media plane since its start. Unlike those of Stats,
// which are of the users and connections that there are, none of them ever falls.
type Totals struct {
	In        uint64 // frames with a route, also from other nodes; one on two channels counts twice
	Dropped   uint64 // of these: late, or without a form that some listeners take
	Opaque    uint64 // of these: not packets but a container, so for legacy clients only
	Unrouted  uint64 // frames of users who had no floor
	Strangers uint64 // frames of users who were not attached

	OutSockets, OutPeers uint64 // frames to listeners, over Socket.IO and over WebRTC
	OutDropped           uint64 // of OutPeers: not sent, see SlotStats.Dropped

	Encoded, Decoded uint64 // blocks of 20 ms through the vocoder: to IMBE, to sound

	LineLost, LineLate uint64 // packets that were lost or came too late on the way here
	Flooded            uint64 // packets above the rate of voice
	Malformed          uint64 // packets that are not RTP of their stream, or not Opus

	Peers int // connections now
}

func (t *Totals) addTalker(v *talker) {
	t.In += v.packets.Load()
	t.Dropped += v.dropped.Load()
	t.Opaque += v.opaque.Load()
	t.Unrouted += v.unrouted.Load()
	t.Encoded += v.encoded.Load()
	t.Decoded += v.decoded.Load()
}

func (t *Totals) addPeer(p *peer) {
	if p.up != nil {
		in := p.up.in.Stats()
		t.LineLost += in.Lost
		t.LineLate += in.Late
		t.Malformed += in.Malformed + p.up.opaque.Load()
		t.Flooded += p.up.flooded.Load()
	}
	for _, s := range p.slots {
		t.OutDropped += s.dropped.Load()
	}
}

// Totals reads all counts. It keeps control code waiting for microseconds, and media code
// not at all.
func (s *SFU) Totals() Totals {
	s.control.Lock()
	defer s.control.Unlock()
	t := s.past
	for _, u := range *s.users.Load() {
		t.addTalker(u.talker)
		if u.peer != nil {
			t.addPeer(u.peer)
			t.Peers++
		}
	}
	for _, talk := range s.plan.Load().all() {
		for i := range talk.rows {
			if x := talk.rows[i].burst.far; x != nil {
				t.addTalker(x.talker)
			}
		}
	}
	t.Strangers, t.OutSockets, t.OutPeers = s.counters.strangers.Load(), s.counters.toSockets.Load(), s.counters.toPeers.Load()
	return t
}

// retire keeps the counts of what a changed user no longer has. The caller holds control.
func (s *SFU) retire(was, is *listener) {
	if was == nil {
		return
	}
	if was.peer != nil && (is == nil || is.peer != was.peer) {
		s.past.addPeer(was.peer)
	}
	if is == nil {
		s.past.addTalker(was.talker)
	}
}

// retireBursts keeps the counts of talkers on other nodes whose bursts are over. The caller
// holds control.
func (s *SFU) retireBursts(over []*burst) {
	for _, b := range over {
		if b.far != nil {
			s.past.addTalker(b.far.talker)
		}
	}
}
