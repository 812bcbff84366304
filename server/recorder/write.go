package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"squelch/server/recordings"
	"squelch/sfu"
	"squelch/sfu/opus/packet"
)

// writer is what the writer's goroutine knows.
type writer struct {
	round   []*tape // those of this round
	fails   bool
	ask     bool // whether the disk works, before anything else
	retryAt time.Time
	cutOff  []string      // recordings that the disk ended, by id: finished when it is back
	backOff time.Duration // until something is on the shelf it grows, also if the disk seems to work meanwhile
}

// writing is what the writer knows of one tape.
type writing struct {
	empty []byte // memory to change for what was taken
	burst burst  // nil: there is no file
	cut   bool   // the disk failed in the middle of it: nothing more is recorded of it
	lost  int

	began  bool   // a packet was written
	next   uint32 // media time of the next packet, if nothing is between
	lastAt int64  // arrival of the last packet, ns
	unit   uint64 // samples of a frame of the last packet
	owed   uint64 // samples of pauses that are too short for a frame
}

// write writes until the recorder ends.
func (r *Recorder) write() {
	every := time.NewTicker(writeEvery)
	defer every.Stop()
	slow := fmt.Sprintf("the disk does not answer: it has been writing for more than %v", stuckAfter)
	stuck := time.AfterFunc(stuckAfter, func() { r.trouble.set(func(t *trouble) { t.stuck = slow }) })
	stuck.Stop()
	for more := true; more; {
		more = r.wait(every)
		stuck.Reset(stuckAfter)
		r.writeAll(r.o.Now(), !more)
		stuck.Stop()
		r.trouble.set(func(t *trouble) { t.stuck = "" })
	}
}

// wait waits until there is something to write; false: for the last time.
func (r *Recorder) wait(every *time.Ticker) (more bool) {
	r.mu.Lock()
	idle := len(r.open) == 0
	r.mu.Unlock()
	if idle && !r.w.fails && !r.w.ask { // it sleeps long while nobody talks
		every.Stop()
		ask := time.NewTimer(askEvery)
		defer ask.Stop()
		select {
		case <-r.wake:
		case <-ask.C:
			r.w.ask = true
		case <-r.quit:
			return false
		}
		every.Reset(writeEvery)
	}
	select {
	case <-every.C:
		return true
	case <-r.quit:
		return false
	}
}

// writeAll writes what was said since the last round. Talks that are over are put on the
// shelf, with last also those that are not.
func (r *Recorder) writeAll(now time.Time, last bool) {
	if r.w.ask || r.w.fails && !now.Before(r.w.retryAt) {
		r.w.ask = false
		r.retry(now)
	}
	r.mu.Lock()
	r.w.round = append(r.w.round[:0], r.open...)
	r.mu.Unlock()
	gone := 0
	for _, t := range r.w.round {
		r.writeTape(t, now)
		ended := t.ended.Load()
		over := r.o.Now().UnixMilli() - ended // the round may have begun long ago; negative: the clock was put back
		if last || ended != 0 && (over >= tail.Milliseconds() || over < 0) {
			r.finish(t, now)
			gone++
		}
	}
	clear(r.w.round)
	r.w.round = r.w.round[:0]
	if gone == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(t *tape) bool {
		if t.w.empty != nil {
			return false
		}
		if r.byTalk[t.row.Talk] == t {
			delete(r.byTalk, t.row.Talk)
		}
		return true
	})
}

// writeTape writes what a tape has taken.
func (r *Recorder) writeTape(t *tape, now time.Time) {
	taken, lost, first := t.swap(t.w.empty)
	t.w.lost += lost
	for rest := taken; len(rest) > 0; {
		var p sfu.Piece
		p, rest = next(rest)
		r.writePiece(t, &p, first, now)
	}
	t.w.empty = taken
}

func (r *Recorder) writePiece(t *tape, p *sfu.Piece, first, now time.Time) {
	voice := p.Kind != sfu.IMBEPiece // which goes beside the voice, and is counted with it
	if voice && t.w.began {
		t.w.lost += p.Lost // before the first one it is not of this talk
	}
	err := errDown
	if !r.w.fails && !t.w.cut {
		err = r.store(t, p, first)
	}
	if err == nil {
		return
	}
	if voice {
		t.w.lost++
	}
	var disk *recordings.DiskError
	switch {
	case errors.As(err, &disk):
		r.fail(disk, now)
	case t.w.burst == nil && !errors.Is(err, errDown):
		r.o.Logf("recorder: %s is not recorded: %v", t.row.ID(), err)
		t.w.cut = true
	}
}

// errDown: the recorder has stopped, or has stopped during this talk.
var errDown = errors.New("nothing is recorded")

