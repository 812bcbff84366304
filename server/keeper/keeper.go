// Package keeper makes the radio durable: it takes events and snapshots from
// the engine, and writes them in order on a goroutine of its own, so that only
// the reply to the command that changed something waits for the disk.
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

// maxWaiting bounds the changes that wait for the disk. An fsync takes about a
// millisecond, so a full queue is seconds of changes: the disk is broken.
const maxWaiting = 10_000

// writeTime bounds one write.
const writeTime = 30 * time.Second

// ErrBehind: the disk does not keep up.
var ErrBehind = errors.New("the store does not keep up")

// Snapshots is where the radio's state is kept.
type Snapshots interface {
	SaveSnapshot(ctx context.Context, s store.Snapshot) error
}

// Log is where what was done is kept.
type Log interface {
	Append(ctx context.Context, entries ...audit.Entry) error
}

// Keeper owns the writing goroutine.
type Keeper struct {
	snapshots Snapshots
	log       Log
	logf      func(string, ...any)

	mu      sync.Mutex
	waiting []change
	closed  bool
	wake    chan struct{}
	gone    chan struct{}
}

type change struct {
	records []core.Record
	snap    *core.Data
	done    func(error)
}

// New starts a Keeper. Close it after the engine.
func New(snapshots Snapshots, log Log, logf func(string, ...any)) *Keeper {
	k := &Keeper{snapshots: snapshots, log: log, logf: logf, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	go k.run()
	return k
}

// Keep takes what a step has changed. It returns at once; done is called when
// everything is safe, or with the reason why it is not.
func (k *Keeper) Keep(events []core.Event, snap *core.Data, done func(error)) {
	c := change{snap: snap, done: done}
	for _, e := range events {
		if r, ok := core.Audit(e); ok {
			c.records = append(c.records, r)
		}
	}
	if snap == nil && len(c.records) == 0 {
		done(nil)
		return
	}
	k.mu.Lock()
	full := len(k.waiting) >= maxWaiting || k.closed
	if !full {
		k.waiting = append(k.waiting, c)
	}
	k.mu.Unlock()
	if full {
		done(ErrBehind)
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *Keeper) run() {
	defer close(k.gone)
	for {
		k.mu.Lock()
		batch, closed := k.waiting, k.closed
		k.waiting = nil
		k.mu.Unlock()
		if len(batch) == 0 {
			if closed {
				return
			}
			<-k.wake
			continue
		}
		err := k.write(batch)
		if err != nil {
			k.logf("what was changed could not be stored: %v", err)
		}
		for _, c := range batch {
			c.done(err)
		}
	}
}

// write stores a batch: the newest snapshot covers the older ones, and all
// audit entries go to the disk together.
func (k *Keeper) write(batch []change) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	var snap *core.Data
	var entries []audit.Entry
	for _, c := range batch {
		if c.snap != nil {
			snap = c.snap
		}
		for _, r := range c.records {
			entries = append(entries, entry(r))
		}
	}
	if snap != nil {
		b, err := json.Marshal(snap)
		if err != nil {
			return err
		}
		if err := k.snapshots.SaveSnapshot(ctx, store.Snapshot{Format: Format, Data: b}); err != nil {
			return err
		}
	}
	return k.log.Append(ctx, entries...)
}

// Close writes what waits and ends the goroutine.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
	<-k.gone
}
