package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
)

// seqs is a follower that notes the orders it was told of.
type seqs struct {
	mu   sync.Mutex
	all  []uint64
	lost int
}

func (s *seqs) follow(most int, deliver func(ctx context.Context, n int) error) *Queue[uint64] {
	return &Queue[uint64]{Name: "seqs", Most: most, Batch: 1,
		Prepare: func(step *Step) (uint64, bool) { return step.Seq, true },
		Deliver: func(ctx context.Context, batch []uint64) error {
			s.mu.Lock()
			s.all = append(s.all, batch...)
			n := len(s.all)
			s.mu.Unlock()
			return deliver(ctx, n)
		},
		Lost: func(_ context.Context, steps int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lost += steps
		}}
}

func (s *seqs) counts() (got, lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all), s.lost
}

var nothing = core.Refresh{User: 99} // it is refused, and only lets time pass

func start(t *testing.T, keep Keep, followers ...Follower) *Engine {
	t.Helper()
	e := Start(radio(t), NewAlone(time.Now, keep), Options{Followers: followers, Logf: t.Logf})
	t.Cleanup(e.Close)
	return e
}

func do(t *testing.T, e *Engine, times int) {
	t.Helper()
	for range times {
		var refused *core.Error
		if _, err := e.Do(t.Context(), core.Actor{}, nothing); !errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
}

// TestAFollowerThatStandsStill: it delays nobody. It is told how many steps it
// missed, and goes on; every step is either delivered or counted.
func TestAFollowerThatStandsStill(t *testing.T) {
	stuck, other := &seqs{}, &seqs{}
	wait := make(chan struct{})
	e := start(t, nil,
		stuck.follow(10, func(context.Context, int) error { <-wait; return nil }),
		other.follow(1000, func(context.Context, int) error { return nil }))
	do(t, e, 300)
	until(t, "the other has all", func() bool { n, _ := other.counts(); return n == 301 })
	if p := e.Progress()[0]; p.Waiting > 10 || p.Lost == 0 || p.Done > 1 {
		t.Errorf("the one that stands still: %+v", p)
	}
	close(wait)
	until(t, "it has all that was left", func() bool { got, lost := stuck.counts(); return got+lost == 301 })
	do(t, e, 5)
	until(t, "it goes on", func() bool { got, lost := stuck.counts(); return got+lost == 306 && lost < 301 })
	stuck.mu.Lock()
	defer stuck.mu.Unlock()
	if !slices.IsSorted(stuck.all) || !slices.Equal(stuck.all[len(stuck.all)-5:], []uint64{302, 303, 304, 305, 306}) {
		t.Errorf("it was told of %v", stuck.all)
	}
}

// TestAFollowerThatFails: a failure or a panic is logged once, and the follower gets
// the next step.
func TestAFollowerThatFails(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("no connection") },
		"panic": func() error { panic("no connection") },
	} {
		t.Run(name, func(t *testing.T) {
			s := &seqs{}
			var lines atomic.Int32
			e := Start(radio(t), NewAlone(time.Now, nil), Options{
				Followers: []Follower{s.follow(1000, func(_ context.Context, n int) error {
					if n <= 20 {
						return fail()
					}
					return nil
				})},
				Logf: func(format string, _ ...any) {
					if strings.Contains(format, "failed") || strings.Contains(format, "works again") {
						lines.Add(1)
					}
				}})
			defer e.Close()
			do(t, e, 50)
			until(t, "all were delivered", func() bool { got, lost := s.counts(); return got == 51 && lost == 20 })
			if n := lines.Load(); n != 2 {
				t.Errorf("%d lines in the log", n)
			}
		})
	}
}

// TestAPanicWhilePreparing: the radio goes on.
func TestAPanicWhilePreparing(t *testing.T) {
	s := &seqs{}
	f := s.follow(100, func(context.Context, int) error { return nil })
	f.Prepare = func(step *Step) (uint64, bool) {
		if step.Seq == 3 {
			panic("a bug")
		}
		return step.Seq, true
	}
	e := start(t, nil, f)
	do(t, e, 1)
	until(t, "it has two", func() bool { got, _ := s.counts(); return got == 2 })
	do(t, e, 1)
	until(t, "it was told", func() bool { _, lost := s.counts(); return lost == 1 })
	do(t, e, 1)
	until(t, "it goes on", func() bool { got, _ := s.counts(); return got == 3 })
}

