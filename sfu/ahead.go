package sfu

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
)

// ahead has the frames from other nodes that have come before their row: orders and voice go
// separate ways. Few ever do, and they wait for milliseconds.
type ahead struct {
	some atomic.Int32 // how many rows are waited for

	mu     sync.Mutex
	rows   map[farID]*aheadRow
	bytes  int // of all that waits
	sweep  *time.Timer
	closed bool
}

// aheadRow is what waits for one row.
type aheadRow struct {
	talk   int
	frames []aheadFrame
}

type aheadFrame struct {
	Crossing
	at int64 // when it came, ns on the SFU's clock
}

// hold keeps a frame until its row comes; false: the row is there, and the frame is not kept.
func (a *ahead) hold(s *SFU, c *Crossing) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	// Control code swaps in a plan, then looks whether some wait: whoever comes second sees
	// the other.
	a.some.Add(1)
	id := farID{c.Talker, c.Keyed}
	if t := s.plan.Load().far[id]; t != nil && t.rows[0].talk >= c.Talk || int64(c.Talk) <= s.newestTalk.Load() {
		a.some.Add(-1)
		return false
	}
	w := a.rows[id]
	if w != nil {
		a.some.Add(-1)
	}
	size := len(c.Payload) + len(c.Text)
	if a.closed || w == nil && len(a.rows) >= aheadRows || a.bytes+size > aheadBytes {
		if w == nil {
			a.some.Add(-1)
		}
		s.far.early.Add(1)
		return true
	}
	if w == nil {
		if w = new(aheadRow); a.rows == nil {
			a.rows = map[farID]*aheadRow{}
		}
		a.rows[id] = w
	}
	if w.talk != c.Talk { // what waited is of a talk that never came
		a.drop(s, w, len(w.frames))
		w.talk = c.Talk
	}
	if len(w.frames) == aheadFrames {
		a.drop(s, w, 1)
	}
	k := aheadFrame{*c, s.clock()}
	k.Payload = bytes.Clone(c.Payload)
	w.frames = append(w.frames, k)
	a.bytes += size
	if a.sweep == nil {
		a.sweep = time.AfterFunc(aheadTime, func() { a.expire(s) })
	}
	return true
}

// drop drops the oldest n frames of a row. The caller holds the lock.
func (a *ahead) drop(s *SFU, w *aheadRow, n int) {
	for _, f := range w.frames[:n] {
		a.bytes -= len(f.Payload) + len(f.Text)
	}
	s.far.early.Add(uint64(n))
	w.frames = append(w.frames[:0], w.frames[n:]...)
}

// expire drops what has waited too long, and comes again while something waits.
func (a *ahead) expire(s *SFU) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := s.clock()
	for id, w := range a.rows {
		n := 0
		for n < len(w.frames) && now-w.frames[n].at > int64(aheadTime) {
			n++
		}
		if a.drop(s, w, n); len(w.frames) == 0 {
			delete(a.rows, id)
			a.some.Add(-1)
		}
	}
	if a.sweep = nil; len(a.rows) > 0 && !a.closed {
		a.sweep = time.AfterFunc(aheadTime, func() { a.expire(s) })
	}
}

// take takes out what waits for a row of a talk or of one before it.
func (a *ahead) take(id farID, talk int) []aheadFrame {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.rows[id]
	if w == nil || w.talk > talk {
		return nil
	}
	delete(a.rows, id)
	a.some.Add(-1)
	for _, f := range w.frames {
		a.bytes -= len(f.Payload) + len(f.Text)
	}
	return w.frames
}

// close forgets everything.
func (a *ahead) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed, a.rows, a.bytes = true, nil, 0
	a.some.Store(0)
	if a.sweep != nil {
		a.sweep.Stop()
	}
}

// releaseAhead carries what has waited for a row. The caller holds the row's lock.
func (s *SFU) releaseAhead(id farID, r *row) {
	if s.ahead.some.Load() == 0 {
		return
	}
	for _, f := range s.ahead.take(id, r.talk) {
		switch {
		case f.Talk != r.talk:
			s.far.ended.Add(1)
		case s.clock()-f.at > int64(aheadTime):
			s.far.early.Add(1)
		default:
			s.far.held.Add(1)
			s.play(id, r.far, &f.Crossing)
		}
	}
}

// farBegun carries what has waited for rows that have begun. Control code calls it after it has
// swapped in their plan.
func (s *SFU) farBegun(rows []core.Row) {
	if s.ahead.some.Load() == 0 {
		return
	}
	p := s.plan.Load()
	for i := range rows {
		id := farID{rows[i].Talker, rows[i].Keyed}
		if t := p.far[id]; t != nil {
			r := &t.rows[0]
			r.far.mu.Lock()
			s.releaseAhead(id, r)
			r.far.mu.Unlock()
		}
	}
}
