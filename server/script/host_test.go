package script

import (
	"context"
	"errors"
	"sync"
	"testing"

	"squelch/server/lua/cfx"
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

// A restart that is asked for while the service ends is not waited for.
func TestARestartEndsWithTheService(t *testing.T) {
	h := New(Options{})
	u := newUnit(h, &Resource{Name: "a"})
	h.units = []*unit{u}
	h.ctx, h.cancel = context.WithCancel(t.Context()) // as after Start
	go func() {
		<-u.again
		h.Close()
	}()
	if err := h.Restart(t.Context(), "a"); !errors.Is(err, cfx.ErrEnded) {
		t.Errorf("restarted: %v", err)
	}
}