// TestAPanicWhilePreparingToStore: the caller is told that the change is not
// stored, and the callers that come next still wait for theirs.
func TestAPanicWhilePreparingToStore(t *testing.T) {
	broken := errors.New("the disk fails")
	hold := make(chan struct{})
	f := &Queue[uint64]{Name: "disk", Most: 100, errs: true,
		Prepare: func(step *Step) (uint64, bool) {
			if step.Seq == 2 {
				panic("a bug")
			}
			return step.Seq, true
		},
		Deliver: func(_ context.Context, batch []uint64) error {
			<-hold
			if slices.Contains(batch, 3) {
				return broken
			}
			return nil
		}}
	e := start(t, nil, f)
	connect := func(user core.UserID) error {
		_, err := e.Do(t.Context(), core.Actor{}, core.Connect{Want: user})
		return err
	}
	if err := connect(7); err == nil || !strings.Contains(err.Error(), "is not stored") {
		t.Errorf("whose step is lost is told %v", err)
	}
	next := make(chan error, 1)
	go func() { next <- connect(8) }()
	until(t, "the next is applied", func() bool { return len(onTheRadio(t, e)) == 2 })
	close(hold)
	if err := <-next; !errors.Is(err, broken) {
		t.Errorf("the next is told %v", err)
	}
	until(t, "all is done", func() bool { return e.Progress()[0].Done == 3 })
	if p := e.Progress()[0]; p.Lost != 1 {
		t.Errorf("%+v", p)
	}
}

// TestAFollowerAsks the engine from within its delivery: a read and a command,
// also one that replies wait for, and the keeper while it stores.
func TestAFollowerAsks(t *testing.T) {
	var e *Engine
	var asked atomic.Int32
	ask := func(ctx context.Context) error {
		if err := e.View(ctx, func(core.View) {}); err != nil {
			return err
		}
		if asked.Add(1) > 20 { // each command makes another step
			return nil
		}
		var refused *core.Error
		if _, err := e.Do(ctx, core.Actor{}, nothing); !errors.As(err, &refused) {
			return err
		}
		_, err := e.Do(ctx, core.Actor{Surface: core.ByLua}, core.CreatePatch{Frequencies: []core.Frequency{north, tac}})
		if !errors.As(err, &refused) && err != nil { // refused if the patch exists already
			return err
		}
		return nil
	}
	ready := make(chan struct{})
	some := func(s *Step) (int, bool) { return 0, s.Order.Command != nil }
	script := &Queue[int]{Name: "script", Most: 100, Prepare: some,
		Deliver: func(context.Context, []int) error { <-ready; return ask(context.Background()) }}
	sockets := &Queue[int]{Name: "sockets", Most: 100, Replies: true, Prepare: some,
		Deliver: func(ctx context.Context, _ []int) error { <-ready; return ask(ctx) }}
	keep := func(ctx context.Context, _ *core.Data, _ []core.Record, _ []core.Moment) error {
		<-ready
		return ask(ctx)
	}
	e = start(t, keep, script, sockets)
	close(ready)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := e.Do(ctx, core.Actor{Surface: core.ByLua}, core.CreatePatch{Frequencies: []core.Frequency{north, tac}}); err != nil {
		var refused *core.Error
		if !errors.As(err, &refused) { // a follower was faster
			t.Fatal(err)
		}
	}
	until(t, "all have asked", func() bool { return asked.Load() > 20 })
	for _, p := range e.Progress() {
		if p.Lost > 0 {
			t.Errorf("%+v", p)
		}
	}
}

// TestTheReplyComesAfterTheMessages: also the reply to a command that sends none.
func TestTheReplyComesAfterTheMessages(t *testing.T) {
	s := &seqs{}
	hold := make(chan struct{})
	f := s.follow(100, func(_ context.Context, n int) error {
		if n == 2 {
			<-hold
		}
		return nil
	})
	f.Replies = true
	f.Prepare = func(step *Step) (uint64, bool) { return step.Seq, step.Seq < 4 }
	e := start(t, nil, f)
	until(t, "the first tick is told", func() bool { n, _ := s.counts(); return n == 1 })
	var answered atomic.Int32
	var all sync.WaitGroup
	for range 4 { // orders 2 to 5; 4 and 5 send nothing
		all.Go(func() {
			_, _ = e.Do(t.Context(), core.Actor{}, nothing)
			answered.Add(1)
		})
	}
	until(t, "all are applied", func() bool { return len(e.source.Orders()) == 0 && e.Progress()[0].Waiting == 3 })
	if n := answered.Load(); n != 0 {
		t.Errorf("%d were answered before the messages went out", n)
	}
	close(hold)
	all.Wait()
	if p := e.Progress()[0]; p.Done != 5 {
		until(t, "the cursor has come to the end", func() bool { return e.Progress()[0].Done == 5 })
	}
}

