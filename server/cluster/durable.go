package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"squelch/core"
)

// storeTime is how long a caller waits for the owner to store what its command changed.
const storeTime = 10 * time.Second

var errUnknown = errors.New("the change is in effect, but whether it is stored is not known: the node that stores it does not answer")

// Durable stores on the owner, and elsewhere waits until the owner has.
func (s *Source) Durable(ctx context.Context, epoch, seq uint64, snap *core.Data, log []core.Record, moments []core.Moment) error {
	owns := make(chan bool, 1)
	s.do(func() { owns <- s.owner && s.at.Epoch == epoch })
	select {
	case yes := <-owns:
		if yes {
			return s.store(ctx, Place{epoch, seq}, snap, log, moments)
		}
	case <-s.quit: // the end: nobody waits
		return nil
	}
	if snap == nil && len(log) == 0 {
		return nil
	}
	return s.stored.wait(ctx, Place{epoch, seq})
}

// store stores and tells the other nodes, whose callers wait.
func (s *Source) store(ctx context.Context, at Place, snap *core.Data, log []core.Record, moments []core.Moment) error {
	err := s.o.Keep(ctx, at.Epoch, snap, log, moments)
	if snap != nil || len(log) > 0 {
		d := decided{Place: at, Node: s.o.Node, Stored: err == nil}
		if err != nil {
			d.Broken = err.Error()
		}
		s.do(func() { s.tell(d) })
	}
	return err
}

// marks is how far the owner has stored.
type marks struct {
	mu      sync.Mutex
	at      Place
	broken  string // why at is the end of what is not stored; "": it is stored
	changed chan struct{}
}

func (m *marks) set(d decided) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.Place.Before(m.at) {
		return
	}
	m.at, m.broken = d.Place, d.Broken
	close(m.changed)
	m.changed = make(chan struct{})
}

// wait waits until the orders up to a place are stored. A later owner has stored what it
// knows of before it decides anything.
func (m *marks) wait(ctx context.Context, p Place) error {
	late := time.NewTimer(storeTime)
	defer late.Stop()
	for {
		m.mu.Lock()
		at, broken, changed := m.at, m.broken, m.changed
		m.mu.Unlock()
		if !at.Before(p) {
			if broken != "" {
				return errors.New(broken)
			}
			return nil
		}
		select {
		case <-changed:
		case <-late.C:
			return errUnknown
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
