package game

import (
	"context"
	"sync"
	"time"
)

// Answers remembers what was answered to a request, so that its repetition, by a caller
// who has not heard the answer, is answered and not carried out again.
type Answers[A any] struct {
	now     func() time.Time
	mu      sync.Mutex
	callers map[string]*answered[A]
}

type answered[A any] struct {
	byID  map[string]*answer[A]
	order []*answer[A] // the oldest first
	used  time.Time
}

type answer[A any] struct {
	id    string
	at    time.Time
	done  chan struct{} // closed when the answer is there
	kept  bool          // it is to be remembered
	value A
}

// NewAnswers remembers nothing yet.
func NewAnswers[A any](now func() time.Time) *Answers[A] {
	return &Answers[A]{now: now, callers: map[string]*answered[A]{}}
}

// Once calls do, unless the caller's request with this id was answered within the last
// minute: then it returns that answer. If the first one is still being carried out, it
// waits. keep says whether the answer is to be remembered; one that has changed nothing
// and may be another the next time is not. The error is that of ctx, while waiting.
func (a *Answers[A]) Once(ctx context.Context, caller, id string, do func() (value A, keep bool)) (A, error) {
	for {
		mine, first := a.begin(caller, id)
		if first {
			defer a.end(caller, mine) // also after a panic
			mine.value, mine.kept = do()
			return mine.value, nil
		}
		select {
		case <-mine.done:
			if mine.kept {
				return mine.value, nil
			}
		case <-ctx.Done():
			var none A
			return none, ctx.Err()
		}
	}
}

// begin finds the answer to a request, or makes room for it.
func (a *Answers[A]) begin(caller, id string) (mine *answer[A], first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	c := a.callers[caller]
	if c == nil {
		a.makeRoom()
		c = &answered[A]{byID: map[string]*answer[A]{}}
		a.callers[caller] = c
	}
	c.used = now
	c.forget(now)
	if old := c.byID[id]; old != nil {
		return old, false
	}
	mine = &answer[A]{id: id, at: now, done: make(chan struct{})}
	c.byID[id] = mine
	c.order = append(c.order, mine)
	return mine, true
}

// end gives an answer to those who wait for it.
func (a *Answers[A]) end(caller string, mine *answer[A]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	mine.at = a.now()
	if c := a.callers[caller]; c != nil && !mine.kept && c.byID[mine.id] == mine {
		delete(c.byID, mine.id)
	}
	close(mine.done)
}

// forget drops what is too old or too much.
func (c *answered[A]) forget(now time.Time) {
	n := 0
	for n < len(c.order) && (len(c.order)-n >= maxAnswers || now.Sub(c.order[n].at) >= keepAnswers) {
		if old := c.order[n]; c.byID[old.id] == old {
			delete(c.byID, old.id)
		}
		n++
	}
	c.order = c.order[n:]
}

// makeRoom forgets the caller that was silent longest, if there are too many.
func (a *Answers[A]) makeRoom() {
	if len(a.callers) < maxCallers {
		return
	}
	oldest := ""
	for name, c := range a.callers {
		if oldest == "" || c.used.Before(a.callers[oldest].used) {
			oldest = name
		}
	}
	delete(a.callers, oldest)
}
