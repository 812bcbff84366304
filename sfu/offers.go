package sfu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"squelch/core"
	"squelch/sfu/line"
)

// ErrOften is the error for an offer of a user who has made too many.
var ErrOften = errors.New("too many offers")

// offers bounds how often connections are negotiated: each takes CPU that voice needs too,
// and a new plan for everybody.
type offers struct {
	places chan struct{} // one for each negotiation that may run

	mu    sync.Mutex
	spent map[core.UserID]int64 // when the user will have its whole bunch again, ns
}

func newOffers() offers {
	return offers{places: make(chan struct{}, line.OffersAtOnce), spent: map[core.UserID]int64{}}
}

// allow says whether a user may make an offer now, in ns.
func (o *offers) allow(user core.UserID, now int64) error {
	const each = int64(line.OfferSpacing)
	o.mu.Lock()
	defer o.mu.Unlock()
	whole := max(o.spent[user], now)
	if late := whole + each - now - line.OfferBunch*each; late > 0 {
		return fmt.Errorf("%w: wait %v", ErrOften, max(time.Duration(late), time.Millisecond).Round(time.Millisecond))
	}
	o.spent[user] = whole + each
	return nil
}

// forget leaves out users who have their whole bunch again.
func (o *offers) forget(now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for user, whole := range o.spent {
		if whole <= now {
			delete(o.spent, user)
		}
	}
}

// begin waits for the turn of a negotiation, and returns what ends it.
func (o *offers) begin(ctx context.Context) (end func(), err error) {
	select {
	case o.places <- struct{}{}:
		return func() { <-o.places }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("webrtc: waiting for other offers: %w", ctx.Err())
	}
}
