package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Log is an append-only list of records, numbered from 1 without gaps. Only
// the oldest records are ever removed, by age and total size.
type Log struct {
	host   *host
	stream string // its name

	logf     func(string, ...any)
	now      func() time.Time
	maxAge   time.Duration // 0 or less: no limit
	maxBytes int64         // 0 or less: no limit
	most     uint64        // records; 0: no limit

	writing  sync.Mutex // held while an append is on its way to the disk
	appended int        // since retention was looked at
}

// Bounds returns the numbers of the oldest and newest record. An empty log has
// last = first - 1.
func (l *Log) Bounds() (first, last uint64) {
	reached := l.host.mark(l.stream)
	return reached.floor, reached.last
}

func (l *Log) origin() origin { return origin{l.host.id, l.stream} }

// Append adds records in order and returns the number of the first. When it
// returns nil they are all on the disk. After an error none, some or all of
// them may have been kept. Cancelling ctx has no effect on an append that has
// begun.
func (l *Log) Append(ctx context.Context, records ...[]byte) (first uint64, err error) {
	return l.append(ctx, 0, records)
}

// AppendAt is Append for records that know their own numbers: it writes nothing
// unless the first of them gets the number at, which must be above 0.
func (l *Log) AppendAt(ctx context.Context, at uint64, records ...[]byte) error {
	if at == 0 {
		return errors.New("records are numbered from 1")
	}
	_, err := l.append(ctx, at, records)
	return err
}

// append does the work of both; at is 0 if any number will do.
func (l *Log) append(ctx context.Context, at uint64, records [][]byte) (first uint64, err error) {
	if len(records) == 0 {
		return 0, nil
	}
	for _, record := range records {
		if len(record) > MaxRecord {
			return 0, fmt.Errorf("%w: a record of %d bytes, the limit is %d", ErrTooLarge, len(record), MaxRecord)
		}
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := l.host.ready(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	_, last := l.Bounds()
	first = last + 1
	if at != 0 && at != first {
		return 0, fmt.Errorf("the next record of %s is number %d, not %d", l.stream, first, at)
	}
	written := l.now()
	messages := make([][]byte, len(records))
	for i, record := range records {
		messages[i] = l.origin().pack(first+uint64(i), written, record)
	}
	var used *embedded
	err = l.host.use(l.stream, func(e *embedded, _ jetstream.Stream) error {
		used = e
		if err := publish(ctx, e, subjectOf(l.stream), first, messages); err != nil {
			return err
		}
		return l.host.watermark.reached(l.stream, last+uint64(len(records)))
	})
	if errors.Is(err, ErrClosed) {
		return 0, err
	}
	if err != nil {
		err = fmt.Errorf("%s could not be written: %w", l.stream, err)
		return 0, errors.Join(err, l.host.exchange(ctx, used))
	}
	l.appended += len(records)
	if l.appended >= retentionEvery {
		if err := l.retain(ctx); err != nil && !errors.Is(err, ErrClosed) {
			// The append itself is safe; a later one tries again.
			l.logf("store: old records of %s could not be removed: %v", l.stream, err)
		}
	}
	return first, nil
}

// publish sends all messages and only then waits, so that NATS need not wait for us
// between them. Each message names the record that it must follow, so that a late one
// of a failed append cannot slip in between.
func publish(ctx context.Context, e *embedded, subject string, first uint64, messages [][]byte) error {
	acks := make([]jetstream.PubAckFuture, 0, len(messages))
	for i, data := range messages {
		ack, err := e.stream.PublishMsgAsync(
			&nats.Msg{Subject: subject, Data: data},
			jetstream.WithExpectLastSequence(first+uint64(i)-1))
		if err != nil {
			return err
		}
		acks = append(acks, ack)
	}
	for i, ack := range acks {
		select {
		case got := <-ack.Ok():
			if got.Sequence != first+uint64(i) {
				return fmt.Errorf("record %d was stored as %d", first+uint64(i), got.Sequence)
			}
		case err := <-ack.Err():
			return err
		case <-e.log.broken:
			return e.log.diskFailed()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
