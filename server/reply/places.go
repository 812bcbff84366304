package reply

import (
	"context"
	"time"
)

// Places are taken by what may happen only so often at once: as often as the channel has
// room.
type Places chan struct{}

// Take takes a place, and waits for one if there is none; full is the error if there is
// still none. The error is the context's if that ends first.
func (p Places) Take(ctx context.Context, wait time.Duration, full error) (leave func(), err error) {
	leave = func() { <-p }
	select {
	case p <- struct{}{}:
		return leave, nil
	default:
	}
	if wait <= 0 {
		return nil, full
	}
	enough := time.NewTimer(wait)
	defer enough.Stop()
	select {
	case p <- struct{}{}:
		return leave, nil
	case <-enough.C:
		return nil, full
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
