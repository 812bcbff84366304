package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
)

// unit is one script over its restarts. Its goroutine, live, owns its Lua state.
type unit struct {
	h       *Host
	ctx     context.Context                 // of what the script asks of the radio; of the goroutine that owns its Lua state
	handled atomic.Pointer[map[string]bool] // events, and whether clients may send them
	lines   *rate.Limiter
	acts    *rate.Limiter
	sends   *rate.Limiter
	again   chan chan error // asks for a restart
	lost    atomic.Int64    // events that the full queue has refused

	mu       sync.Mutex
	r        *Resource
	script   *cfx.Script // nil: it does not run
	state    string
	since    time.Time
	restarts int
	problem  string
	said     map[string]bool // errors that were reported, by text
	skipped  int             // lines that were not printed
}

func newUnit(h *Host, r *Resource) *unit {
	u := &unit{h: h, r: r, state: "stopped", since: time.Now(), said: map[string]bool{}, again: make(chan chan error),
		lines: rate.NewLimiter(linesPerSecond, lineBurst), acts: rate.NewLimiter(actsPerSecond, actBurst),
		sends: rate.NewLimiter(sendsPerSecond, sendBurst)}
	u.handled.Store(&map[string]bool{})
	return u
}

func (u *unit) resource() *Resource {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.r
}

func (u *unit) name() string { return u.resource().Name }

// running is the script; nil: it does not run.
func (u *unit) running() *cfx.Script {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.script
}

func (u *unit) events() map[string]bool { return *u.handled.Load() }

func (u *unit) status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := Status{Name: u.r.Name, State: u.state, Since: u.since, Restarts: u.restarts, Problem: u.problem,
		Events: slices.Sorted(maps.Keys(*u.handled.Load()))}
	u.h.mu.Lock()
	defer u.h.mu.Unlock()
	s.Exports = slices.Sorted(maps.Keys(u.h.exports[u.r.Name]))
	return s
}

func (u *unit) become(state string, s *cfx.Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state, u.since, u.script = state, time.Now(), s
}

// live runs the script until the host ends. first is closed when it has started for the
// first time, or failed to.
func (u *unit) live(first chan struct{}) {
	pause := firstPause
	begun := func(error) { close(first) }
	for u.h.life().Err() == nil {
		ran, asked, err := u.once(begun)
		begun = func(error) {}
		switch {
		case u.h.life().Err() != nil:
			return
		case asked != nil: // a restart
			begun = u.reread(asked)
			pause = firstPause
			continue
		case ran >= calmTime:
			pause = firstPause
		}
		u.stopped(err)
		if asked = u.wait(err, pause); asked != nil {
			begun = u.reread(asked)
			pause = firstPause
			continue
		}
		pause = min(2*pause, longestPause)
	}
}

// stopped reports why the script does not run any more.
func (u *unit) stopped(err error) {
	u.mu.Lock()
	u.problem = err.Error()
	broken := errors.As(err, new(*loadError))
	if broken {
		u.state = "stopped"
	} else {
		u.state = "waiting"
		u.restarts++
	}
	u.since = time.Now()
	u.mu.Unlock()
	if broken {
		u.report("%v: it does not run", err)
	} else {
		u.report("%v: it is stopped and starts again in %v, later each time", err, firstPause)
	}
}

// wait waits for the next start; the result is set if somebody asks for it before. A
// script whose files are wrong waits for that only.
func (u *unit) wait(err error, pause time.Duration) chan error {
	var due <-chan time.Time
	if !errors.As(err, new(*loadError)) {
		t := time.NewTimer(pause)
		defer t.Stop()
		due = t.C
	}
	select {
	case asked := <-u.again:
		return asked
	case <-due:
	case <-u.h.life().Done():
	}
	return nil
}

// loadError is a mistake in the script's files: trying again does not help.
type loadError struct{ error }

func (e *loadError) Unwrap() error { return e.error }

// reread reads the script's files again. What it returns tells whoever asked how the
// start went.
func (u *unit) reread(asked chan error) func(error) {
	name := u.name()
	for _, r := range Read(u.h.o.Paths, u.h.o.Radio) {
		if r.Name == name {
			u.mu.Lock()
			u.r, u.problem, u.said = r, "", map[string]bool{}
			u.mu.Unlock()
			break
		}
	}
	return func(err error) { asked <- err }
}

