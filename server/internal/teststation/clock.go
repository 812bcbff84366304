// Package teststation has what tests use instead of the real world: a clock that is
// set by hand, and a disk in memory.
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

// NewClock returns a clock that shows at.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
