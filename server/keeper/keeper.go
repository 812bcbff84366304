// Package keeper makes the radio durable: it takes records and snapshots from
// the engine's source, and writes them in order on a goroutine of its own, so that
// only the reply to the command that changed something waits for the disk.
//
// While the disk takes nothing, it keeps what happens in memory and tells the core,
// which then refuses what needs storage. It looks at the disk again and again; when
// the disk is back, it first writes what was kept, in order.
package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/store"
)

// Format is the version of the snapshot's encoding (core.Data as JSON).
const Format = 1

// errClosed: the keeper does not write any more.
var errClosed = errors.New("the service is stopping")

// Store is where the radio's state is stored.
type Store interface {
	SaveSnapshot(ctx context.Context, s store.Snapshot) error
	// Probe finds out whether the disk takes this many bytes.
	Probe(ctx context.Context, bytes int) error
}

// Log is where audited actions are stored; *audit.Log is one.
type Log interface {
	Append(ctx context.Context, entries ...audit.Entry) error
	Read(ctx context.Context, from uint64, limit int) ([]audit.Entry, error)
	Last() uint64
}

// Options of New. Store and Log are required.
type Options struct {
	Store Store
	Log   Log
	Logf  func(format string, args ...any)
	Now   func() time.Time // nil: time.Now
}

// Keeper owns the writing goroutine.
type Keeper struct {
	Options
	wake chan struct{}
	gone chan struct{}

	// telling is held while the core is told whether the disk is well: whoever gets it
	// knows that the core has been told. Lock order: telling, mu.
	telling sync.Mutex
	tell    func(reason string)

	mu      sync.Mutex
	behind  backlog       // not on the disk, and not on its way
	waiting []func(error) // callers that wait for behind
	flying  []func(error) // callers that wait for what is on its way to the disk
	broken  string        // why nothing can be stored; "": it can
	since   time.Time     // when that began
	closed  bool

	probing sync.Mutex // one look at a time
	probed  time.Time  // when the newest complete look began that found the disk well; guarded by probing
	size    int        // of the last snapshot, bytes; guarded by probing

	// unsure: a write failed after entry mark, and a part of it may have been stored.
	// Of the writing goroutine.
	unsure bool
	mark   uint64
}

// New starts a Keeper. Close it after the engine.
func New(o Options) *Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	k := &Keeper{Options: o, tell: func(string) {}, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	go k.run()
	return k
}

// Tell sets the function that is called with the reason why nothing can be stored,
// and with "" when it can again. tell may wait for the engine, but not for the disk.
func (k *Keeper) Tell(tell func(reason string)) {
	k.telling.Lock()
	defer k.telling.Unlock()
	k.tell = tell
	if reason := k.Reason(); reason != "" {
		tell(reason)
	}
}

// State is what the radio is after an order.
type State struct {
	core.Data
	// Of a radio that several nodes share, see store.Snapshot.
	Owner, Epoch, Seq uint64
}

// Durable stores what orders have changed: records, and the durable state if snap is
// not nil. It returns when everything is safe, or with the reason why it is not: a
// core.Error of kind Unavailable says that it is kept in memory. It waits no longer
// than slowWrite.
func (k *Keeper) Durable(ctx context.Context, snap *State, log []core.Record) error {
	if snap == nil && len(log) == 0 {
		return nil
	}
	entries := make([]audit.Entry, 0, len(log))
	for _, r := range log {
		entries = append(entries, entry(r))
	}
	answer := make(chan error, 1)
	k.take(backlog{snap: snap}, entries, func(err error) { answer <- err })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take appends to what waits for the disk.
func (k *Keeper) take(b backlog, entries []audit.Entry, done func(error)) {
	k.mu.Lock()
	closed, reason := k.closed, k.broken
	if !closed {
		b.add(entries...)
		k.behind.then(b)
		if reason == "" {
			k.waiting = append(k.waiting, done)
		}
	}
	k.mu.Unlock()
	switch {
	case closed:
		done(errClosed)
	case reason != "":
		done(kept(reason))
	default:
		k.nudge()
	}
}

// kept is the error for a change that is in memory only.
func kept(reason string) error {
	e := core.ErrStorage(reason)
	e.Message += ". The change is in effect and will be stored when the disk is back"
	return e
}

func (k *Keeper) nudge() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Close writes what waits and ends the goroutine.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.nudge()
	<-k.gone
}

