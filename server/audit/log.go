// Package audit is the append-only log of who did what on the radio. Its entries form
// a chain of hashes, so that [Log.Verify] finds an entry that was changed, removed or
// inserted.
//
// What the chain cannot show is that someone who may write the files has replaced an
// entry and everything after it. To find that, keep [Report.Head] from time to time
// in another place.
package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Stream is where the log is stored: records numbered from 1 without gaps, of which
// the oldest may be removed.
type Stream interface {
	// AppendAt adds records, the first of which must get the number at, and returns nil
	// when all of them are durable.
	AppendAt(ctx context.Context, at uint64, records ...[]byte) error
	// Read returns up to limit records from number from on, or from the
	// oldest one; records[i] has number first+i.
	Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error)
	// Bounds returns the numbers of the oldest and newest record; an empty
	// stream has last = first - 1.
	Bounds() (first, last uint64)
}

const (
	// maxBatch is the most callers whose entries are written at once.
	maxBatch = 128
	// maxWaiting is how many entries may wait for the disk. If there are more, the disk
	// does not keep up, and callers get ErrBusy.
	maxWaiting = 4096
	// maxMoved is how often an append looks again for the end of the log, because others
	// have appended: many times as many as the nodes of a cluster.
	maxMoved = 50
	// verifyBatch is how many records are read at a time.
	verifyBatch = 512
)

// ErrStream wraps every failure of the stream itself: the entries are in order, and
// could be appended again later.
var ErrStream = errors.New("the audit log cannot be written")

// ErrMoved is what a Stream that others append to as well returns from AppendAt if the next
// number is not the one that was meant. The log then looks again where its end is.
var ErrMoved = errors.New("the end of the audit log has moved")

// ErrBusy is returned when too many entries wait for the disk.
var ErrBusy = errors.New("the audit log cannot keep up")

// Log is the audit log. Its methods may be called from any goroutine.
type Log struct {
	stream Stream
	now    func() time.Time

	// turn is held by the one caller who writes, for all callers that wait.
	turn chan struct{}

	mu      sync.Mutex
	waiting []*request

	// The end of the chain; owned by the holder of turn.
	known bool
	last  uint64
	head  digest
}

type request struct {
	entries []Entry
	done    chan error // buffered
}

// New returns the log kept in stream. now is the clock, usually time.Now.
func New(stream Stream, now func() time.Time) *Log {
	return &Log{stream: stream, now: now, turn: make(chan struct{}, 1)}
}

// Append adds entries, in order and next to each other. They are durable when Append
// returns nil. Entries of callers that wait at the same time are written together. If
// ctx ends before their turn comes, they are not written. The error may be ErrBusy or
// wrap ErrStream.
func (l *Log) Append(ctx context.Context, entries ...Entry) error {
	r := &request{entries: slices.Clone(entries), done: make(chan error, 1)}
	for i := range r.entries {
		entry := &r.entries[i]
		if entry.Action == "" {
			return errors.New("an audit entry needs an action")
		}
		if entry.Time == 0 {
			entry.Time = l.now().UnixMilli()
		}
		entry.Seq = math.MaxUint64 // the longest that it can be
		if _, _, err := encode(*entry, digest{}); err != nil {
			return err // it fails alone, not together with the others of its batch
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if err := l.enqueue(r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if l.withdraw(r) {
			return ctx.Err()
		}
		return <-r.done // already on its way to the disk
	case l.turn <- struct{}{}:
	}
	l.write(context.WithoutCancel(ctx), r)
	<-l.turn
	return <-r.done
}

func (l *Log) enqueue(r *request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= maxWaiting {
		return ErrBusy
	}
	l.waiting = append(l.waiting, r)
	return nil
}

// withdraw takes a request back unless a writer has taken it.
func (l *Log) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, waiting := range l.waiting {
		if waiting == r {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// write writes batches until own is among the written ones, which happens at once
// unless very many wait. The caller holds turn.
func (l *Log) write(ctx context.Context, own *request) {
	for len(own.done) == 0 {
		l.mu.Lock()
		count := min(maxBatch, len(l.waiting))
		batch := l.waiting[:count:count]
		l.waiting = append([]*request(nil), l.waiting[count:]...)
		l.mu.Unlock()
		err := l.writeBatch(ctx, batch)
		for tries := 1; errors.Is(err, ErrMoved) && tries < maxMoved; tries++ {
			err = l.writeBatch(ctx, batch)
		}
		for _, r := range batch {
			r.done <- err
		}
	}
}

func (l *Log) writeBatch(ctx context.Context, batch []*request) error {
	if err := l.findEnd(ctx); err != nil {
		return err
	}
	l.known = false // until the disk has answered
	last, head := l.last, l.head
	var records [][]byte
	for _, r := range batch {
		for _, entry := range r.entries {
			last++
			entry.Seq = last
			data, hash, err := encode(entry, head)
			if err != nil {
				return err
			}
			records, head = append(records, data), hash
		}
	}
	if err := l.stream.AppendAt(ctx, l.last+1, records...); err != nil {
		return fmt.Errorf("%w: %w", ErrStream, err)
	}
	l.last, l.head, l.known = last, head, true
	return nil
}

// findEnd reads the newest record if it is not known: at first, and after a failed
// write, of which a part may have been kept.
func (l *Log) findEnd(ctx context.Context) error {
	if l.known {
		return nil
	}
	first, last := l.stream.Bounds()
	head := digest{}
	if last >= first {
		number, records, err := l.stream.Read(ctx, last, 1)
		if err != nil {
			return fmt.Errorf("%w: its end cannot be read: %w", ErrStream, err)
		}
		if number != last || len(records) != 1 {
			return fmt.Errorf("the last entry of the audit log, %d, is missing", last)
		}
		if _, _, head, err = decode(records[0], last); err != nil {
			return fmt.Errorf("the last entry of the audit log, %d, %w", last, err)
		}
	}
	l.last, l.head, l.known = last, head, true
	return nil
}
