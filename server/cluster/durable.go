package cluster

import (
	"context"
	"errors"
	"slices"
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
	s.behind.add(Place{epoch, seq}, log, moments)
	if snap == nil && len(log) == 0 {
		return nil
	}
	return s.stored.wait(ctx, s.quit, Place{epoch, seq})
}

// Inherited is what the orders that this replica has applied last changed and the owner
// before may not have stored. A new owner stores what of it is not there.
func (s *Source) Inherited() (log []core.Record, moments []core.Moment) { return s.behind.take() }

// behind are the newest records and moments of a replica that does not own the radio.
type behind struct {
	mu      sync.Mutex
	at      []Place // of log
	log     []core.Record
	moments []core.Moment
}

func (b *behind) add(at Place, log []core.Record, moments []core.Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range log {
		b.at, b.log = append(b.at, at), append(b.log, r)
	}
	b.moments = append(b.moments, moments...)
	if over := len(b.log) - maxBehind; over > 0 {
		b.at, b.log = slices.Clone(b.at[over:]), slices.Clone(b.log[over:])
	}
	if over := len(b.moments) - maxBehind; over > maxBehind {
		b.moments = slices.Clone(b.moments[over:])
	}
}

// stored forgets the records up to a place.
func (b *behind) stored(up Place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(b.at) && !up.Before(b.at[n]) {
		n++
	}
	b.at, b.log = b.at[n:], b.log[n:]
}

func (b *behind) take() (log []core.Record, moments []core.Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	log, moments = b.log, b.moments
	b.at, b.log, b.moments = nil, nil, nil
	return log, moments
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
func (m *marks) wait(ctx context.Context, quit <-chan struct{}, p Place) error {
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
		case <-quit:
			return nil
		case <-late.C:
			return errUnknown
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
