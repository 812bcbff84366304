package sfu

import "squelch/core"

// Publish carries one frame to everybody who hears its talker. It is the hot
// path: it reads one pointer, allocates nothing per listener, encodes nothing
// per listener and takes no lock that control code holds. Frames of one talker
// must come one at a time, in order; different talkers may publish at once.
//
// A talker without a row is not heard.
func (s *SFU) Publish(f *Frame) { s.publish(s.plan.Load(), f, toAll) }

// publish carries a frame according to one plan, to the kinds of sinks in to. A caller that
// has looked something up in a plan must pass that plan, because s.plan may be replaced in
// between.
func (s *SFU) publish(p *plan, f *Frame, to reach) {
	f.at = s.clock()
	if t := p.talks[f.Talker]; (t == nil || !s.carry(t, f, to)) && to&toPeers != 0 {
		s.unrouted(f)
	}
}

// carry carries a frame along the rows of its talk, and says whether there is one for it.
func (s *SFU) carry(t *talk, f *Frame, to reach) (taken bool) {
	held := false
	if to&inOrder != 0 {
		var free bool
		if held, free = t.transcode(f); !free {
			return true // another goroutine is carrying this talker's voice
		}
	}
	for i := range t.rows {
		if r := &t.rows[i]; r.carries(f.Keyed) {
			if r.away != nil {
				r.cross(f, to)
			}
			s.deliver(r, f, to)
			taken = true
		}
	}
	if held {
		t.carried(f)
	}
	return taken
}

// deliver carries a frame along one row. A frame from a legacy client has no media
// time yet, so it reaches peers and the tape through the row's pacer.
func (s *SFU) deliver(r *row, f *Frame, to reach) {
	if to&inOrder != 0 {
		s.conceal(r, f)
	}
	if to&toPeers != 0 {
		r.count(f)
		if r.keyed != 0 && r.far == nil && r.burst.due(f.at) {
			s.reportVoice(f.Talker, r.keyed)
		}
	}
	if f.timed {
		s.send(r, f, to)
		return
	}
	s.send(r, f, toTexts)
	if r.peers || r.tape != nil {
		r.burst.pacer.take(s, r, f)
	}
}

// send gives a frame to all sinks of a row that are of the kinds in to: one Message
// for each run, one call for each sink.
func (s *SFU) send(r *row, f *Frame, to reach) {
	m := s.messages.Get().(*Message)
	for i := range r.runs {
		run := &r.runs[i]
		if run.reach&to == 0 || f.stands && run.form(f.Encoding) != asSent {
			continue
		}
		form := run.form(f.Encoding)
		m.Frame = s.formed(r, f, form)
		if m.Frame == nil {
			continue // no such form of this frame, which formed has counted
		}
		m.Leg, m.Prepared = run.leg, nil
		if run.reach != toTexts {
			m.repeats.begin(r.burst.pastOf(form))
		}
		if run.reach != toTexts && m.batch == nil {
			m.batch = s.ports.Load().engine.Batch()
		}
		for _, sink := range run.sinks {
			sink.Send(m)
		}
		s.counters.out(run)
	}
	if m.batch != nil {
		m.batch.Flush()
	}
	if r.peers {
		r.burst.remember(f, to)
	}
	if r.tape != nil && to&toDecoded != 0 {
		r.take(f)
	}
	m.Frame, m.Leg, m.Prepared = nil, core.Leg{}, nil // the rest is memory for the next frame
	s.messages.Put(m)
}

// unrouted counts a frame that nobody may hear. Each series of such frames is reported
// once, so that the core can tell the talker. RTP may overtake the key-up, so it is
// not reported within unroutedGrace; a legacy client's voice comes after its key-up
// on the same connection.
func (s *SFU) unrouted(f *Frame) {
	u := (*s.users.Load())[f.Talker]
	if u == nil {
		s.counters.strangers.Add(1)
		return
	}
	t := u.talker
	t.unrouted.Add(1)
	if last := t.unroutedAt.Swap(f.at); last == 0 || f.at-last > int64(burstPause) {
		t.unroutedSince.Store(f.at)
		t.unroutedReported.Store(false)
	}
	if f.timed && f.at-t.unroutedSince.Load() < int64(unroutedGrace) {
		return
	}
	if t.unroutedReported.CompareAndSwap(false, true) {
		s.reportVoice(f.Talker, f.Keyed)
	}
}

// reportVoice queues a report for the engine. If the queue is full, the report is left
// out: while the burst lasts, the next one follows after leaseReport.
func (s *SFU) reportVoice(talker core.UserID, keyed core.Frequency) {
	select {
	case s.reports <- report{talker, keyed}:
	default:
	}
}
