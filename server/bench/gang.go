package bench

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	sio "squelch/server/sio/client"
	"squelch/sfu/phone"
)

// gang is the attackers of one process.
type gang struct {
	st  radio
	own *phone.Identity
	mu  sync.Mutex
	all []*bandit
}

// bandit is one attacker, with a login if it needs one, and a UDP port.
type bandit struct {
	*phone.Phone
	socket *sio.Client // nil: a stranger
	conn   *net.UDPConn
	to     atomic.Pointer[netip.AddrPort]
	seen   chan struct{} // a check was answered
	mu     sync.Mutex    // one step at a time
}

func (g *gang) close() {
	var group sync.WaitGroup
	for _, b := range g.all {
		group.Go(func() {
			if b.socket != nil {
				b.socket.Close()
			}
			_ = b.conn.Close()
			b.Close()
		})
	}
	group.Wait()
}

// stranger is an attacker who only knows the port.
func (g *gang) stranger(to netip.AddrPort) (*bandit, error) {
	b, err := g.newBandit()
	if err == nil {
		b.to.Store(&to)
	}
	return b, err
}

func (g *gang) newBandit() (b *bandit, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.own == nil {
		if g.own, err = phone.NewIdentity(); err != nil {
			return nil, err
		}
	}
	b = &bandit{seen: make(chan struct{}, 1)}
	if b.conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, err
	}
	b.Phone = phone.New(g.own, func(p []byte) {
		if to := b.to.Load(); to != nil {
			_, _ = b.conn.WriteToUDPAddrPort(p, *to)
		}
	})
	g.all = append(g.all, b)
	go b.read()
	return b, nil
}

// read takes what the service sends, until the port is closed.
func (b *bandit) read() {
	room := make([]byte, 1500)
	for {
		n, err := b.conn.Read(room)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && b.Take(room[:n]) == phone.Check {
			select {
			case b.seen <- struct{}{}:
			default:
			}
		}
	}
}

// bandits are attackers with logins, each of which has made an offer.
func (g *gang) bandits(ctx context.Context, n int) ([]*bandit, error) {
	all, failed := make([]*bandit, n), make([]error, n)
	var group sync.WaitGroup
	slots := make(chan struct{}, dialAtOnce)
	for i := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			b, err := g.newBandit()
			if err == nil {
				b.socket, err = g.st.connect(ctx, firstBandit-core.UserID(i), func(sio.Event) {})
			}
			if err == nil {
				_, err = b.offers(ctx)
			}
			all[i], failed[i] = b, err
		})
	}
	group.Wait()
	return all, errors.Join(failed...)
}

// offers makes an offer, and takes the answer if there is one.
func (b *bandit) offers(ctx context.Context) (refused bool, err error) {
	answer, err := signal(b.socket)(ctx, b.Offer(4))
	if errors.Is(err, errRefused) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := b.Answered(answer); err != nil {
		return false, err
	}
	to := b.Service()
	b.to.Store(&to)
	return false, nil
}

// arrives makes checks until one is answered.
func (b *bandit) arrives(ctx context.Context) error {
	for {
		if err := b.Check(); err != nil {
			return err
		}
		select {
		case <-b.seen:
			return nil
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connects makes the connection.
func (b *bandit) connects(ctx context.Context) error {
	if err := b.arrives(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return b.Shake(ctx, 1200)
}

// atOnce is how many steps that wait for an answer run at once.
const atOnce = 16

// pace does steps at a rate until the context ends. It does not make up for more than a
// hundredth of a second, so that a machine that is short of CPU gets no bunches.
func (g *gang) pace(ctx context.Context, a *attack, step step) (done, error) {
	began := time.Now()
	var count, refused atomic.Int64
	var failed atomic.Pointer[error]
	work := make(chan int)
	var hands sync.WaitGroup
	hand := func(n int) {
		was, err := step(n)
		switch {
		case err != nil && ctx.Err() == nil:
			failed.CompareAndSwap(nil, &err)
		case was:
			refused.Add(1)
		}
		count.Add(1)
	}
	if a.many {
		for range atOnce {
			hands.Go(func() {
				for n := range work {
					hand(n)
				}
			})
		}
	}
	due, last, n := 0.0, began, 0
	for ctx.Err() == nil && failed.Load() == nil {
		_ = pause(ctx, time.Millisecond)
		now := time.Now()
		due = min(due+now.Sub(last).Seconds()*float64(a.rate), float64(a.rate)/100+1)
		last = now
		for ; due >= 1 && ctx.Err() == nil; due-- {
			if a.many {
				work <- n
			} else {
				hand(n)
			}
			n++
		}
	}
	close(work)
	hands.Wait()
	d := done{int(count.Load()), int(refused.Load()), time.Since(began).Seconds()}
	if err := failed.Load(); err != nil {
		return d, *err
	}
	return d, nil
}
