package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"squelch/core"
)

// Follower is told of everything that happens to the radio, in order; a *Queue
// is one.
type Follower interface{ begin(e *Engine) queue }

// Step is what an order has done.
type Step struct {
	Ordered // with a Snapshot the radio was replaced: Output and Refusal are empty
	Output  core.Output
	Refusal error     // of the core; such a command has only let time pass
	View    core.View // the radio at that very moment; to be read in Prepare only
}

// Queue is a follower with a queue and a goroutine of its own. However slow it is, it
// delays nobody else.
type Queue[T any] struct {
	Name string // for the log
	// Begin, if not nil, is called with the engine before the first step, and before Start
	// returns.
	Begin func(e *Engine)
	// Prepare runs on the engine's goroutine, right after the step and before anybody
	// is told. It returns what Deliver needs of the step and the radio; false: nothing.
	// It must not block.
	Prepare func(s *Step) (T, bool)
	// Deliver gets what Prepare returned, in order, on the follower's goroutine. It may
	// take its time and may call the engine with this ctx; it must not keep the batch.
	// An error or a panic is logged, and the batch counts as lost.
	Deliver func(ctx context.Context, batch []T) error
	// Most is how many steps may wait; Batch is how many Deliver gets at once (0: all).
	Most, Batch int
	// Merge, if not nil, joins a step to the newest waiting one when the queue is full.
	// Without it a full queue takes no more steps until it is empty.
	Merge func(older, newer T) T
	// Lost is called with the number of steps that were not taken or not delivered. It
	// runs on the follower's goroutine, in its place between the deliveries.
	Lost func(ctx context.Context, steps int)
	// Replies makes the caller of a command wait until everything up to its own step
	// has been delivered here.
	Replies bool

	// errs: a caller waits only for its own step, and gets Deliver's error.
	errs bool
	// waits, if not nil, says with errs whether the caller waits for what Prepare returned.
	waits func(T) bool
}

// Progress is how far a follower has come.
type Progress struct {
	Name    string
	Done    uint64 // the cursor: it has done everything up to this Seq
	Waiting int    // steps
	Lost    int    // steps, since the start
}

// queue is a running Queue.
type queue interface {
	offer(s *Step, p *pending)
	finish()
	gone() <-chan struct{}
	progress() Progress
}

type running[T any] struct {
	*Queue[T]
	e    *Engine
	ctx  context.Context
	over chan struct{}

	mu      sync.Mutex
	arrived *sync.Cond
	waiting []item[T]
	busy    bool   // its goroutine is working
	offered uint64 // the newest step
	done    uint64
	gap     int // steps that were not taken, and not yet reported to Lost
	lost    int
	closing bool

	// Of its goroutine.
	failing bool // the last delivery has failed
	values  []T  // of the batch
}

type item[T any] struct {
	seq    uint64
	value  T
	empty  bool // no value, only callers who wait
	answer []*pending
}

func (f *Queue[T]) begin(e *Engine) queue {
	r := &running[T]{Queue: f, e: e, over: make(chan struct{})}
	r.ctx = context.WithValue(e.ctx, insideKey{}, queue(r))
	r.arrived = sync.NewCond(&r.mu)
	if f.Begin != nil {
		f.Begin(e)
	}
	go r.run()
	return r
}

