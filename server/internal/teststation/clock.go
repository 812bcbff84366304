// Package teststation is what tests put under a radio instead of the world: a
// clock that is set by hand, and a disk in memory.
package teststation

import (
	"sync"
	"time"
)

// Clock stands still until the test lets time pass.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock is a clock that shows at.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass puts the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
