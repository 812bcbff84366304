package reply_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/reply"
)

// TestPlaces: no more are taken than there are, however many ask; who waits gets one that
// becomes free, and one that has gone none.
func TestPlaces(t *testing.T) {
	full := errors.New("full")
	p := make(reply.Places, 3)
	var working, most atomic.Int32
	var all sync.WaitGroup
	for range 300 {
		all.Go(func() {
			leave, err := p.Take(t.Context(), time.Minute, full)
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			for n := working.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			time.Sleep(time.Millisecond)
			working.Add(-1)
		})
	}
	all.Wait()
	if n := most.Load(); n < 1 || n > 3 {
		t.Errorf("%d at once", n)
	}
	for range 3 {
		if _, err := p.Take(t.Context(), 0, full); err != nil {
			t.Fatal(err)
		}
	}
	for _, wait := range []time.Duration{0, time.Millisecond} {
		if _, err := p.Take(t.Context(), wait, full); !errors.Is(err, full) {
			t.Errorf("after %v: %v", wait, err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.Take(gone, time.Hour, full); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
}
