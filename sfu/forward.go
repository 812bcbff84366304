package sfu

import "squelch/core"

// Publish carries one frame to everybody who hears its talker. It is the hot
// path: it reads one pointer, allocates nothing per listener, encodes nothing
// per listener and takes no lock that control code holds. Frames of one talker
// must come one at a time, in order; different talkers may publish at once.
//
// A talker without a row is not heard: no row, no audio.
func (s *SFU) Publish(f *Frame) { s.publish(s.plan.Load(), f) }

// publish carries a frame as one plan says. Whoever asks a plan something before
// carries the frame with the same one: between two loads it may be replaced.
func (s *SFU) publish(p *plan, f *Frame) {
	f.at = s.clock()
	taken := false
	if t := p.talks[f.Talker]; t != nil {
		held, free := t.transcode(f)
		if !free {
			return // somebody else carries this talker's voice just now
		}
		for i := range t.rows {
			if r := &t.rows[i]; r.carries(f.Keyed) {
				s.deliver(r, f)
				taken = true
			}
		}
		if held {
			t.carried(f)
		}
	}
	if !taken {
		s.unrouted(f)
	}
}

// deliver carries a frame along one row. A frame from a legacy client has no
// media time yet, so the row's pacer takes it to the peers.
func (s *SFU) deliver(r *row, f *Frame) {
	r.count(f)
	if r.keyed != 0 && r.burst.due(f.at) {
		s.tellHeard(f.Talker, r.keyed)
	}
	if f.timed {
		s.send(r, f, toTexts|toPeers)
		return
	}
	s.send(r, f, toTexts)
	if r.peers {
		r.burst.pacer.take(s, r, f)
	}
}

// send gives a frame to every sink of a row that is in reach: one Message per
// run, one call per sink.
func (s *SFU) send(r *row, f *Frame, to reach) {
	m := messages.Get().(*Message)
	for i := range r.runs {
		run := &r.runs[i]
		if run.reach&to == 0 {
			continue
		}
		m.Frame = s.formed(r, f, run.form(f.Encoding))
		if m.Frame == nil {
			continue // no such form of this frame: counted there
		}
		m.Leg, m.Prepared = run.leg, nil
		for _, sink := range run.sinks {
			sink.Send(m)
		}
	}
	*m = Message{}
	messages.Put(m)
}

// unrouted counts a frame that nobody may hear and reports each burst of them
// once, so that the core can tell the talker. RTP may overtake the key-up, so
// it is given a moment first; a legacy client's voice comes behind its key-up.
func (s *SFU) unrouted(f *Frame) {
	u := (*s.users.Load())[f.Talker]
	if u == nil {
		s.stats.strangers.Add(1)
		return
	}
	v := u.voice
	v.unrouted.Add(1)
	if last := v.unroutedAt.Swap(f.at); last == 0 || f.at-last > int64(burstPause) {
		v.unroutedSince.Store(f.at)
		v.unroutedTold.Store(false)
	}
	if f.timed && f.at-v.unroutedSince.Load() < int64(unroutedGrace) {
		return
	}
	if v.unroutedTold.CompareAndSwap(false, true) {
		s.tellHeard(f.Talker, f.Keyed)
	}
}

// tellHeard hands a report to the goroutine that tells the engine. When that
// one is behind, the report is left out: the next is at most a lease away.
func (s *SFU) tellHeard(talker core.UserID, keyed core.Frequency) {
	select {
	case s.heard <- report{talker, keyed}:
	default:
	}
}