// offer runs on the engine's goroutine.
func (r *running[T]) offer(s *Step, p *pending) {
	v, some, panicked := r.prepare(s)
	if r.errs && panicked && r.concerns(p, true) {
		p.kept = fmt.Errorf("the change is in effect, but is not stored: follower %s panicked over order %d", r.Name, s.Seq)
	}
	if !r.concerns(p, some && (r.waits == nil || r.waits(v))) {
		p = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offered = s.Seq
	idle := !r.busy && len(r.waiting) == 0 && r.gap == 0
	switch {
	case !some && (p == nil || idle || r.gap > 0):
		if idle {
			r.done = s.Seq
		}
		return
	case r.gap > 0:
		r.gap++
		return
	case len(r.waiting) < r.Most:
		r.waiting = append(r.waiting, item[T]{seq: s.Seq, value: v, empty: !some})
	case some && r.Merge != nil:
		last := &r.waiting[len(r.waiting)-1]
		last.seq, last.value = s.Seq, r.Merge(last.value, v)
	case some:
		r.gap++
		return
	}
	if p != nil {
		p.left.Add(1)
		last := &r.waiting[len(r.waiting)-1]
		last.answer = append(last.answer, p)
	}
	r.arrived.Signal()
}

// concerns says whether p waits for this follower. A call from within a follower
// waits for no messages, and one from within the keeper not for the disk either: it
// could be waiting for itself.
func (r *running[T]) concerns(p *pending, some bool) bool {
	switch {
	case p == nil || p.appliedOnly:
		return false
	case r.errs:
		return some && p.inside != queue(r)
	}
	return r.Replies && p.inside == nil
}

// prepare runs Prepare. A panic there is a bug, but it leaves the radio whole,
// because Prepare only reads. The step is lost. It makes a gap, and the queue takes
// no more steps until Lost has been called. Where callers wait for their own step
// (errs) there is no gap: later steps are taken as usual.
func (r *running[T]) prepare(s *Step) (v T, some, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			r.e.logf("follower %s panicked over order %d: %v\n%s", r.Name, s.Seq, p, debug.Stack())
			r.mu.Lock()
			defer r.mu.Unlock()
			if some, panicked = false, true; r.errs {
				r.lost++
				return
			}
			r.gap++
			r.arrived.Signal()
		}
	}()
	v, some = r.Prepare(s)
	return v, some, false
}

func (r *running[T]) run() {
	defer close(r.over)
	for {
		batch, gap, more := r.next()
		if !more {
			return
		}
		if gap > 0 {
			r.tellLost(gap)
			continue
		}
		err := r.deliver(batch)
		for _, one := range batch {
			for _, p := range one.answer {
				if r.errs && err != nil {
					p.kept = err
				}
				p.release()
			}
		}
	}
}

// next waits for work: a batch or, when none waits, the size of a gap to report.
func (r *running[T]) next() (batch []item[T], gap int, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy = false; len(r.waiting) == 0 {
		r.done = r.offered
	}
	for len(r.waiting) == 0 && r.gap == 0 {
		if r.closing {
			return nil, 0, false
		}
		r.arrived.Wait()
	}
	r.busy = true
	if len(r.waiting) == 0 {
		gap, r.gap = r.gap, 0
		return nil, gap, true
	}
	n := len(r.waiting)
	if r.Batch > 0 {
		n = min(n, r.Batch)
	}
	batch = r.waiting[:n:n]
	if r.waiting = r.waiting[n:]; len(r.waiting) == 0 {
		r.waiting = nil
	}
	r.done = batch[0].seq - 1
	return batch, 0, true
}

func (r *running[T]) deliver(batch []item[T]) error {
	values := r.values[:0]
	for _, one := range batch {
		if !one.empty {
			values = append(values, one.value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	err := r.guard(func() error { return r.Deliver(r.ctx, values) })
	clear(values)
	r.values = values
	switch {
	case err != nil && !r.errs:
		if !r.failing {
			r.e.logf("follower %s failed at order %d: %v", r.Name, batch[0].seq, err)
		}
		r.tellLost(len(values))
	case err == nil && r.failing && !r.errs:
		r.e.logf("follower %s works again at order %d", r.Name, batch[0].seq)
	}
	r.failing = err != nil
	return err
}

func (r *running[T]) tellLost(steps int) {
	r.mu.Lock()
	r.lost += steps
	r.mu.Unlock()
	if r.Lost == nil {
		return
	}
	if err := r.guard(func() error { r.Lost(r.ctx, steps); return nil }); err != nil {
		r.e.logf("follower %s: %v", r.Name, err)
	}
}

// guard turns a panic into an error with its stack.
func (r *running[T]) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// finish lets the follower deliver what waits, and then end.
func (r *running[T]) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
	r.arrived.Signal()
}

func (r *running[T]) gone() <-chan struct{} { return r.over }

func (r *running[T]) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Progress{Name: r.Name, Done: r.done, Waiting: len(r.waiting), Lost: r.lost + r.gap}
}
