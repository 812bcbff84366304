package keep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/store"
)

// ErrFenced: another node writes this log.
var ErrFenced = store.ErrFenced

// Log is an append-only list of records, numbered without gaps, of a radio. One node
// at a time writes it; another that has taken the radio over ends that (ErrFenced).
type Log struct {
	keep    *Keep
	subject string
	most    int // records that are kept; 0: as many as the age allows

	writing  sync.Mutex
	appended int

	mu          sync.Mutex
	first, last uint64 // numbers
	seq         uint64 // of the message with the last record in the stream
	anchors     []anchor
	watch       func(number uint64, record []byte)
}

// anchor is where in the stream a message is; number is its last record's.
type anchor struct{ number, seq uint64 }

// Log opens a log of a radio. most is how many records are kept; 0: no limit.
func (k *Keep) Log(ctx context.Context, radio, name string, most int) (*Log, error) {
	l := &Log{keep: k, subject: logPrefix + token(radio) + "." + name, most: most, first: 1}
	k.mu.Lock()
	if old := k.opened[l.subject]; old != nil {
		k.mu.Unlock()
		return old, nil
	}
	k.opened[l.subject] = l
	k.mu.Unlock()
	if err := l.Refresh(ctx); err != nil {
		k.mu.Lock()
		delete(k.opened, l.subject) // as with a bucket
		k.mu.Unlock()
		return nil, err
	}
	return l, nil
}

// Watch calls f with every record from now on, those of this node too. Records may be left
// out, if messages were lost. f must not block.
func (l *Log) Watch(f func(number uint64, record []byte)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch = f
}

// seen takes records that some node has appended.
func (l *Log) seen(m *nats.Msg) {
	first, records, err := unpack(m.Header, m.Data)
	seq, wrong := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
	if err != nil || wrong != nil {
		return
	}
	l.mu.Lock()
	if last := first + uint64(len(records)) - 1; last > l.last {
		if l.last == l.first-1 { // it was empty
			l.first = first
		}
		l.last, l.seq = last, seq
		l.note(last, seq)
	}
	watch := l.watch
	l.mu.Unlock()
	if watch != nil {
		for i, r := range records {
			watch(first+uint64(i), r)
		}
	}
}

// note remembers where a message is, of each anchorEvery records one; l.mu is held.
func (l *Log) note(number, seq uint64) {
	if n := len(l.anchors); n > 0 && l.anchors[n-1].number+anchorEvery > number {
		return
	}
	l.anchors = append(l.anchors, anchor{number, seq})
	if len(l.anchors) > maxAnchors {
		l.anchors = l.anchors[1:]
	}
}

// Refresh finds out what there is. The node that takes a radio over does it first.
func (l *Log) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	first, last, seq := uint64(1), uint64(0), uint64(0)
	m, err := l.keep.newest(ctx, LogStream, l.subject)
	if err != nil {
		return err
	}
	if m != nil {
		if _, last, err = span(m.header); err != nil {
			return err
		}
		seq = m.seq
		oldest, err := l.keep.next(ctx, LogStream, l.subject, 1)
		if err != nil {
			return err
		}
		if oldest == nil {
			return errors.New("the oldest record is missing")
		}
		if first, _, err = span(oldest.header); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if last < l.last || last == 0 { // a record may have come meanwhile
		return nil
	}
	l.first, l.last, l.seq = max(l.first, first), last, seq
	return nil
}

// BeginAt drops all records and makes first the number of the next one. It is for a copy of
// a log whose beginning is gone already; nobody else may write meanwhile.
func (l *Log) BeginAt(ctx context.Context, first uint64) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := patient(ctx, func(ctx context.Context) error {
		return l.keep.logs.Purge(ctx, jetstream.WithPurgeSubject(l.subject))
	}); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.last, l.seq, l.anchors = first, first-1, 0, nil
	return nil
}

// Bounds returns the numbers of the oldest and newest record; an empty log has last = first - 1.
func (l *Log) Bounds() (first, last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first, l.last
}