// store puts a piece into the file of its talk, which the first one makes.
func (r *Recorder) store(t *tape, p *sfu.Piece, first time.Time) error {
	if t.w.burst == nil {
		b, err := r.shelf.Create(r.entry(t))
		if err != nil {
			return err
		}
		t.w.burst = b
	}
	switch p.Kind {
	case sfu.IMBEPiece:
		return t.w.burst.WriteIMBE(p.Payload)
	case sfu.OpaquePiece:
		t.w.began = true
		return t.w.burst.WriteWebM(p.Payload)
	}
	pause := t.w.pause(p)
	if !t.w.began {
		if silent := first.Sub(time.UnixMilli(t.row.Since)); silent > lateStart {
			pause = uint64(silent.Milliseconds() * packet.Rate / 1000)
		}
	}
	t.w.began = true
	return t.w.burst.WriteOpus(p.Payload, pause)
}

// pause is the silence before a packet, in samples at 48 kHz: what is missing in media
// time, in whole frames of the packet before it. What is left over counts for the next
// pause.
func (w *writing) pause(p *sfu.Piece) uint64 {
	samples := packet.Samples(p.Payload)
	gap := int64(int32(p.Time - w.next))
	clock := max(0, (p.At-w.lastAt)*packet.Rate/int64(time.Second)) // since the last packet came
	const slack = int64(clockSlack) * packet.Rate / int64(time.Second)
	if gap > clock+slack || gap < -slack { // another stream
		gap = max(0, clock-int64(samples))
	}
	if !w.began {
		gap = 0
	}
	w.next, w.lastAt = p.Time+uint32(samples), p.At
	unit := cmp.Or(w.unit, uint64(samples), 1)
	if len(p.Payload) > 0 {
		w.unit = uint64(packet.Samples([]byte{p.Payload[0] &^ 3}))
	}
	w.owed += uint64(max(0, gap))
	pause := w.owed - w.owed%unit
	w.owed -= pause
	return pause
}

// entry is what is known of a talk.
func (r *Recorder) entry(t *tape) recordings.Entry {
	r.mu.Lock()
	about := t.about
	r.mu.Unlock()
	return recordings.Entry{ID: t.row.ID(), Number: t.row.Talk, Start: t.row.Since, End: cmp.Or(about.EndedAt, t.ended.Load()),
		Frequency: t.row.Keyed, Control: t.row.Control, Digital: t.row.Digital, User: t.row.Talker,
		Patch: about.Patch, Name: about.Name, Unit: about.Unit, Lost: t.w.lost}
}

// finish puts a talk on the shelf, and takes the tape's memory.
func (r *Recorder) finish(t *tape, now time.Time) {
	r.forget(t.close())
	r.forget(t.w.empty)
	t.w.empty = nil
	if t.w.burst == nil {
		return
	}
	e := r.entry(t)
	e.End = cmp.Or(e.End, now.UnixMilli())
	err := t.w.burst.Done(e)
	t.w.burst = nil
	var disk *recordings.DiskError
	switch {
	case errors.As(err, &disk):
		r.w.cutOff = append(r.w.cutOff, e.ID)
		r.fail(disk, now)
	case err != nil:
		r.o.Logf("recorder: %s is not on the shelf: %v", e.ID, err)
	default:
		r.w.backOff = 0 // the disk really works
		r.finished(e.ID)
	}
}

func (r *Recorder) finished(id string) {
	e, ok := r.shelf.Get(id)
	if !ok {
		return // nothing was said
	}
	select {
	case r.peaks.queue <- id:
	default:
	}
	if r.o.Finished != nil {
		r.o.Finished(e)
	}
}

// fail stops the recorder, because the disk has failed. What is on the air ends as it is.
func (r *Recorder) fail(disk *recordings.DiskError, now time.Time) {
	r.w.fails = true
	r.w.backOff = min(max(2*r.w.backOff, firstRetry), lastRetry)
	r.w.retryAt = now.Add(r.w.backOff)
	for _, t := range r.w.round {
		if t.w.burst == nil {
			continue
		}
		e := r.entry(t)
		e.End, e.Cut = cmp.Or(e.End, now.UnixMilli()), true
		_ = t.w.burst.Done(e) // the same disk
		r.w.cutOff = append(r.w.cutOff, e.ID)
		t.w.burst, t.w.cut = nil, true
	}
	r.trouble.set(func(t *trouble) { t.fails, t.detail = disk.Reason, disk.Error() })
}

// retry tries the disk. If it works again, a talk that began meanwhile is recorded from
// now on.
func (r *Recorder) retry(now time.Time) {
	err := r.shelf.Probe(r.w.fails)
	if err != nil {
		var disk *recordings.DiskError
		if !errors.As(err, &disk) {
			disk = &recordings.DiskError{Reason: "the shelf cannot be used: " + err.Error()}
		}
		r.fail(disk, now)
		return
	}
	r.w.fails = false
	r.trouble.set(func(t *trouble) { t.fails = "" })
	for _, id := range r.w.cutOff {
		r.finished(id)
	}
	r.w.cutOff = nil
}
