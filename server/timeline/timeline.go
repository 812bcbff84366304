// Package timeline is the durable list of what was said and done on the radio: every
// transmission, alert, panic, patch, login and trouble of the service, in order, numbered
// from 1. It is what people read; the audit log beside it is what proves.
//
// An entry is visible as soon as it is added, and on the disk soon after; who needs to
// know when waits for it. While the disk is broken, entries stay in memory and are
// written first when it is back.
package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Log is where the timeline is stored: records numbered from 1 without gaps, of which
// the oldest may be removed. *store.Log is one.
type Log interface {
	// AppendAt adds records, the first of which must get the number at, and returns nil
	// when all of them are durable. After an error none, some or all may have been kept.
	AppendAt(ctx context.Context, at uint64, records ...[]byte) error
	// Read returns up to limit records from number from on, or from the oldest one;
	// records[i] has number first+i.
	Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error)
	// Bounds returns the numbers of the oldest and newest record; an empty log has
	// last = first - 1.
	Bounds() (first, last uint64)
}

// Options of Open.
type Options struct {
	// Recording says what there is of a transmission's sound, and its transcript. It may
	// be called at any time and must not wait. Nil: nothing is recorded.
	Recording func(id string) (info *wire.RecordingInfo, transcript string)
	// Probe finds out whether the disk takes so many bytes. A broken disk is asked before
	// it is written to, because a failed write is expensive. Nil: it is not asked.
	Probe func(ctx context.Context, bytes int) error
	Logf  func(format string, args ...any) // nil: dropped
	Now   func() time.Time                 // nil: time.Now
	// Forward passes a moment to the service that writes the timeline, if several share it:
	// until Own is called, this one only reads. It must not wait. Nil: nobody shares it.
	Forward func(core.Moment)
}

// Entry is an entry of the timeline.
type Entry struct {
	Seq    uint64 // its number in the log, from 1
	Moment core.Moment
	Cut    bool // nobody knows when the transmission ended; it lasted at least until then
}

// When is the moment at which it was entered, ms since the epoch: of a transmission, its
// end.
func (e Entry) When() int64 { return max(e.Moment.At, e.Moment.EndedAt) }

// Timeline is the timeline of one radio. Its methods may be called from any goroutine.
type Timeline struct {
	o    Options
	log  Log
	wake chan struct{}
	rush chan struct{} // somebody waits for the disk
	gone chan struct{}

	mu      sync.Mutex
	tail    []Entry // the newest, without gaps
	last    uint64  // of the newest; the next gets one more
	written uint64  // of the newest on the disk
	changed chan struct{}
	waiting []waiter
	open    map[string]*begun // transmissions on the air, by id
	broken  error             // why the disk does not take it; nil: it does
	hangs   bool              // an attempt to write has been taking longer than slowWrite
	dropped int               // entries that there was no room for since it broke
	reads   bool              // another service writes it
	closed  bool
}

// waiter waits until entry seq is on the disk.
type waiter struct {
	seq  uint64
	done chan error
}

// begun is a transmission on the air.
type begun struct {
	moment core.Moment
	seq    uint64 // of the newest entry that says so; 0: there is none
}

// errClosed: the timeline takes nothing any more.
var errClosed = errors.New("the service is stopping")

