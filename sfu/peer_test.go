package sfu

import (
	"context"
	"sync"
	"time"

	"squelch/core"
	"squelch/sfu/client"
)

// console is a dispatcher with a WebRTC connection.
type console struct {
	*client.Client
	id    core.UserID
	mu    sync.Mutex
	heard []client.Received
	at    []time.Time // when each was heard
	slots []Slots
	gone  []error
}

func (c *console) hear(p client.Received) {
	c.mu.Lock()
	c.heard, c.at = append(c.heard, p), append(c.at, time.Now())
	c.mu.Unlock()
}

func (c *console) all() []client.Received {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]client.Received(nil), c.heard...)
}

func (r *radio) listenOn(n Network) {
	r.t.Helper()
	n.Engine = carrier
	if err := r.sfu.Listen(n); err != nil {
		r.t.Fatal(err)
	}
}

// console connects a dispatcher until the test ends.
func (r *radio) console(id core.UserID, o client.Options) *console {
	r.t.Helper()
	c := r.connect(id, o)
	r.t.Cleanup(c.Close)
	return c
}

func (r *radio) connect(id core.UserID, o client.Options) *console {
	r.t.Helper()
	c := &console{id: id}
	o.Heard, o.ID = c.hear, id
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var err error
	c.Client, err = client.Dial(ctx, o, func(ctx context.Context, offer string) (string, error) {
		return r.sfu.Answer(ctx, id, offer, PeerEvents{
			Slots:  func(s Slots) { c.mu.Lock(); c.slots = append(c.slots, s); c.mu.Unlock() },
			Closed: func(err error) { c.mu.Lock(); c.gone = append(c.gone, err); c.mu.Unlock() },
		})
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// last is the newest state of its slots that the console was told.
func (c *console) last() Slots {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.slots) == 0 {
		return Slots{}
	}
	return c.slots[len(c.slots)-1]
}

func (c *console) ends() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]error(nil), c.gone...)
}
