package cfx

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"squelch/server/lua/sandbox"
)

// guard ends a run that takes too long or needs too much memory. It costs nothing for
// runs shorter than guardPoll but a timer that is set and stopped.
type guard struct {
	ctx    context.Context // of the Lua state; over when a limit was exceeded
	cancel context.CancelCauseFunc
	timer  *time.Timer

	tired atomic.Bool // the script is to pause at its next instruction

	mu      sync.Mutex
	resting bool
	long    bool // counted in longRuns
	locked  bool // the run's goroutine has a thread of the system to itself
	depth   int
	began   time.Time
	next    time.Time // of the next look
	limit   time.Duration
	heap    uint64 // bytes at the first look; 0: none yet
	growth  uint64
}

func newGuard() *guard {
	g := &guard{growth: heapGrowth}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// limitError says which limit ended the script.
type limitError string

func (e limitError) Error() string { return string(e) }

// enter begins a run; runs inside it belong to it.
func (g *guard) enter(limit time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.depth++
	if g.depth > 1 {
		return
	}
	g.began, g.limit = time.Now(), limit
	g.heap = 0
	g.arm(guardPoll)
}

// arm sets when the next look is; g.mu must be held.
func (g *guard) arm(after time.Duration) {
	g.next = time.Now().Add(after)
	if g.timer == nil {
		g.timer = time.AfterFunc(after, g.look)
	} else {
		g.timer.Reset(after)
	}
}

// leave ends a run, on the goroutine that ran it, and returns how long it was busy; 0: it
// was inside another.
func (g *guard) leave() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.depth--
	if g.depth > 0 {
		return 0
	}
	g.timer.Stop()
	g.short()
	return max(time.Since(g.began), 1)
}

// held is a run that waits for somebody else.
type held struct {
	depth int
	limit time.Duration
	used  time.Duration
	look  time.Duration // until the next look
}

// pause sets the run aside, on the goroutine that runs it: its time does not pass, and other
// runs may begin.
func (g *guard) pause() held {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := held{g.depth, g.limit, time.Since(g.began), time.Until(g.next)}
	g.depth = 0
	if g.timer != nil {
		g.timer.Stop()
	}
	g.short()
	return h
}

// resume goes on with the run that pause has set aside.
func (g *guard) resume(h held) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.depth, g.limit, g.began = h.depth, h.limit, time.Now().Add(-h.used)
	if g.depth > 0 { // the next look does not move: a run may wait more often than every guardPoll
		g.heap = 0
		g.arm(h.look)
	}
}

// look runs every guardPoll while the script does.
func (g *guard) look() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.depth == 0 || g.resting || g.ctx.Err() != nil {
		return
	}
	defer g.arm(guardPoll)
	now := sandbox.Heap()
	if time.Since(g.began) > longRun {
		if !g.long {
			g.long = true
			longRuns.Add(1)
		}
		g.tired.Store(true)
	}
	switch {
	case time.Since(g.began) > g.limit:
		g.cancel(limitError(fmt.Sprintf("runs longer than %v without a Wait", g.limit)))
	case g.heap == 0:
		g.heap = now
	case now > g.heap+g.growth:
		g.cancel(limitError(fmt.Sprintf("needs more than %d MB of memory at once", g.growth>>20)))
	}
}

// longRuns is how many scripts of this process, of whatever radio, are in a run that is
// long by now.
var longRuns atomic.Int64

// short ends a run that was long, on the goroutine that ran it; g.mu must be held.
func (g *guard) short() {
	g.tired.Store(false)
	if g.long {
		g.long = false
		longRuns.Add(-1)
	}
	if g.locked {
		g.locked = false
		runtime.UnlockOSThread()
	}
}

// rest pauses a long run, on the goroutine that runs it. The pause is not counted as time of
// the run. From then on the run has a thread to itself. On a shared one, the system sees a
// thread that is always busy, and what that wakes waits for the next tick.
func (g *guard) rest() {
	g.tired.Store(false)
	g.mu.Lock()
	if !g.locked {
		g.locked = true
		runtime.LockOSThread()
	}
	g.resting = true
	g.mu.Unlock()
	began := time.Now()
	pause := time.NewTimer(longPause(longRuns.Load(), runtime.GOMAXPROCS(0)))
	select {
	case <-pause.C:
	case <-g.ctx.Done():
		pause.Stop()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resting = false
	g.began = g.began.Add(time.Since(began))
	g.arm(guardPoll)
}

// longPause is how long each of some long runs pauses after a guardPoll, see longShare.
func longPause(runs int64, processors int) time.Duration {
	return guardPoll * time.Duration(max(longShare-1, longShare*runs/int64(processors)))
}

// running is the context of the Lua state. gopher-lua asks it before each instruction
// whether it is over.
type running struct {
	context.Context
	over  <-chan struct{}
	guard *guard
}

func (g *guard) running() context.Context { return running{g.ctx, g.ctx.Done(), g} }

// Done lets a run that is long pause.
func (r running) Done() <-chan struct{} {
	if r.guard.tired.Load() {
		r.guard.rest()
	}
	return r.over
}

// exceeded is the limit that was exceeded, or nil.
func (g *guard) exceeded() error {
	if g.ctx.Err() == nil {
		return nil
	}
	return context.Cause(g.ctx)
}

// close ends what still runs, on the goroutine that ran it.
func (g *guard) close() {
	g.cancel(errStopped)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
	g.short() // a run that has broken the interpreter did not leave
}

const errStopped = limitError("was stopped")
