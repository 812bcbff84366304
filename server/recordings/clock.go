package recordings

import (
	"sync"
	"time"
)

// hands are where the time comes from: the clock on the wall, in ms since the epoch,
// which may jump, and time that only passes.
type hands struct {
	wall   func() int64
	steady func() time.Duration
}

func realHands() hands {
	start := time.Now()
	return hands{wall: func() int64 { return time.Now().UnixMilli() }, steady: func() time.Duration { return time.Since(start) }}
}

// clock is the time by which ages are measured. It follows the wall's, but when that
// jumps forward it goes on as before, until the wall's has stood for standFor. So a clock
// that is wrong for a while makes recordings older than they are at no time.
type clock struct {
	hands
	mu     sync.Mutex
	known  int64         // ms since the epoch
	at     time.Duration // when it was known
	ahead  int64         // ms that the wall's was ahead when it had jumped; 0: it has not
	stands time.Duration // since then
}

// newClock goes on from the time that was last known, ms since the epoch.
func newClock(h hands, last int64) *clock {
	return &clock{hands: h, known: min(last, h.wall()), at: h.steady()}
}

// now is in ms since the epoch.
func (c *clock) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, wall := c.steady(), c.wall()
	passed := at - c.at
	c.at = at
	c.known += passed.Milliseconds()
	ahead := wall - c.known
	switch {
	case ahead <= jump.Milliseconds():
		c.known, c.ahead = wall, 0
	case c.ahead == 0 || max(ahead-c.ahead, c.ahead-ahead) > jump.Milliseconds():
		c.ahead, c.stands = ahead, 0
	default:
		if c.stands += passed; c.stands >= standFor {
			c.known, c.ahead = wall, 0
		}
	}
	return c.known
}
