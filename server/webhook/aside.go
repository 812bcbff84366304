package webhook

import (
	"context"
	"slices"
)

// urgent is an event of health that is sent at once.
type urgent struct {
	over  chan struct{} // closed when it is
	taken bool          // then
}

// hurry sends an event of health at once, although others are before it. If that fails,
// it is sent in its turn.
func (h *hook) hurry(ctx context.Context, ev Event) {
	h.mu.Lock()
	if h.stopped || h.current == ev.ID || ev.Entry.Seq <= h.place.Seq || len(h.urgent) >= urgentMost {
		h.mu.Unlock()
		return
	}
	u := &urgent{over: make(chan struct{})}
	h.urgent[ev.ID] = u
	h.mu.Unlock()
	h.desk.work.Go(func() {
		defer close(u.over)
		body, err := h.body(ev, h.desk.o.Config())
		if err != nil {
			return
		}
		for tries := 1; tries <= urgentTries; tries++ {
			a := h.post.post(ctx, ev.ID, ev.Kind, body)
			if u.taken = a.verdict == taken; u.taken {
				h.well(true)
				return
			}
			if a.verdict != failing {
				return
			}
			select {
			case <-h.desk.o.After(max(pause(tries), a.wait)):
			case <-ctx.Done():
				return
			}
		}
	})
}

// hurried says whether the event has been taken already, and otherwise notes that it is
// being sent in order.
func (h *hook) hurried(ctx context.Context, ev Event) bool {
	h.mu.Lock()
	u := h.urgent[ev.ID]
	if u == nil {
		h.current = ev.ID
	}
	h.mu.Unlock()
	if u == nil {
		return false
	}
	select {
	case <-u.over:
	case <-ctx.Done():
		return false
	}
	h.mu.Lock()
	delete(h.urgent, ev.ID)
	h.mu.Unlock()
	return u.taken
}

// queue takes an event that is not on the timeline. If too many wait, it becomes a dead
// letter at once.
func (h *hook) queue(ev Event) {
	if !slices.Contains(h.Events, ev.Kind) {
		return
	}
	select {
	case h.aside <- ev:
	default:
		body, _ := h.body(ev, nil)
		h.bury(ev, body, 0, "too many transcripts wait for the receiver")
	}
}

// runAside sends what is not on the timeline. What is left at the end is kept as dead
// letters.
func (h *hook) runAside(ctx context.Context) {
	for {
		select {
		case ev := <-h.aside:
			c := h.desk.o.Config()
			if h.wants(ev, h.filter(c)) && !h.deliver(ctx, ev, c) {
				h.leave(ev)
			}
		case <-ctx.Done():
			for {
				select {
				case ev := <-h.aside:
					h.leave(ev)
				default:
					return
				}
			}
		}
	}
}

func (h *hook) leave(ev Event) {
	body, _ := h.body(ev, nil)
	h.bury(ev, body, 0, "the service ended before it could be sent")
}
