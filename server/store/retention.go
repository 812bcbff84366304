package store

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// retain removes the oldest records when the log is too old, too long or too large. The newest
// record always stays. Only the writer may call it, or anybody before there is one.
func (l *Log) retain(ctx context.Context) error {
	l.appended = 0
	floor, last := l.Bounds()
	if last <= floor {
		return nil
	}
	keep, err := l.firstYoungEnough(ctx, floor, last)
	if err != nil {
		return err
	}
	if l.most > 0 && last >= l.most {
		keep = max(keep, last+1-l.most)
	}
	if l.maxBytes > 0 {
		size, err := l.size(ctx)
		if err != nil {
			return err
		}
		if size > l.maxBytes {
			// Records of one log are of similar size, so the share of bytes to remove is
			// taken as a share of records, and an eighth more so that this is rare. What is
			// missed is removed the next time.
			surplus := float64(size-l.maxBytes) / float64(size)
			keep = max(keep, floor+uint64(float64(last-floor)*min(1, surplus+0.125)))
		}
	}
	return l.dropBefore(ctx, min(keep, last))
}

// firstYoungEnough finds, by halving, the oldest record within maxAge, or the
// newest record when all are older.
func (l *Log) firstYoungEnough(ctx context.Context, low, high uint64) (uint64, error) {
	if l.maxAge <= 0 {
		return low, nil
	}
	limit := l.now().Add(-l.maxAge)
	for low < high {
		middle := low + (high-low)/2
		at, err := l.writtenAt(ctx, middle)
		if err != nil {
			return 0, err
		}
		if at.Before(limit) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// size is how many bytes the log takes on the disk.
func (l *Log) size(ctx context.Context) (size int64, err error) {
	err = l.host.use(l.stream, func(_ *embedded, stream jetstream.Stream) error {
		info, err := stream.Info(ctx)
		if err == nil {
			size = int64(info.State.Bytes)
		}
		return err
	})
	return size, err
}

// dropBefore removes the records before keep: first the watermark says that they may
// be missing, then they go.
func (l *Log) dropBefore(ctx context.Context, keep uint64) error {
	if floor, _ := l.Bounds(); keep <= floor {
		return nil
	}
	return l.host.use(l.stream, func(_ *embedded, stream jetstream.Stream) error {
		if err := l.host.watermark.raise(l.stream, keep); err != nil {
			return err
		}
		return stream.Purge(ctx, jetstream.WithPurgeSequence(keep))
	})
}
