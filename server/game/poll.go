package game

import (
	"context"
	"encoding/json"
	"time"

	"squelch/core/wire"
)

// Question is a call for changes.
type Question struct {
	Since        uint64
	Given        bool // Since is; without it the answer is the whole state
	Epoch        string
	Wait, Gather time.Duration
}

// Enter takes one of the places of calls that wait; ErrBusy says that none is free.
// leave gives it back.
func (m *Mirror) Enter() (leave func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pollers == maxPollers {
		return nil, ErrBusy
	}
	m.pollers++
	if m.idle != nil {
		m.idle.Stop()
	}
	return m.leave, nil
}

func (m *Mirror) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pollers--; m.pollers > 0 {
		return
	}
	m.idle = time.AfterFunc(m.o.Idle, m.doze)
}

// doze ends the mirror, unless somebody has called again.
func (m *Mirror) doze() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pollers == 0 && m.model != nil {
		m.rest()
	}
}

// Ask answers a call for changes, as JSON: at once if there are some, else when there
// are, and at the end of its wait. A change waits for Gather, from the moment it came,
// so that those after it come along.
func (m *Mirror) Ask(ctx context.Context, q Question) ([]byte, error) {
	end := time.NewTimer(q.Wait)
	defer end.Stop()
	for late := false; ; {
		m.mu.Lock()
		if err := m.begin(ctx); err != nil {
			m.mu.Unlock()
			return nil, err
		}
		if !q.Given || q.Epoch != m.epoch || !m.ring.follows(q.Since) {
			return m.whole() // unlocks
		}
		var gathered <-chan time.Time
		if m.ring.last > q.Since {
			left := q.Gather - m.o.Now().Sub(m.ring.began(q.Since))
			if left <= 0 || late {
				return m.news(q.Since) // unlocks
			}
			gathered = time.After(left)
		} else if late {
			return m.news(q.Since)
		}
		var changed <-chan struct{}
		if gathered == nil {
			changed = m.waiting()
		}
		m.mu.Unlock()
		select {
		case <-changed:
		case <-gathered:
		case <-end.C:
			late = true
		case <-m.over:
			late = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// whole answers with everything. mu is held, and given back: encoding takes long.
func (m *Mirror) whole() ([]byte, error) {
	answer := wire.GameChanges{Epoch: m.epoch, Next: m.ring.last, Reset: true, State: m.model.state()}
	m.mu.Unlock()
	text, err := json.Marshal(answer)
	m.size.Store(int64(len(text)))
	return text, err
}

// news answers with the changes after a position or, where that is less, with
// everything. mu is held, and given back.
func (m *Mirror) news(since uint64) ([]byte, error) {
	answer := wire.GameChanges{Epoch: m.epoch, Next: m.ring.last, Changes: m.ring.after(since)}
	m.mu.Unlock()
	text, err := json.Marshal(answer)
	if whole := m.size.Load(); err != nil || whole == 0 || len(text) < smallState || int64(len(text)) <= whole {
		return text, err
	}
	m.mu.Lock()
	if m.model == nil || m.epoch != answer.Epoch {
		m.mu.Unlock()
		return text, nil // still true of its epoch
	}
	return m.whole()
}
