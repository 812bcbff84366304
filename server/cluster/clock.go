package cluster

import "time"

// clock is the radio's time, which goes on from owner to owner although the clocks of their
// machines differ: it neither jumps nor stands still, and comes back to the machine's slowly.
type clock struct {
	now    func() time.Time // with a monotonic reading
	start  time.Time        // when the offset was set
	offset time.Duration    // of the radio's time from the machine's, then
}

// follow sets the clock to a moment of the radio, which was at this moment of the machine.
func (c *clock) follow(radio int64, at time.Time) {
	now := c.now()
	c.start = now
	c.offset = time.UnixMilli(radio).Add(now.Sub(at)).Sub(now)
}

// free goes by the machine.
func (c *clock) free() { c.start, c.offset = c.now(), 0 }

// ms is the time of the radio, ms since the epoch.
func (c *clock) ms() int64 {
	now := c.now()
	since := now.Sub(c.start)
	// By the monotonic reading: a machine whose clock is set makes no jump either. The wall
	// clock counts at the start only.
	return c.start.Add(since + c.left(since)).UnixMilli()
}

// left is what is left of the offset after some time.
func (c *clock) left(since time.Duration) time.Duration {
	back := time.Duration(float64(since) * slew)
	switch {
	case c.offset > back:
		return c.offset - back
	case c.offset < -back:
		return c.offset + back
	}
	return 0
}
