package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"squelch/core"
)

// busyRadio is an engine that does nothing until free is called.
func busyRadio(t *testing.T) (e *Engine, free func()) {
	state, err := core.New(core.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	e = Start(state, Sinks{}, time.Now)
	t.Cleanup(e.Close)
	if _, err := e.Do(t.Context(), core.Actor{User: 7}, core.Connect{Want: 7}); err != nil {
		t.Fatal(err)
	}
	busy, wait := make(chan struct{}), make(chan struct{})
	go e.View(context.Background(), func(core.View) { close(busy); <-wait })
	<-busy
	return e, func() { close(wait) }
}

// givesUp asks, and goes when the question waits for its turn.
func givesUp(t *testing.T, e *Engine, cmd core.Command, before func(core.Output)) {
	t.Helper()
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := e.Bind(ctx, core.Actor{}, cmd, before)
		done <- err
	}()
	for len(e.todo) == 0 {
		time.Sleep(time.Millisecond)
	}
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

// The radio was busy for so long that the caller has gone: it does not come on
// the air as a ghost.
func TestWhoHasGivenUpIsNotConnected(t *testing.T) {
	e, free := busyRadio(t)
	givesUp(t, e, core.Connect{Want: 8}, func(core.Output) { t.Error("it was bound") })
	free()
	if ids := onTheRadio(t, e); len(ids) != 1 {
		t.Errorf("on the radio are %v", ids)
	}
}

// What ends something is done, however late: nobody stays behind on the air.
func TestAGoodbyeIsHeardHoweverLate(t *testing.T) {
	e, free := busyRadio(t)
	givesUp(t, e, core.Unlink{User: 7, Clean: true}, nil)
	free()
	if ids := onTheRadio(t, e); len(ids) != 0 {
		t.Errorf("on the radio are %v", ids)
	}
}