// Open opens the timeline that a log holds. Transmissions that were on the air when the
// service was killed get their end. Close it after everything that adds to it.
func Open(ctx context.Context, log Log, o Options) (*Timeline, error) {
	if o.Recording == nil {
		o.Recording = func(string) (*wire.RecordingInfo, string) { return nil, "" }
	}
	if o.Probe == nil {
		o.Probe = func(context.Context, int) error { return nil }
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	first, last := log.Bounds()
	t := &Timeline{o: o, log: log, wake: make(chan struct{}, 1), rush: make(chan struct{}, 1), gone: make(chan struct{}),
		last: last, written: last, open: map[string]*begun{}}
	var err error
	if t.tail, err = t.fetch(ctx, max(first, last-min(last, tailLength-1)), tailLength); err != nil {
		return nil, err
	}
	if t.reads = o.Forward != nil; !t.reads {
		t.mend()
	}
	go t.run()
	return t, nil
}

// mend ends the transmissions that have none: the service was killed. When they ended is
// not known; they were on the air when the newest entry was made, and as long as there is
// voice of them.
func (t *Timeline) mend() {
	newest := t.lookForOpen()
	var lost []core.Moment
	for _, b := range t.open {
		m := b.moment
		m.Kind, m.EndedAt = core.MomentTransmission, max(newest, m.At+1)
		if sound, _ := t.o.Recording(m.ID()); sound != nil {
			m.EndedAt = max(m.EndedAt, m.At+sound.DurationMs)
		}
		lost = append(lost, m)
	}
	slices.SortFunc(lost, func(a, b core.Moment) int { return a.Number - b.Number })
	for _, m := range lost {
		t.enter(m, true)
	}
}

// lookForOpen finds the transmissions of the tail that have no end, and when the newest
// entry was made.
func (t *Timeline) lookForOpen() (newest int64) {
	for _, e := range t.tail {
		newest = max(newest, e.When())
		switch e.Moment.Kind {
		case core.MomentKeyed:
			t.open[e.Moment.ID()] = &begun{e.Moment, e.Seq}
		case core.MomentTransmission:
			delete(t.open, e.Moment.ID())
		}
	}
	return newest
}

// Add enters moments, in order. A moment without a time gets the present one. It returns
// the number of the newest entry; see Written.
func (t *Timeline) Add(moments ...core.Moment) (last uint64) {
	t.mu.Lock()
	for _, m := range moments {
		if m.At == 0 {
			m.At = t.o.Now().UnixMilli()
		}
		if t.reads {
			t.o.Forward(m)
			continue
		}
		t.enter(m, false)
	}
	if !t.reads {
		last = t.last
	}
	t.mu.Unlock()
	t.nudge(t.wake)
	return last
}

// Note enters that something of the service fails, and why; with an empty reason, that it
// is well again.
func (t *Timeline) Note(what, reason string) {
	t.Add(core.Moment{Kind: core.MomentHealth, Detail: what, Reason: reason, Surface: core.BySystem})
	if reason == "" { // it may be the disk
		t.nudge(t.rush)
	}
}

// Failing returns what of the service fails as the newest entries have it, as far as they
// are in memory; in the order of the alphabet.
func (t *Timeline) Failing() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := map[string]bool{}
	for _, e := range t.tail {
		if e.Moment.Kind == core.MomentHealth {
			now[e.Moment.Detail] = e.Moment.Reason != ""
		}
	}
	for what, fails := range now {
		if fails {
			all = append(all, what)
		}
	}
	slices.Sort(all)
	return all
}

func (t *Timeline) nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// enter gives a moment its number; t.mu is held, or nobody else knows t.
func (t *Timeline) enter(m core.Moment, cut bool) {
	b := t.open[m.ID()]
	switch m.Kind {
	case core.MomentKeyed:
		b = &begun{moment: m}
		t.open[m.ID()] = b
		if t.broken != nil { // a crash now would lose it in any case
			return
		}
	case core.MomentTransmission:
		if delete(t.open, m.ID()); b != nil && m.Frequencies == nil {
			m.Frequencies = b.moment.Frequencies
		}
	}
	if t.closed || !t.room(m.Kind) {
		t.dropped++
		return
	}
	t.last++
	if m.Kind == core.MomentKeyed {
		b.seq = t.last
	}
	t.tail = append(t.tail, Entry{t.last, m, cut})
	if keep := max(tailLength, int(t.last-t.written)); len(t.tail) >= keep+tailLength {
		t.tail = slices.Clone(t.tail[len(t.tail)-keep:])
	}
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	if t.last%again == 0 {
		t.renew()
	}
}

// renew enters once more what is on the air and was entered long ago; t.mu is held.
func (t *Timeline) renew() {
	for _, b := range t.open {
		if b.seq+tailLength/2 < t.last || b.seq == 0 {
			t.enter(b.moment, false)
		}
	}
}

// room says whether one more entry may wait for the disk. Numbers are given for good, so
// what has one is not dropped: it is new ones that are turned away, the frequent kinds
// first.
func (t *Timeline) room(kind string) bool {
	most := 2 * maxPending
	switch kind {
	case core.MomentKeyed, core.MomentTransmission, core.MomentConnected, core.MomentLeft, core.MomentLoginRefused:
		most = maxPending
	}
	return t.last-t.written < uint64(most)
}