// TestNothingAcknowledgedIsLost: callers make durable changes on a disk that is slow
// and fails, more of them than its queue holds. Every state that a caller was told is
// safe has been stored, and so has every record, each once.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	var mu sync.Mutex
	stored, records, calls := map[core.UserID]string{}, map[string]int{}, 0
	broken := errors.New("the disk fails")
	first := make(chan struct{})
	keep := func(_ context.Context, snap *core.Data, log []core.Record, _ []core.Moment) error {
		<-first
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%5 == 0 {
			return broken
		}
		for _, r := range log {
			records[r.Detail]++
		}
		if snap != nil {
			for _, c := range snap.Callsigns {
				stored[c.User] = c.Callsign
			}
		}
		return nil
	}
	bad := &seqs{}
	e := start(t, keep, bad.follow(2, func(context.Context, int) error { return errors.New("it fails") }))
	const callers = 4 * durableLength
	acknowledged := make([]string, callers+1)
	var all sync.WaitGroup
	for n := 1; n <= callers; n++ {
		id := core.UserID(n)
		if _, err := e.Do(t.Context(), core.Actor{User: id}, core.Connect{Want: id}); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			callsign := "Unit " + id.String()
			_, err := e.Do(t.Context(), core.Actor{User: id, Surface: core.ByREST}, core.SetCallsign{User: id, Callsign: callsign})
			switch {
			case err == nil:
				acknowledged[n] = callsign
			case !errors.Is(err, broken):
				t.Error(err)
			}
		})
	}
	until(t, "the keeper is behind", func() bool { return e.Progress()[1].Waiting == durableLength })
	if _, err := e.Do(t.Context(), core.Actor{User: 1}, core.KeyDown{User: 1}); err != nil { // what needs no disk does not wait for it
		t.Error(err)
	}
	close(first)
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	safe := 0
	for n, callsign := range acknowledged {
		if callsign == "" {
			continue
		}
		safe++
		if stored[core.UserID(n)] != callsign || records[callsign] != 1 {
			t.Errorf("%s is acknowledged, stored as %q and recorded %d times", callsign, stored[core.UserID(n)], records[callsign])
		}
	}
	if safe == 0 {
		t.Error("nothing was acknowledged")
	}
}

// TestAFullQueueOfOrders: a caller waits for room or gives up, a report is dropped.
func TestAFullQueueOfOrders(t *testing.T) {
	e, orders, free := busyRadio(t)
	for e.Post(core.Actor{}, nothing) {
	}
	if n := len(orders.orders) + len(orders.waiting); n != queueLength {
		t.Errorf("%d orders wait", n)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { _, err := e.Do(ctx, core.Actor{}, nothing); gone <- err }()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			var refused *core.Error
			if _, err := e.Do(t.Context(), core.Actor{}, nothing); !errors.As(err, &refused) {
				t.Error(err)
			}
		})
	}
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	free()
	all.Wait()
}

// lateSource returns from Propose only when the engine has been closed.
type lateSource struct {
	*Alone
	closed chan struct{}
}

func (s lateSource) Propose(ctx context.Context, id uint64, by core.Actor, cmd core.Command) error {
	err := s.Alone.Propose(ctx, id, by, cmd)
	<-s.closed
	return err
}

// TestAnAnswerBeforeTheEnd: it is returned although the engine has been closed since.
func TestAnAnswerBeforeTheEnd(t *testing.T) {
	for range 30 { // of two channels that are ready, select takes either
		s := lateSource{NewAlone(time.Now, nil), make(chan struct{})}
		e := Start(radio(t), s, Options{})
		answer := make(chan error, 1)
		go func() {
			_, err := e.Do(t.Context(), core.Actor{}, core.Connect{Want: 7})
			answer <- err
		}()
		until(t, "it is applied", func() bool { return len(onTheRadio(t, e)) == 1 })
		e.Close()
		close(s.closed)
		if err := <-answer; err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheEnd: what waits is delivered, later calls get ErrClosed, and nothing is
// left.
func TestTheEnd(t *testing.T) {
	s := &seqs{}
	e := Start(radio(t), NewAlone(time.Now, nil), Options{Followers: []Follower{s.follow(1000, func(context.Context, int) error {
		time.Sleep(time.Millisecond)
		return nil
	})}})
	do(t, e, 100)
	e.Close()
	if got, _ := s.counts(); got != 101 {
		t.Errorf("%d steps were delivered", got)
	}
	if _, err := e.Do(t.Context(), core.Actor{}, nothing); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := e.View(t.Context(), func(core.View) {}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if e.Post(core.Actor{}, nothing) {
		t.Error("a report was taken")
	}
	if e.State() == nil {
		t.Error("no state is left")
	}
}
