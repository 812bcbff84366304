package game

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// MirrorOptions of NewMirror. Engine is required.
type MirrorOptions struct {
	Engine    func() *engine.Engine // nil until the radio has started
	Callbacks func() []string       // those that only the game can answer; nil: none
	Now       func() time.Time      // nil: time.Now
	// Idle is how long the mirror goes on without a call; 0: idleTime.
	Idle time.Duration
}

// Mirror tells the game server what changes on the radio.
type Mirror struct {
	o MirrorOptions

	active atomic.Bool // the engine's steps are read

	// Of the engine's goroutine.
	reader reader
	given  uint64 // number of the newest step read

	size atomic.Int64 // bytes of the newest answer with everything; 0: none yet

	mu      sync.Mutex
	epoch   string
	model   *model // nil: the mirror is idle
	ring    ring
	taken   uint64        // number of the newest step that is in the model
	changed chan struct{} // closed at the next step; nil: nobody waits
	pollers int           // calls that wait for changes
	idle    *time.Timer   // ends the mirror when nobody has called for long
	over    chan struct{} // closed by HangUp
	hungUp  sync.Once
}

// ErrBusy: too many calls wait for changes.
var ErrBusy = errors.New("too many calls wait for changes")

// NewMirror makes a mirror that is idle.
func NewMirror(o MirrorOptions) *Mirror {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Idle == 0 {
		o.Idle = idleTime
	}
	m := &Mirror{o: o, epoch: rand.Text(), over: make(chan struct{})}
	m.ring.clear()
	return m
}

// Follower reads the steps of the radio while anybody asks for changes.
func (m *Mirror) Follower() engine.Follower {
	return &engine.Queue[step]{Name: "mirror", Most: maxSteps, Prepare: m.prepare, Deliver: m.deliver, Lost: m.lost}
}

func (m *Mirror) prepare(s *engine.Step) (step, bool) {
	if !m.active.Load() {
		return step{}, false
	}
	d, some := m.reader.read(s)
	if some {
		m.given++
		d.number = m.given
	}
	return d, some
}

func (m *Mirror) deliver(_ context.Context, steps []step) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range steps {
		if d.number <= m.taken { // the model was made later than this step
			continue
		}
		m.taken = d.number
		if err := m.take(d); err != nil {
			m.restart()
			return err
		}
	}
	m.wake()
	return nil
}

// take puts a step into the model and what it changes into the ring.
func (m *Mirror) take(d step) error {
	var changes []wire.GameChange
	switch {
	case m.model == nil:
		return nil
	case d.anew:
		m.restart()
		return nil
	case d.whole != nil:
		next, err := newModel(d.whole, m.describe)
		if err != nil {
			return err
		}
		changes = m.model.replace(next)
	default:
		changes = m.model.take(d)
	}
	if len(m.model.classes) > maxClasses {
		m.restart()
		return nil
	}
	now := m.o.Now()
	for _, c := range changes {
		m.ring.add(c, now)
	}
	return nil
}

// lost starts anew, because the mirror has missed something.
func (m *Mirror) lost(context.Context, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restart()
	m.wake()
}

// restart begins another epoch, in which earlier positions mean nothing. The next call
// makes the model again.
func (m *Mirror) restart() {
	m.epoch = rand.Text()
	m.rest()
}

// rest makes the mirror idle.
func (m *Mirror) rest() {
	m.active.Store(false)
	m.model = nil
	m.ring.clear()
}

func (m *Mirror) wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

func (m *Mirror) describe(c *core.Config) (wire.GameConfig, error) {
	var callbacks []string
	if m.o.Callbacks != nil {
		callbacks = m.o.Callbacks()
	}
	return wire.GameConfigOf(c, callbacks)
}

// begin makes the model, if the mirror is idle. mu is held; the engine's goroutine never
// asks for it.
func (m *Mirror) begin(ctx context.Context) error {
	if m.model != nil {
		return nil
	}
	e := m.o.Engine()
	if e == nil {
		return engine.ErrClosed
	}
	var w *whole
	err := e.View(ctx, func(v core.View) {
		w = m.reader.whole(v)
		m.taken = m.given // steps up to here are in it
		m.active.Store(true)
	})
	if err == nil {
		m.model, err = newModel(w, m.describe)
	}
	if err != nil {
		m.rest()
		return err
	}
	return nil
}

// HangUp ends all calls that wait: they are told that nothing has changed.
func (m *Mirror) HangUp() { m.hungUp.Do(func() { close(m.over) }) }

// Position is the place in the changes at which everything is visible that has happened
// on the radio before the call.
func (m *Mirror) Position(ctx context.Context) (uint64, error) {
	m.mu.Lock()
	if m.model == nil { // the next call for changes gets everything
		defer m.mu.Unlock()
		return m.ring.last, nil
	}
	m.mu.Unlock()
	var given uint64
	if err := m.o.Engine().View(ctx, func(core.View) { given = m.given }); err != nil {
		return 0, err
	}
	for {
		m.mu.Lock()
		last, done, changed := m.ring.last, m.model == nil || m.taken >= given, m.waiting()
		m.mu.Unlock()
		if done {
			return last, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// waiting is closed at the next step. mu is held.
func (m *Mirror) waiting() <-chan struct{} {
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}
