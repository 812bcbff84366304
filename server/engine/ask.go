package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"squelch/core"
	"squelch/core/wire"
)

var (
	// ErrClosed is returned by Do, Bind, Apply and View once the engine is closed.
	ErrClosed = errors.New("the radio is switched off")
	// ErrResync means that a snapshot replaced the radio while a command was on its
	// way.
	ErrResync = errors.New("the radio was restored from a snapshot; whether the command was applied is unknown")
)

// pending is a caller who waits for an order.
type pending struct {
	ctx         context.Context
	before      func(core.Output)
	appliedOnly bool  // waits for no follower
	inside      queue // the follower that the call comes from; nil: none

	out     core.Output
	refusal error
	kept    error        // why the change is not durable
	left    atomic.Int32 // how many answers it still waits for
	done    chan struct{}
}

// release ends one wait.
func (p *pending) release() {
	if p.left.Add(-1) == 0 {
		close(p.done)
	}
}

// insideKey is the context key of the follower from whose Deliver or Lost a call
// comes.
type insideKey struct{}

// Do applies a command. It returns when the followers with Replies have delivered
// everything up to it, and when what it changed is durable, if it must be. The error
// is the core's refusal, the store's failure, the context's, ErrClosed or ErrResync.
// A command that does not need storage succeeds even if what it changed can only be
// stored later.
func (e *Engine) Do(ctx context.Context, by core.Actor, cmd core.Command) (core.Output, error) {
	return e.Bind(ctx, by, cmd, nil)
}

// Bind is Do that calls before with the outcome before anybody is told of it: an
// adapter binds a connection to the id that the radio gave it. before runs on the
// engine's goroutine and must not block. It is not called for a refusal, nor if the
// caller has given up before the command's turn comes; a user whom such a command
// connects is taken off the radio again.
func (e *Engine) Bind(ctx context.Context, by core.Actor, cmd core.Command, before func(core.Output)) (core.Output, error) {
	needs := core.NeedsStorage(cmd)
	if needs && e.o.Probe != nil {
		e.o.Probe(ctx)
	}
	inside, _ := ctx.Value(insideKey{}).(queue)
	p := &pending{ctx: ctx, before: before, inside: inside}
	if err := e.await(ctx, by, cmd, p); err != nil {
		return core.Output{}, err
	}
	err := p.refusal
	var broken *core.Error
	goesOn := !needs && errors.As(p.kept, &broken) && broken.Kind == core.Unavailable
	if err == nil && !goesOn {
		err = p.kept
	}
	return p.out, err
}

// Apply is Do that waits for no follower, and so not for the disk. The keeper uses
// it, because it is the one that writes there.
func (e *Engine) Apply(ctx context.Context, by core.Actor, cmd core.Command) error {
	p := &pending{ctx: ctx, appliedOnly: true}
	if err := e.await(ctx, by, cmd, p); err != nil {
		return err
	}
	return p.refusal
}

// await proposes a command, and waits until its order has been applied here and
// what p waits for is done.
func (e *Engine) await(ctx context.Context, by core.Actor, cmd core.Command, p *pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.done = make(chan struct{})
	p.left.Store(1)
	id, err := e.expect(p)
	if err != nil {
		return err
	}
	if err := e.source.Propose(ctx, id, by, cmd); err != nil {
		e.taken(id)
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		e.abandon(id, p)
		return ctx.Err()
	case <-e.closed:
	}
	select {
	case <-p.done: // answered before the end
		return nil
	default:
		return ErrClosed
	}
}

// expect notes who waits for an order.
func (e *Engine) expect(p *pending) (id uint64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return 0, ErrClosed
	}
	e.lastID++
	e.waiting[e.lastID] = p
	return e.lastID, nil
}

// taken removes the caller who waits for an order and returns it; nil: nobody waits
// any more.
func (e *Engine) taken(id uint64) *pending {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.waiting[id]
	delete(e.waiting, id)
	return p
}

// abandon notes that the caller has given up. A caller whose before is set stays in
// waiting, so that its order is not bound to anybody when it comes.
func (e *Engine) abandon(id uint64, p *pending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting[id] != p {
		return
	}
	if p.before == nil {
		delete(e.waiting, id)
		return
	}
	e.remember(id)
}

// remember keeps an entry of waiting whose caller has gone; beyond maxAbandoned the
// oldest is dropped. e.mu must be held.
func (e *Engine) remember(id uint64) {
	if e.abandoned = append(e.abandoned, id); len(e.abandoned) > maxAbandoned {
		delete(e.waiting, e.abandoned[0])
		e.abandoned = e.abandoned[1:]
	}
}

// answerClosed tells everybody who waits for an order that it will not come.
func (e *Engine) answerClosed() {
	e.mu.Lock()
	all := e.waiting
	e.waiting, e.abandoned, e.over = map[uint64]*pending{}, nil, true
	e.mu.Unlock()
	answer(all, ErrClosed)
}

// answerResync tells everybody who waits for an order that the radio was replaced.
// The order may still come, so callers whose before is set are remembered as if they
// had given up.
func (e *Engine) answerResync() {
	e.mu.Lock()
	all := e.waiting
	e.waiting, e.abandoned = map[uint64]*pending{}, nil
	for _, id := range slices.Sorted(maps.Keys(all)) { // the oldest are dropped first
		if all[id].before != nil {
			e.waiting[id] = nobody()
			e.remember(id)
		}
	}
	e.mu.Unlock()
	answer(all, ErrResync)
}

// answerLost tells a caller that its proposal was not ordered. The order may still come.
func (e *Engine) answerLost(o Ordered) {
	e.mu.Lock()
	p := e.waiting[o.ID]
	delete(e.waiting, o.ID)
	if p != nil && p.before != nil {
		e.waiting[o.ID] = nobody()
		e.remember(o.ID)
	}
	e.mu.Unlock()
	if p != nil {
		answer(map[uint64]*pending{o.ID: p}, o.Lost)
	}
}

func answer(all map[uint64]*pending, err error) {
	for _, p := range all {
		p.refusal = err
		p.release()
	}
}

// nobody returns a stand-in for an answered caller whose before was set.
func nobody() *pending {
	p := &pending{ctx: overNow, before: func(core.Output) {}, appliedOnly: true, done: make(chan struct{})}
	p.left.Store(1)
	return p
}

// overNow is a context that has ended.
var overNow = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Post applies a command without waiting for anything; false: it was dropped, because
// the queue is full or the engine closed. It is for reports of the media plane.
func (e *Engine) Post(by core.Actor, cmd core.Command) bool {
	return e.source.Propose(overNow, 0, by, cmd) == nil
}

// Snapshot is the whole radio, and the order after which it was so.
func (e *Engine) Snapshot(ctx context.Context) (epoch, seq uint64, whole wire.Start, err error) {
	err = e.View(ctx, func(v core.View) {
		epoch, seq = e.epoch, e.seq
		whole = wire.Start{Config: *v.Config(), Data: v.Snapshot()}
	})
	return epoch, seq, whole, err
}

// View lends the state for reading. look must not block and must not keep v.
func (e *Engine) View(ctx context.Context, look func(v core.View)) error {
	done := make(chan struct{})
	select {
	case e.looks <- func() { defer close(done); look(e.state.View()) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ended:
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-e.ended:
		return ErrClosed
	}
}
