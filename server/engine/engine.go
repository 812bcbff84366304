// Package engine runs the radio: one goroutine owns the core's State, applies
// the orders of a Source to it, one after the other, and lets others look at it.
// It has no clock: each order brings its own time.
//
// After each order it acts on the Output as the core documents it: it installs the
// routes, then tells the followers, in the order of their list. A follower copies
// what it needs (Prepare) and delivers it on a goroutine of its own, from a bounded
// queue, so that it never holds up the radio. The last follower is Source.Durable,
// which stores. What happens when a queue is full:
//
//	sockets   4096 steps     all clients are dropped, and reconnect to the radio as it is then
//	journal   100 000 steps  it ends, marked as incomplete
//	mirror    4096 steps     it begins anew, and game servers get the whole state
//	scripts   4096 steps     they miss those events, and the log says how many steps
//	log       4096 steps     it has no lines about them
//	voice     64 steps       they are joined: it only has to know that somebody may hear something else
//	metrics   1024 steps     the sums of two steps are joined; nothing is lost
//	keeper    64 steps       the newest state, all records and moments are joined; nothing is lost
//
// A delivery that fails or panics is logged, and its steps count as lost; the
// keeper's error goes to the callers that wait for it instead. The follower goes on
// with the next step.
package engine

import (
	"context"
	"sync"
	"time"

	"squelch/core"
)

// Options of Start. All are optional.
type Options struct {
	// Routes installs a route table in the media plane. It runs on the engine's
	// goroutine, before anybody is told, and must not block.
	Routes func(*core.RouteTable)
	// Followers are told of every step, in this order. The goroutine that is woken last
	// runs first, so those with Replies come last.
	Followers []Follower
	// Probe is called before a command that needs storage: it finds out whether the
	// disk can be written to, and has told the core when it returns. It runs on the
	// caller's goroutine and may take as long as a write.
	Probe func(ctx context.Context)
	// Origin identifies this process among those that share the source.
	Origin uint64
	Logf   func(format string, args ...any)
}

// Engine owns one core.State.
type Engine struct {
	o         Options
	source    Source
	followers []queue
	ctx       context.Context // of the followers
	cancel    context.CancelFunc
	looks     chan func()
	quit      chan struct{}
	ended     chan struct{} // nothing is applied any more
	closed    chan struct{} // and all followers have ended
	once      sync.Once

	// Of the engine's goroutine.
	state      *core.State
	epoch, seq uint64
	behind     bool // orders are missing: only a Snapshot helps
	ghosts     map[core.UserID]bool

	mu        sync.Mutex
	over      bool
	lastID    uint64
	waiting   map[uint64]*pending // by ID
	abandoned []uint64            // those of them whose caller has gone
}

// Start runs a state on the orders of a source. Close closes the source too.
func Start(state *core.State, source Source, o Options) *Engine {
	e := &Engine{o: o, state: state, source: source, looks: make(chan func()), quit: make(chan struct{}),
		ended: make(chan struct{}), closed: make(chan struct{}), waiting: map[uint64]*pending{}, ghosts: map[core.UserID]bool{}}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	for _, f := range append(o.Followers[:len(o.Followers):len(o.Followers)], durable(source, func() core.Data { return e.state.Durable() })) {
		e.followers = append(e.followers, f.begin(e))
	}
	go e.run()
	return e
}

func (e *Engine) logf(format string, args ...any) {
	if e.o.Logf != nil {
		e.o.Logf(format, args...)
	}
}

func (e *Engine) run() {
	defer close(e.ended)
	defer e.answerClosed()
	orders := e.source.Orders()
	for {
		select {
		case o, more := <-orders:
			if !more {
				return
			}
			e.take(o)
		case look := <-e.looks:
			look()
		case <-e.quit:
			return
		}
	}
}

// take applies an order, if it is the next.
func (e *Engine) take(o Ordered) {
	switch {
	case o.Lost != nil:
		e.answerLost(o)
	case o.Epoch < e.epoch: // from a former owner
	case o.Snapshot != nil && (e.behind || o.Anew || o.Epoch > e.epoch || o.Seq > e.seq): // a late one would rewind the radio
		e.resync(o)
	case o.Epoch == e.epoch && o.Seq <= e.seq: // already applied
	case e.behind:
	case o.Seq != e.seq+1:
		e.behind = true
		e.logf("order %d of epoch %d follows order %d of epoch %d: the radio waits for a snapshot", o.Seq, o.Epoch, e.seq, e.epoch)
	default:
		e.apply(o)
	}
}