// Written returns a channel that gets nil when the entries up to a number are on the
// disk, or the reason why nobody should wait for that: a *core.Error of kind Unavailable
// says that they are in memory, and will be written.
func (t *Timeline) Written(seq uint64) <-chan error {
	done := make(chan error, 1)
	t.mu.Lock()
	switch {
	case seq <= t.written:
		done <- nil
	case t.closed:
		done <- errClosed
	case t.broken != nil && t.hangs:
		done <- t.broken
	default: // a broken disk is tried again at once
		t.waiting = append(t.waiting, waiter{seq, done})
	}
	t.mu.Unlock()
	t.nudge(t.rush)
	return done
}

// Last returns the number of the newest entry.
func (t *Timeline) Last() uint64 { return t.end() - 1 }

// Durable returns the number of the newest entry on the disk. After a crash the timeline
// goes on from there: entries with higher numbers are then lost, and their numbers are
// given again. A reader that keeps its place keeps no higher one.
func (t *Timeline) Durable() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// Changed returns a channel that is closed when the next entry is added.
func (t *Timeline) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

// Read returns up to limit entries after a number, or from the oldest one, in order. They
// include those of kind core.MomentKeyed, and those that are not on the disk yet.
func (t *Timeline) Read(ctx context.Context, after uint64, limit int) ([]Entry, error) {
	t.mu.Lock()
	if n := len(t.tail); n == 0 || after+1 >= t.tail[0].Seq {
		from := n - int(t.last-min(after, t.last))
		out := slices.Clone(t.tail[from:min(n, from+limit)])
		t.mu.Unlock()
		return out, nil
	}
	t.mu.Unlock()
	return t.fetch(ctx, after+1, min(limit, chunk))
}

// fetch reads entries from the disk.
func (t *Timeline) fetch(ctx context.Context, from uint64, limit int) ([]Entry, error) {
	first, records, err := t.log.Read(ctx, from, limit)
	if err != nil {
		return nil, fmt.Errorf("the timeline cannot be read: %w", err)
	}
	all := make([]Entry, 0, len(records))
	for i, data := range records {
		e, err := decode(first+uint64(i), data)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Latest returns the last n transmissions in the order of their numbers, and the highest
// number that any has.
func (t *Timeline) Latest(ctx context.Context, n int) (all []core.Transmission, highest int, err error) {
	before := t.end()
	for seen := 0; seen < scanMost; {
		part, err := t.back(ctx, before, chunk)
		if err != nil {
			return nil, 0, err
		}
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			highest = max(highest, e.Moment.Number)
			if e.Moment.Kind == core.MomentTransmission && len(all) < n {
				all = append(all, e.Moment.Transmission())
			}
		}
		if seen, before = seen+len(part), part[len(part)-1].Seq; len(all) == n && seen >= tailLength {
			break
		}
	}
	slices.SortFunc(all, func(a, b core.Transmission) int { return a.Number - b.Number })
	return slices.CompactFunc(all, func(a, b core.Transmission) bool { return a.Number == b.Number }), highest, nil
}

// end is one more than the newest entry.
func (t *Timeline) end() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last + 1
}

// Close ends what is on the air, writes what waits, and ends the writing. A disk that takes
// nothing for closeWait is waited for no longer.
func (t *Timeline) Close() {
	now := t.o.Now().UnixMilli()
	t.mu.Lock()
	var on []core.Moment
	if t.reads {
		clear(t.open)
	}
	for _, b := range t.open {
		m := b.moment
		m.Kind, m.EndedAt = core.MomentTransmission, max(now, m.At+1)
		on = append(on, m)
	}
	slices.SortFunc(on, func(a, b core.Moment) int { return a.Number - b.Number })
	for _, m := range on {
		t.enter(m, false)
	}
	t.closed = true
	t.mu.Unlock()
	t.nudge(t.wake)
	t.nudge(t.rush)
	t.wait()
}

// wait waits for the end of the writing, as long as it comes on.
func (t *Timeline) wait() {
	look := time.NewTicker(closeWait)
	defer look.Stop()
	for before := t.Durable(); ; before = t.Durable() {
		select {
		case <-t.gone:
			return
		case <-look.C:
		}
		if lost := t.end() - 1 - t.Durable(); t.Durable() == before {
			t.o.Logf("the timeline could not be written at the end, because the disk does not answer: its last %d entries are lost", lost)
			return
		}
	}
}
