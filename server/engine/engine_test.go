package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever; nothing is measured with
// it.
const patience = 2 * time.Minute

var north, _ = core.ParseFrequency("154.755")
var tac, _ = core.ParseFrequency("460.25")

// radio has two channels.
func radio(t testing.TB) *core.State {
	t.Helper()
	c := core.DefaultConfig()
	c.Zones = []core.Zone{{Name: "County", Channels: []core.Channel{
		{Name: "North", Type: core.Conventional, Frequency: north}, {Name: "Tac", Type: core.Conventional, Frequency: tac}}}}
	s, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until polls for what another goroutine does.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// busyRadio is an engine with user 7 that does nothing until free is called.
func busyRadio(t *testing.T) (e *Engine, orders *Alone, free func()) {
	orders = NewAlone(time.Now, nil)
	e = Start(radio(t), orders, Options{Logf: t.Logf})
	t.Cleanup(e.Close)
	if _, err := e.Do(t.Context(), core.Actor{User: 7}, core.Connect{Want: 7}); err != nil {
		t.Fatal(err)
	}
	busy, wait := make(chan struct{}), make(chan struct{})
	go e.View(context.Background(), func(core.View) { close(busy); <-wait })
	<-busy
	return e, orders, func() { close(wait) }
}

// givesUp sends a command and cancels it while it waits for its turn.
func givesUp(t *testing.T, e *Engine, orders *Alone, cmd core.Command, before func(core.Output)) {
	t.Helper()
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := e.Bind(ctx, core.Actor{}, cmd, before)
		done <- err
	}()
	until(t, "the question is asked", func() bool { return len(orders.orders) > 0 })
	giveUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up is told %v", err)
	}
}

func onTheRadio(t *testing.T, e *Engine) (ids []core.UserID) {
	t.Helper()
	if err := e.View(t.Context(), func(v core.View) {
		for _, u := range v.Users() {
			ids = append(ids, u.ID)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// While the radio was busy the caller has gone: the user is not bound to anybody, and
// does not stay on the air as a ghost.
func TestWhoHasGivenUpDoesNotStay(t *testing.T) {
	e, orders, free := busyRadio(t)
	givesUp(t, e, orders, core.Connect{Want: 8}, func(core.Output) { t.Error("it was bound") })
	free()
	until(t, "the order has come", func() bool { return e.Progress()[0].Done >= 3 })
	until(t, "the ghost has left", func() bool { return len(onTheRadio(t, e)) == 1 })
}

// A client whose connection was given up comes back before the ghost has left: it
// stays.
func TestWhoComesBackMeanwhileStays(t *testing.T) {
	e, orders, free := busyRadio(t)
	givesUp(t, e, orders, core.Connect{Want: 8}, func(core.Output) { t.Error("it was bound") })
	free()
	bound := 0
	if _, err := e.Bind(t.Context(), core.Actor{}, core.Connect{Want: 8}, func(core.Output) { bound++ }); err != nil || bound != 1 {
		t.Fatalf("%v, bound %d times", err, bound)
	}
	if err := e.View(t.Context(), func(core.View) {
		if len(e.ghosts) != 0 {
			t.Errorf("%v leave yet", e.ghosts)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// A command that ends something is carried out however late, so that nobody stays on
// the air.
func TestAGoodbyeIsHeardHoweverLate(t *testing.T) {
	e, orders, free := busyRadio(t)
	givesUp(t, e, orders, core.Unlink{User: 7, Clean: true}, nil)
	free()
	until(t, "7 has left", func() bool { return len(onTheRadio(t, e)) == 0 })
}
