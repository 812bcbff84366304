// Package engine runs the radio: one goroutine owns the core's State; others
// hand it commands and look at it. It acts on each Output in the documented
// order: routes, events, store.
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"squelch/core"
)

// ErrClosed is returned by Do and View after Close.
var ErrClosed = errors.New("the radio is switched off")

// queueLength bounds the commands that wait for the engine. A command takes
// about 10 µs, so a full queue is about 10 ms of work; callers then wait.
const queueLength = 1024

// Sinks are who is told, in this order. Nil members are left out. They run on
// the engine's goroutine and must not block.
type Sinks struct {
	Routes func(*core.RouteTable)        // the media plane
	Tell   func([]core.Event, core.View) // Socket.IO and scripts
	// Log takes every step in order, before anybody is told of it: commands,
	// with whether the core refused them, and ticks, which have no command.
	Log func(now time.Time, by core.Actor, cmd core.Command, refused bool)
	// Keep takes audited events and, if snap is not nil, the durable state. It
	// returns at once; done is called, from any goroutine, when both are safe.
	Keep func(events []core.Event, snap *core.Data, done func(error))
	// Probe looks, before a command that needs storage, whether there is any, and
	// has told the core by the time it returns. It runs on the caller's goroutine
	// and may take as long as a write.
	Probe func(ctx context.Context)
}

// Engine owns one core.State.
type Engine struct {
	state *core.State
	sinks Sinks
	now   func() time.Time
	todo  chan func()
	quit  chan struct{}
	gone  chan struct{}
	once  sync.Once
	timer *time.Timer // touched by the engine's goroutine only
}

// Start runs a state. now is the clock (time.Now outside tests).
func Start(state *core.State, sinks Sinks, now func() time.Time) *Engine {
	e := &Engine{state: state, sinks: sinks, now: now,
		todo: make(chan func(), queueLength), quit: make(chan struct{}), gone: make(chan struct{}), timer: time.NewTimer(idle)}
	go e.run()
	return e
}

func (e *Engine) run() {
	defer close(e.gone)
	defer e.timer.Stop()
	e.tick()
	for {
		select {
		case f := <-e.todo:
			f()
		case <-e.timer.C:
			e.tick()
		case <-e.quit:
			return
		}
	}
}

func (e *Engine) tick() {
	now := e.now()
	out := e.state.Tick(now)
	e.log(now, core.Actor{}, nil, nil)
	e.act(out, nil)
}

func (e *Engine) step(by core.Actor, cmd core.Command) (core.Output, error) {
	now := e.now()
	out, refusal := e.state.Step(now, by, cmd)
	e.log(now, by, cmd, refusal)
	return out, refusal
}

func (e *Engine) log(now time.Time, by core.Actor, cmd core.Command, refusal error) {
	if e.sinks.Log != nil {
		e.sinks.Log(now, by, cmd, refusal != nil)
	}
}

// act does what an Output asks for. done, if any, is called once everything
// that has to be durable is.
func (e *Engine) act(out core.Output, done func(error)) {
	if out.Routes != nil && e.sinks.Routes != nil {
		e.sinks.Routes(out.Routes)
	}
	if len(out.Events) > 0 && e.sinks.Tell != nil {
		e.sinks.Tell(out.Events, e.state.View())
	}
	e.keep(out, done)
	wait := idle
	if !out.Wake.IsZero() {
		wait = max(out.Wake.Sub(e.now()), time.Millisecond)
	}
	e.timer.Reset(wait)
}

// idle is how long the engine sleeps when nothing is due; any command wakes it.
const idle = time.Hour

func (e *Engine) keep(out core.Output, done func(error)) {
	if done == nil {
		done = func(error) {}
	}
	if e.sinks.Keep == nil || (!out.Save && len(out.Events) == 0) {
		done(nil)
		return
	}
	var snap *core.Data
	if out.Save {
		d := e.state.Durable()
		snap = &d
	}
	e.sinks.Keep(out.Events, snap, done)
}

// Do applies a command and waits until what it changed is durable, if it must
// be. The error is the core's refusal, the store's failure, or the context's. A
// command that goes on while nothing can be stored does not fail because of that.
func (e *Engine) Do(ctx context.Context, by core.Actor, cmd core.Command) (core.Output, error) {
	return e.Bind(ctx, by, cmd, nil)
}

// Bind is Do with a look at the outcome before anybody is told of it: an
// adapter binds a connection to the id that the radio gave it. before runs on
// the engine's goroutine, must not block, and is not called for a refusal. Where
// the caller has given up before the command's turn comes, it is not applied.
func (e *Engine) Bind(ctx context.Context, by core.Actor, cmd core.Command, before func(core.Output)) (core.Output, error) {
	type result struct {
		out core.Output
		err error
	}
	answer := make(chan result, 1)
	needs := core.NeedsStorage(cmd)
	if needs && e.sinks.Probe != nil {
		e.sinks.Probe(ctx)
	}
	err := e.hand(ctx, func() {
		if err := ctx.Err(); before != nil && err != nil { // nobody is there to be bound
			answer <- result{err: err}
			return
		}
		out, refusal := e.step(by, cmd)
		if before != nil && refusal == nil {
			before(out)
		}
		e.act(out, func(kept error) {
			var broken *core.Error
			goesOn := !needs && errors.As(kept, &broken) && broken.Kind == core.Unavailable
			if refusal == nil && !goesOn {
				refusal = kept
			}
			answer <- result{out, refusal}
		})
	})
	if err != nil {
		return core.Output{}, err
	}
	select {
	case r := <-answer:
		return r.out, r.err
	case <-ctx.Done():
		return core.Output{}, ctx.Err()
	case <-e.gone:
		return core.Output{}, ErrClosed
	}
}

// Apply is Do without waiting for the disk: for the keeper, which writes to it.
func (e *Engine) Apply(ctx context.Context, by core.Actor, cmd core.Command) error {
	answer := make(chan error, 1)
	err := e.hand(ctx, func() {
		out, refusal := e.step(by, cmd)
		e.act(out, nil)
		answer <- refusal
	})
	if err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-e.gone:
		return ErrClosed
	}
}

// Post applies a command without waiting for anything; it is dropped (false)
// when the queue is full or the engine closed. For reports of the media plane.
func (e *Engine) Post(by core.Actor, cmd core.Command) bool {
	f := func() {
		out, _ := e.step(by, cmd)
		e.act(out, nil)
	}
	select {
	case e.todo <- f:
		return true
	default:
		return false
	}
}

// View lends the state for reading. look must not block and must not keep v.
func (e *Engine) View(ctx context.Context, look func(v core.View)) error {
	done := make(chan struct{})
	err := e.hand(ctx, func() {
		defer close(done)
		look(e.state.View())
	})
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-e.gone:
		return ErrClosed
	}
}

func (e *Engine) hand(ctx context.Context, f func()) error {
	select {
	case e.todo <- f:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.gone:
		return ErrClosed
	}
}

// Close ends the goroutine; commands that wait are answered with ErrClosed.
func (e *Engine) Close() {
	e.once.Do(func() { close(e.quit) })
	<-e.gone
}
