package script

import (
	"sync"
	"testing"
)

// Scripts that begin to handle events at the same time, each on its own goroutine, are
// all told of them.
func TestWhatTwoScriptsHandleAtOnceIsWanted(t *testing.T) {
	h := New(Options{})
	defer h.Close()
	h.units = []*unit{newUnit(h, &Resource{Name: "a"}), newUnit(h, &Resource{Name: "b"})}
	own := []string{"roster:open", prefix + "talkingState"}
	for range 20_000 {
		var both sync.WaitGroup
		for i, u := range h.units {
			u.handled.Store(&map[string]bool{})
			both.Go(func() {
				u.handled.Store(&map[string]bool{own[i]: true})
				h.handles()
			})
		}
		both.Wait()
		if w := h.wanted.Load(); !w.events[own[0]] || !w.events[own[1]] || !w.radio {
			t.Fatalf("wanted are %+v", w)
		}
	}
}