// run is the writing goroutine. While the disk is broken it tries again after ever
// longer pauses.
func (k *Keeper) run() {
	defer close(k.gone)
	pause := time.Duration(0)
	for {
		b, closed := k.next()
		switch {
		case !b.empty() || k.Reason() != "":
			if err := k.attempt(&b); err == nil {
				pause = 0
				continue
			}
			if closed {
				k.Logf("storage unavailable at the end: %d records and the last changes of the radio are lost", len(b.records))
				return
			}
			pause = min(max(retryFirst, 2*pause), retryMost)
			k.rest(pause)
		case closed:
			return
		default:
			k.idle()
		}
	}
}

// idle waits until there is something to do, and looks at the disk meanwhile.
func (k *Keeper) idle() {
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	for {
		select {
		case <-k.wake:
			return
		case <-watch.C:
			if err := k.look(context.Background(), watchBytes); err != nil {
				k.failed(err)
				return
			}
		}
	}
}

// rest waits until the next look at a broken disk is due, or until the end.
func (k *Keeper) rest(pause time.Duration) {
	over := time.NewTimer(pause)
	defer over.Stop()
	for {
		select {
		case <-over.C:
			return
		case <-k.wake:
			k.mu.Lock()
			closed := k.closed
			k.mu.Unlock()
			if closed {
				return
			}
		}
	}
}

// next takes everything that is behind.
func (k *Keeper) next() (b backlog, closed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, k.behind = k.behind, backlog{}
	k.flying, k.waiting = k.waiting, nil
	return b, k.closed
}

// attempt writes a backlog. What could not be written is put back.
func (k *Keeper) attempt(b *backlog) error {
	slow := time.AfterFunc(slowWrite, func() { k.failed(errSlow) })
	fenced, err := k.write(b)
	slow.Stop()
	if err != nil {
		k.mu.Lock()
		again := *b
		again.then(k.behind)
		k.behind = again
		k.mu.Unlock()
		k.failed(err)
		return err
	}
	k.answer(fenced)
	return nil
}

// answer answers those who wait for what is on its way to the disk.
func (k *Keeper) answer(err error) {
	k.mu.Lock()
	flying := k.flying
	k.flying = nil
	k.mu.Unlock()
	for _, done := range flying {
		done(err)
	}
}

// write stores a backlog: records first, so that after a restart nothing is in effect
// without a record. What is stored is removed from b, and so is a state in whose place
// another node has stored a later one; fenced is that refusal.
func (k *Keeper) write(b *backlog) (fenced, err error) {
	was := k.Reason()
	if was != "" { // a failed write is expensive, a look is cheap
		if err := k.look(context.Background(), probeBytes); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if err := k.append(ctx, b); err != nil {
		return nil, err
	}
	if b.snap != nil {
		data, err := json.Marshal(b.snap.Data)
		if err != nil {
			return nil, err
		}
		err = k.Store.SaveSnapshot(ctx, store.Snapshot{Format: Format, Data: data, Owner: b.snap.Owner, Epoch: b.snap.Epoch, Seq: b.snap.Seq})
		if err != nil && !errors.Is(err, store.ErrFenced) {
			return nil, err
		}
		b.snap, fenced = nil, err
		k.probing.Lock()
		k.size = len(data)
		k.probing.Unlock()
	}
	for len(b.removed) > 0 {
		if err := b.removed[0].from.Change(ctx, nil, b.removed[0].keys); err != nil {
			return fenced, err
		}
		b.removed = b.removed[1:]
	}
	if was != "" {
		return fenced, k.restored(ctx, b.merged)
	}
	return fenced, nil
}

// append writes the records of a backlog.
func (k *Keeper) append(ctx context.Context, b *backlog) error {
	if err := k.skip(ctx, b); err != nil {
		return err
	}
	for len(b.records) > 0 {
		part, mark := b.entries(chunk), k.Log.Last()
		err := k.Log.Append(ctx, part...)
		if err != nil && !temporary(err) {
			// One of them cannot be written at all; written alone it does no harm.
			part = part[:1]
			if err = k.Log.Append(ctx, part...); err != nil && !temporary(err) {
				k.Logf("the audit log refuses %s: %v", part[0].Action, err)
				err = nil
			}
		}
		if err != nil {
			k.unsure, k.mark = true, mark
			return err
		}
		b.stored(len(part))
	}
	return nil
}

// skip removes what a failed write has stored all the same.
func (k *Keeper) skip(ctx context.Context, b *backlog) error {
	if !k.unsure {
		return nil
	}
	there, err := k.Log.Read(ctx, k.mark+1, chunk)
	if err != nil {
		return err
	}
	for _, e := range there {
		if len(b.records) > 0 && alike(e, b.records[0].entry) {
			b.stored(1)
		}
	}
	k.unsure = false
	return nil
}

// alike says whether two entries are the same apart from their numbers.
func alike(a, b audit.Entry) bool {
	a.Seq, b.Seq = 0, 0
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}
