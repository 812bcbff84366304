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
	if err := l.host.use(l.index, func(*embedded, jetstream.Stream) error { return nil }); err != nil {
		return from, nil, err
	}
	oldest, newest := l.Bounds()
	first = max(from, oldest)
	for limit > len(records) && first+uint64(len(records)) <= newest {
		next := first + uint64(len(records))
		want := min(uint64(limit-len(records)), newest-next+1, readBatch)
		var batch [][]byte
		err := l.host.use(l.index, func(e *embedded, _ jetstream.Stream) (err error) {
			batch, err = fetch(ctx, e.conn, streamNames[l.index], next, int(want))
			return err
		})
		if err != nil {
			if raised, _ := l.Bounds(); raised > next {
				// Retention removed them meanwhile: begin after it.
				first, records = raised, nil
				continue
			}
			return first, nil, fmt.Errorf("records of %s from %d cannot be read: %w", streamNames[l.index], next, err)
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

// fetch asks NATS for a batch (its "direct get" with a batch size, ADR-31 of
// the NATS architecture notes). The answer ends with a message of status 204.
func fetch(ctx context.Context, conn *nats.Conn, stream string, from uint64, count int) ([][]byte, error) {
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
	var records [][]byte
	for {
		msg, err := inbox.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		if status := msg.Header.Get("Status"); status == "204" && len(records) > 0 {
			return records, nil
		} else if status != "" {
			return nil, fmt.Errorf("NATS answered %s %s", status, msg.Header.Get("Description"))
		}
		if err := expectNumber(msg, from+uint64(len(records))); err != nil {
			return nil, err
		}
		records = append(records, msg.Data)
	}
}

func expectNumber(msg *nats.Msg, want uint64) error {
	got, err := strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return errors.New("NATS sent a record without a number")
	}
	if got != want {
		return fmt.Errorf("record %d is missing", want)
	}
	return nil
}

// writtenAt is when a record was stored.
func (l *Log) writtenAt(ctx context.Context, number uint64) (at time.Time, err error) {
	err = l.host.use(l.index, func(_ *embedded, stream jetstream.Stream) error {
		msg, err := stream.GetMsg(ctx, number)
		if err == nil {
			at = msg.Time
		}
		return err
	})
	return at, err
}