func (e *Engine) apply(o Ordered) {
	e.epoch, e.seq = o.Epoch, o.Seq
	step := Step{Ordered: o, View: e.state.View()}
	at := time.UnixMilli(o.Order.At)
	if o.Order.Command == nil {
		step.Output = e.state.Tick(at)
	} else {
		step.Output, step.Refusal = e.state.Step(at, o.Order.By, o.Order.Command)
	}
	var p *pending
	if o.ID != 0 && o.Origin == e.o.Origin {
		p = e.taken(o.ID)
	}
	if p != nil {
		p.out, p.refusal = step.Output, step.Refusal
		if step.Refusal == nil {
			e.bind(p)
		}
	}
	if step.Output.Routes != nil && e.o.Routes != nil {
		e.o.Routes(step.Output.Routes)
	}
	for _, f := range e.followers {
		f.offer(&step, p)
	}
	if p != nil {
		p.release()
	}
	e.source.Wake(step.Output.Wake())
}

// resync replaces the radio.
func (e *Engine) resync(o Ordered) {
	state, err := core.Restore(o.Snapshot.Config, o.Snapshot.Data)
	if err != nil {
		e.behind = true
		e.logf("the radio cannot be brought up to date: %v", err)
		return
	}
	e.state, e.epoch, e.seq, e.behind = state, o.Epoch, o.Seq, false
	if e.o.Routes != nil {
		e.o.Routes(state.Routes())
	}
	step := Step{Ordered: o, View: state.View()}
	for _, f := range e.followers {
		f.offer(&step, nil)
	}
	e.answerResync()
	e.source.Wake(time.UnixMilli(o.Snapshot.Data.Now)) // at once: a tick finds out what is due
}

// bind lets the caller look at the outcome, if it is still there.
func (e *Engine) bind(p *pending) {
	if p.before == nil {
		return
	}
	here := p.ctx.Err() == nil
	if here {
		p.before(p.out)
	}
	for _, event := range p.out.Events {
		f, connected := event.Fact.(core.UserConnected)
		switch {
		case connected && here:
			delete(e.ghosts, f.User)
		case connected:
			e.ghosts[f.User] = true
			time.AfterFunc(ghostTime, func() { e.leave(f) })
		}
	}
}

// leave takes a user off the radio that no caller was bound to.
func (e *Engine) leave(f core.UserConnected) {
	ghost := false
	err := e.View(e.ctx, func(core.View) {
		ghost = e.ghosts[f.User]
		delete(e.ghosts, f.User)
	})
	if err == nil && ghost {
		// A refusal means that the user has left by itself.
		_ = e.Apply(e.ctx, core.Actor{User: f.User, Surface: core.BySystem}, core.Unlink{User: f.User, Clean: !f.Resumed})
	}
}

// Progress returns how far each follower is: those of Options, then the keeper.
func (e *Engine) Progress() []Progress {
	var all []Progress
	for _, f := range e.followers {
		all = append(all, f.progress())
	}
	return all
}

// Close stops the engine. Commands that wait get ErrClosed; followers deliver what is
// in their queues, and those that take longer than closeTime are left behind.
func (e *Engine) Close() {
	e.once.Do(func() {
		close(e.quit)
		<-e.ended
		e.source.Close()
		late := time.NewTimer(closeTime)
		defer late.Stop()
		for _, f := range e.followers {
			f.finish()
		}
		for _, f := range e.followers {
			select {
			case <-f.gone():
			case <-late.C:
				late.Reset(0)
				e.logf("follower %s did not stop in time: %d steps are left undelivered", f.progress().Name, f.progress().Waiting)
			}
		}
		e.cancel()
		close(e.closed)
	})
	<-e.closed
}

// State returns the radio as it was at the end. It waits for Close.
func (e *Engine) State() *core.State {
	<-e.closed
	return e.state
}
