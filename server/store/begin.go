package store

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// BeginAt drops all records and makes first the number of the next one. It is for a copy of
// a log whose beginning is gone already. first must be above the number of the last record.
func (l *Log) BeginAt(ctx context.Context, first uint64) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	oldest, last := l.Bounds()
	switch {
	case first == last+1 && oldest == first:
		return nil
	case first <= last:
		return fmt.Errorf("%s reaches to record %d and cannot begin at %d", l.stream, last, first)
	}
	if err := l.host.ready(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return l.host.use(l.stream, func(_ *embedded, stream jetstream.Stream) error {
		if err := l.host.watermark.jump(l.stream, first); err != nil {
			return err
		}
		return stream.Purge(ctx, jetstream.WithPurgeSequence(first))
	})
}
