package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"
)

// catchHangups gives the signals SIGHUP. One that comes during a reload is done after it.
func catchHangups() chan os.Signal {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	return hangup
}

// hangups reloads at each SIGHUP, as services do, until over is called. If the service was
// started in a terminal and that is gone, the returned context ends instead, so that it does
// not go on unseen. Windows has no such signal.
func (s *service) hangups(ctx context.Context, hangup <-chan os.Signal, reload func(context.Context)) (_ context.Context, over func()) {
	ctx, end := context.WithCancel(ctx)
	inTerminal := term.IsTerminal(int(os.Stdin.Fd()))
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case <-hangup:
				if inTerminal && !term.IsTerminal(int(os.Stdin.Fd())) {
					s.log.Warn("the terminal was closed: the service ends")
					end()
					return
				}
				reload(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		end()
		work.Wait()
	}
}
