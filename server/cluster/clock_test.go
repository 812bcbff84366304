package cluster

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestTheClockOfTheRadio goes on from the old owner's to the new one's, five seconds apart:
// it rises all the time, at nearly the pace of time, and ends at the new owner's.
func TestTheClockOfTheRadio(t *testing.T) {
	for _, ahead := range []time.Duration{5 * time.Second, -5 * time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			c := &clock{now: time.Now}
			seen := time.Now()
			time.Sleep(800 * time.Millisecond) // nobody owns it
			c.follow(seen.Add(ahead).UnixMilli(), seen)
			last := seen.Add(ahead).UnixMilli() + 800
			for range 2000 {
				now := c.ms()
				if step := now - last; step < 0 || step > 1006 {
					t.Fatalf("ahead %s: a step of %d ms", ahead, step)
				}
				last = now
				time.Sleep(time.Second)
			}
			if off := time.Since(time.UnixMilli(last)); off < 990*time.Millisecond || off > 1010*time.Millisecond {
				t.Errorf("ahead %s: it ends %s off", ahead, off)
			}
		})
	}
}
