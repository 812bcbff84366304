package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Read returns up to limit records beginning with number from, or with the
// oldest one if that has a higher number: records[i] has number first+i. It
// returns none when from is past the newest record.
func (l *Log) Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error) {
	if err := l.host.use(l.stream, func(*embedded, jetstream.Stream) error { return nil }); err != nil {
		return from, nil, err
	}
	oldest, newest := l.Bounds()
	first = max(from, oldest)
	for limit > len(records) && first+uint64(len(records)) <= newest {
		next := first + uint64(len(records))
		want := min(uint64(limit-len(records)), newest-next+1, readBatch)
		var batch [][]byte
		err := l.host.use(l.stream, func(e *embedded, _ jetstream.Stream) (err error) {
			batch, err = l.fetch(ctx, e, next, int(want))
			return err
		})
		if err != nil {
			if raised, _ := l.Bounds(); raised > next {
				// Retention removed them meanwhile: begin after them.
				first, records = raised, nil
				continue
			}
			return first, nil, fmt.Errorf("records of %s from %d cannot be read: %w", l.stream, next, err)
		}
		records = append(records, batch...)
	}
	return first, records, nil
}

// Tail returns the newest limit records.
func (l *Log) Tail(ctx context.Context, limit int) (first uint64, records [][]byte, err error) {
	oldest, newest := l.Bounds()
	from := oldest
	if count := newest + 1 - oldest; limit >= 0 && uint64(limit) < count {
		from = newest + 1 - uint64(limit)
	}
	return l.Read(ctx, from, limit)
}

// fetch reads a batch and checks it.
func (l *Log) fetch(ctx context.Context, e *embedded, from uint64, count int) ([][]byte, error) {
	batch, err := fetch(ctx, e.conn, l.stream, from, count)
	if err != nil {
		return nil, err
	}
	records := make([][]byte, len(batch))
	for i, m := range batch {
		if records[i], _, err = l.unpack(m.number, m.data); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// errMissing: NATS does not have a record that should be there, or cannot read it.
var errMissing = errors.New("is missing")

// fetch asks NATS for a batch (its "direct get" with a batch size, ADR-31 of the NATS
// architecture notes). The answer ends with a message of status 204. With an error it
// returns what it has read so far.
func fetch(ctx context.Context, conn *nats.Conn, stream string, from uint64, count int) ([]message, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	inbox, err := conn.SubscribeSync(conn.NewInbox())
	if err != nil {
		return nil, err
	}
	defer inbox.Unsubscribe()
	request, err := json.Marshal(map[string]any{"seq": from, "batch": count, "max_bytes": readBatchBytes})
	if err != nil {
		return nil, err
	}
	subject := "$JS.API.DIRECT.GET." + stream
	if err := conn.PublishRequest(subject, inbox.Subject, request); err != nil {
		return nil, err
	}
	var batch []message
	for {
		msg, err := inbox.NextMsgWithContext(ctx)
		if err != nil {
			return batch, err
		}
		if status := msg.Header.Get("Status"); status == "204" && len(batch) > 0 {
			return batch, nil
		} else if status != "" {
			return batch, fmt.Errorf("%w (NATS answered %s %s)", errMissing, status, msg.Header.Get("Description"))
		}
		number, err := strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil {
			return batch, errors.New("NATS sent a record without a number")
		}
		if number != from+uint64(len(batch)) {
			return batch, errMissing
		}
		at, err := time.Parse(time.RFC3339Nano, msg.Header.Get("Nats-Time-Stamp"))
		if err != nil {
			return batch, fmt.Errorf("NATS sent a record without a time: %w", err)
		}
		batch = append(batch, message{number: number, at: at, data: msg.Data})
	}
}

// writtenAt is when a record was written.
func (l *Log) writtenAt(ctx context.Context, number uint64) (at time.Time, err error) {
	err = l.host.use(l.stream, func(_ *embedded, stream jetstream.Stream) error {
		msg, err := stream.GetMsg(ctx, number)
		if err == nil {
			_, at, err = l.unpack(number, msg.Data)
		}
		return err
	})
	return at, err
}

// unpack checks a record of NATS; its error names the record and is ErrDamaged.
func (l *Log) unpack(number uint64, data []byte) (record []byte, at time.Time, err error) {
	if record, at, err = l.origin().unpack(number, data); err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, &flaw{l.stream, number, err.Error()})
	}
	return record, at, err
}
