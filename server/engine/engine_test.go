package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"squelch/core"
)

// The radio was busy for so long that the caller has gone: it does not come on
// the air as a ghost.
func TestWhoHasGivenUpIsNotConnected(t *testing.T) {
	state, err := core.New(core.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	e := Start(state, Sinks{}, time.Now)
	defer e.Close()
	busy, free := make(chan struct{}), make(chan struct{})
	go e.View(context.Background(), func(core.View) { close(busy); <-free })
	<-busy
	ctx, giveUp := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := e.Bind(ctx, core.Actor{User: 7}, core.Connect{Want: 7}, func(core.Output) { t.Error("it was bound") })
		done <- err
	}()
	for len(e.todo) == 0 {
		time.Sleep(time.Millisecond)
	}
	giveUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up is told %v", err)
	}
	close(free)
	if err := e.View(context.Background(), func(v core.View) {
		if n := len(v.Users()); n != 0 {
			t.Errorf("%d users are on the radio", n)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
