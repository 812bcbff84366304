package engine

import (
	"context"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Keep stores what Source.Durable is given.
type Keep func(ctx context.Context, snap *core.Data, log []core.Record, moments []core.Moment) error

// Alone is the Source of a service that shares its radio with nobody: a channel
// and a clock. Its first order is a tick, which does what was due while the
// service did not run.
type Alone struct {
	now    func() time.Time
	keep   Keep
	orders chan Ordered  // the oldest of the log
	room   chan struct{} // one token for the callers that wait for room
	quit   chan struct{}
	once   sync.Once

	mu      sync.Mutex
	closed  bool
	seq     uint64
	waiting []Ordered // those behind orders, which is full then: a burst
	due     time.Time // when the timer fires; zero: it is stopped
	timer   *time.Timer
}

// NewAlone makes a source. now is the clock (time.Now outside tests); keep is
// nil where nothing outlives the process.
func NewAlone(now func() time.Time, keep Keep) *Alone {
	a := &Alone{now: now, keep: keep, orders: make(chan Ordered, shortQueue), room: make(chan struct{}, 1), quit: make(chan struct{})}
	a.timer = time.AfterFunc(time.Hour, a.tick)
	a.timer.Stop()
	a.tick()
	return a
}

// Orders returns the log.
func (a *Alone) Orders() <-chan Ordered { return a.orders }

// Propose gives a command the current time and the next place in the log. While the
// log is full it waits for room.
func (a *Alone) Propose(ctx context.Context, id uint64, by core.Actor, cmd core.Command) error {
	for waited := false; ; waited = true {
		ordered, err := a.order(id, by, cmd)
		if waited && ordered {
			a.hasRoom() // there may be room for the next one too
		}
		if ordered || err != nil {
			return err
		}
		select {
		case <-a.room:
		case <-ctx.Done():
			return ctx.Err()
		case <-a.quit:
		}
	}
}

// order appends to the log, unless it is full. Time and number are set under one
// lock, so that they rise together.
func (a *Alone) order(id uint64, by core.Actor, cmd core.Command) (ordered bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return false, ErrClosed
	case len(a.orders)+len(a.waiting) >= queueLength:
		return false, nil
	}
	a.seq++
	o := Ordered{Seq: a.seq, ID: id, Order: wire.Order{At: a.now().UnixMilli(), By: by, Command: cmd}}
	if len(a.waiting) > 0 || len(a.orders) == cap(a.orders) {
		a.waiting = append(a.waiting, o)
	} else {
		a.orders <- o
	}
	return true, nil
}

// advance moves what waits up, when an order was taken; a.mu is held. Nobody else sends.
func (a *Alone) advance() {
	n := min(len(a.waiting), cap(a.orders)-len(a.orders))
	for _, o := range a.waiting[:n] {
		a.orders <- o
	}
	if a.waiting = a.waiting[n:]; len(a.waiting) == 0 {
		a.waiting = nil // a quiet radio keeps no room for bursts
	}
}

func (a *Alone) hasRoom() {
	select {
	case a.room <- struct{}{}:
	default:
	}
}

// Wake sets the clock.
func (a *Alone) Wake(at time.Time) {
	a.hasRoom()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) > 0 {
		a.advance()
	}
	if a.closed || at.Equal(a.due) {
		return
	}
	if a.due = at; at.IsZero() {
		a.timer.Stop()
		return
	}
	a.timer.Reset(max(at.Sub(a.now()), time.Millisecond))
}

// tick orders that time has passed. A full log needs none: every order in it
// lets time pass, and sets the clock again.
func (a *Alone) tick() {
	a.mu.Lock()
	a.due = time.Time{}
	a.mu.Unlock()
	_, _ = a.order(0, core.Actor{}, nil)
}

// Durable passes everything on to keep, if there is one.
func (a *Alone) Durable(ctx context.Context, _, _ uint64, snap *core.Data, log []core.Record, moments []core.Moment) error {
	if a.keep == nil {
		return nil
	}
	return a.keep(ctx, snap, log, moments)
}

// Close stops the clock. Callers that wait for room get ErrClosed.
func (a *Alone) Close() {
	a.once.Do(func() { close(a.quit) })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.timer.Stop()
}