// AppendAt adds records, the first of which must get the number at, and returns nil when all
// of them are durable.
func (l *Log) AppendAt(ctx context.Context, at uint64, records ...[]byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	for _, r := range records {
		if len(r) > store.MaxRecord {
			return fmt.Errorf("%w: a record of %d bytes, the limit is %d", store.ErrTooLarge, len(r), store.MaxRecord)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	for part := range slices.Chunk(records, MaxBatch) {
		if err := l.append(ctx, at, part); err != nil {
			return err
		}
		at += uint64(len(part))
	}
	if l.appended += len(records); l.most > 0 && l.appended >= retainEvery {
		l.appended = 0
		if err := l.retain(ctx); err != nil {
			l.keep.logf("old records could not be removed: %v", err)
		}
	}
	return nil
}

// retain removes what is older than the newest most records. A message that has some of them
// stays as it is.
func (l *Log) retain(ctx context.Context) error {
	first, last := l.Bounds()
	if last-first < uint64(l.most) {
		return nil
	}
	oldest := last - uint64(l.most) + 1
	seq, err := l.find(ctx, oldest)
	if err != nil || seq <= 1 { // earlier NATS removes everything at 1
		return err
	}
	if err := l.keep.logs.Purge(ctx, jetstream.WithPurgeSubject(l.subject), jetstream.WithPurgeSequence(seq)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = max(l.first, oldest)
	return nil
}

// append adds records, all or none.
func (l *Log) append(ctx context.Context, at uint64, records [][]byte) error {
	l.mu.Lock()
	last, seq := l.last, l.seq
	l.mu.Unlock()
	if at != last+1 {
		return fmt.Errorf("%w: the next record is number %d, not %d", ErrFenced, last+1, at)
	}
	var messages []*nats.Msg
	number := last
	for _, group := range groups(records, l.keep.packs) {
		number += uint64(len(group))
		messages = append(messages, pack(l.subject, number, group))
	}
	messages[0].Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(seq, 10))
	stored, err := l.keep.publish(ctx, messages)
	if wrongSequence(err) {
		return errors.Join(ErrFenced, l.Refresh(ctx))
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if number > l.last {
		l.last, l.seq = number, stored
		l.note(number, stored)
	}
	return nil
}

// Read returns up to limit records from number from on, or from the oldest one; records[i]
// has number first+i.
func (l *Log) Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error) {
	oldest, newest := l.Bounds()
	first = max(from, oldest)
	if first > newest || limit <= 0 {
		return first, nil, nil
	}
	seq, err := l.find(ctx, first)
	if err != nil {
		return first, nil, err
	}
	most := min(uint64(limit), newest-first+1)
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	for uint64(len(records)) < most {
		batch, more, err := l.keep.fetch(ctx, LogStream, l.subject, seq, min(int(most)-len(records), logBatch))
		if err != nil {
			return first, nil, err
		}
		for _, r := range batch {
			if uint64(len(records)) == most {
				break
			}
			number, group, err := unpack(r.header, r.data)
			want := first + uint64(len(records))
			if err != nil || number > want || number < want && len(records) > 0 || number+uint64(len(group)) <= want {
				return first, nil, fmt.Errorf("record %d is missing, or garbled (%d, %v)", want, number, err)
			}
			group = group[want-number:]
			records = append(records, group[:min(uint64(len(group)), most-uint64(len(records)))]...)
			seq = r.seq + 1
		}
		if more || uint64(len(records)) == most {
			continue
		}
		select { // the node that has answered does not have the newest yet
		case <-ctx.Done():
			return first, nil, errMissing
		case <-time.After(lagTime):
		}
	}
	return first, records, nil
}

var errMissing = errors.New("a record that was stored is not found")

// find is the number in the stream of the message that has a record: by halving, because
// messages of other radios are between those of this one.
func (l *Log) find(ctx context.Context, number uint64) (uint64, error) {
	l.mu.Lock()
	low, last := uint64(0), l.seq
	for _, a := range l.anchors { // in the order of their numbers
		if a.number > number {
			last = a.seq
			break
		}
		low = a.seq - 1
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	var failed error
	at := sort.Search(int(last-low), func(i int) bool { // the first place from which on no message ends below
		if failed != nil {
			return true
		}
		m, err := l.keep.next(ctx, LogStream, l.subject, low+uint64(i)+1)
		if err != nil || m == nil {
			failed = errors.Join(err, errMissing)
			return true
		}
		_, ends, err := span(m.header)
		failed = err
		return ends >= number
	})
	return low + uint64(at) + 1, failed
}

// Tail returns the newest records.
func (l *Log) Tail(ctx context.Context, limit int) (first uint64, records [][]byte, err error) {
	oldest, newest := l.Bounds()
	from := oldest
	if newest >= uint64(limit) {
		from = max(oldest, newest-uint64(limit)+1)
	}
	return l.Read(ctx, from, limit)
}