// restart has the script start anew and waits until it has.
func (u *unit) restart(ctx context.Context) error {
	asked := make(chan error, 1)
	select {
	case u.again <- asked:
	case <-ctx.Done():
		return ctx.Err()
	case <-u.h.life().Done():
		return cfx.ErrEnded
	}
	select {
	case err := <-asked:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-u.h.life().Done():
		return cfx.ErrEnded
	}
}

// once runs the script from its start to its end. asked is set if it ended because
// somebody wants it restarted.
func (u *unit) once(begun func(error)) (ran time.Duration, asked chan error, err error) {
	r := u.resource()
	if err := errors.Join(r.Wrong...); err != nil {
		begun(err)
		return 0, nil, &loadError{err}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	u.ctx = ctx // the radio is there until onResourceStop has been handled
	s, err := u.build(r)
	if err != nil {
		begun(err)
		return 0, nil, &loadError{err}
	}
	loading := context.AfterFunc(u.h.life(), func() {
		cancel()
		s.Stop()
	})
	defer loading()
	started := false
	defer func() { u.end(s, started) }()
	u.become("starting", s)
	for _, f := range r.Files {
		if err := s.Start(f.Chunk); err != nil {
			begun(err)
			if s.Fatal() != nil {
				return 0, nil, err
			}
			return 0, nil, &loadError{err}
		}
	}
	if !loading() { // the service ends, and the script has hardly begun
		return 0, nil, nil
	}
	u.become("started", s)
	started = true
	start := time.Now()
	u.h.emit(nil, "onResourceStart", "", "", r.Name)
	u.h.emit(nil, "onServerResourceStart", "", "", r.Name)
	begun(nil)
	over := make(chan error, 1)
	go func() { over <- s.Run(ctx) }()
	select {
	case err = <-over:
	case asked = <-u.again:
	case <-u.h.life().Done():
	}
	if err == nil { // it goes on until it is told that it stops
		u.emit("onResourceStop", "", "", []cfx.Packed{r.Name})
		_ = s.Post(cancel) // a script that has ended needs no stop
		late := time.NewTimer(stopTime)
		select {
		case <-over:
		case <-late.C:
			cancel()
			s.Stop()
			<-over
		}
		late.Stop()
	}
	return time.Since(start), asked, err
}

// end takes a script that does not run any more out of the others' sight.
func (u *unit) end(s *cfx.Script, started bool) {
	s.Close()
	u.become("stopped", nil)
	u.handled.Store(&map[string]bool{})
	u.h.handles()
	u.h.forget(u)
	if !started {
		return
	}
	u.h.emit(u, "onResourceStop", "", "", u.name())
	u.h.emit(u, "onServerResourceStop", "", "", u.name())
}

// emit has an event's handlers run, if there are any.
func (u *unit) emit(event string, source cfx.Packed, from string, args []cfx.Packed) {
	if _, is := u.events()[event]; !is {
		return
	}
	if s := u.running(); s != nil {
		u.count(s.Emit(event, source, from, args...))
	}
}

// count notes an event that did not reach the script.
func (u *unit) count(err error) {
	if errors.Is(err, cfx.ErrBusy) && u.lost.Add(1) == 1 {
		u.report("it does not keep up: events are dropped")
	}
}

// print is the script's print.
func (u *unit) print(line string) {
	allowed := u.lines.Allow()
	u.mu.Lock()
	name, skipped := u.r.Name, u.skipped
	if u.skipped = 0; !allowed {
		u.skipped = skipped + 1
	}
	u.mu.Unlock()
	if !allowed {
		return
	}
	if skipped > 0 {
		u.h.o.Logf("[%s] (%d lines were left out)", name, skipped)
	}
	u.h.o.Logf("[%s] %s", name, clip(line))
}

// failed reports an error that has ended a thread or handler.
func (u *unit) failed(what string, err *sandbox.Error) {
	u.report("%v (in %s)", err, what)
}

// report logs what is wrong with the script, each text once. What comes after maxReports
// texts is not remembered either: an error with a number in it is another one each time.
func (u *unit) report(format string, args ...any) {
	text := clip(fmt.Sprintf(format, args...))
	u.mu.Lock()
	first := !u.said[text] && len(u.said) < maxReports
	if first {
		u.said[text] = true
	}
	name := u.r.Name
	u.mu.Unlock()
	if first {
		u.h.o.Logf("script %s: %s (reported once)", name, text)
	}
}
