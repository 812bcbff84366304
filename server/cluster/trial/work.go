package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/server/engine"
)

func (c *child) user(n int) core.UserID { return core.UserID(100*c.job.Index + n + 1) }

// channel is that of a user: nobody else is on it.
func (c *child) channel(n int) core.Frequency { return Frequency(15*c.job.Index + n) }

// join connects a user. A node that comes back finds its users lost, and takes them over.
func (c *child) join(ctx context.Context, n int) error {
	u := c.user(n)
	for _, cmd := range []core.Command{core.Connect{Want: u, TakeOver: u, Owner: u.String()}, core.JoinAsSpeaker{User: u, Frequency: c.channel(n)}} {
		for {
			_, err := c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, cmd)
			if errors.Is(err, engine.ErrResync) { // another node has just taken the radio
				continue
			}
			if err != nil {
				return fmt.Errorf("user %d: %w", u, err)
			}
			break
		}
	}
	return nil
}

// begin waits until there is work.
func (c *child) begin() (end func()) {
	for {
		if !c.resting.Load() {
			c.busy.RLock()
			if !c.resting.Load() {
				return c.busy.RUnlock
			}
			c.busy.RUnlock()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// key keys and releases without end, and reports each key-up.
func (c *child) key() {
	u := c.user(0)
	for {
		end := c.begin()
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		out, err := c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, core.KeyUp{User: u})
		switch {
		case err != nil:
			c.report(Report{Event: "fail", Error: err.Error()})
			time.Sleep(5 * time.Millisecond)
		case granted(out, u):
			c.report(Report{Event: "key", N: int64(time.Since(began))})
		}
		talked := err == nil && granted(out, u)
		_, err = c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, core.KeyDown{User: u})
		cancel()
		if err != nil || !talked { // it may count as lost
			again, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			_ = c.join(again, 0)
			cancel()
		}
		end()
		time.Sleep(5 * time.Millisecond)
	}
}

func granted(out core.Output, u core.UserID) bool {
	for _, e := range out.Events {
		if f, is := e.Fact.(core.FloorTaken); is && f.User == u {
			return true
		}
	}
	return false
}

// write makes durable changes without end, and reports each that was acknowledged: a patch
// is made, with a number that no other has, and removed.
func (c *child) write() {
	by := core.Actor{Surface: core.BySystem}
	ends := []core.Frequency{c.channel(13), c.channel(14)}
	for {
		end := c.begin()
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		out, err := c.radio.Do(ctx, by, core.CreatePatch{Frequencies: ends})
		if err != nil {
			c.report(Report{Event: "refused", Error: err.Error()})
		}
		if err == nil {
			for _, e := range out.Events {
				if f, is := e.Fact.(core.PatchCreated); is {
					c.report(Report{Event: "ack", N: int64(f.Patch.Number)})
				}
			}
		}
		var mine []string
		_ = c.radio.Engine.View(ctx, func(v core.View) {
			for _, p := range v.Snapshot().Patches {
				if p.Frequencies[0] == ends[0] {
					mine = append(mine, core.PatchID(p.Number))
				}
			}
		})
		for _, id := range mine {
			_, _ = c.radio.Do(ctx, by, core.RemovePatch{ID: id})
		}
		cancel()
		end()
		time.Sleep(5 * time.Millisecond)
	}
}

// talk says something to all nodes every 20 ms.
func (c *child) talk(every time.Duration) {
	if every == 0 {
		return
	}
	frame := make([]byte, 120)
	for range time.Tick(every) {
		if !c.resting.Load() {
			_ = c.node.Mesh.Voice.Publish("trial.voice."+c.job.Node.Name, frame)
		}
	}
}

// hear is on NATS's goroutine.
func (c *child) hear(m *nats.Msg) {
	now := time.Now()
	from := m.Subject[len("trial.voice."):]
	c.voice.mu.Lock()
	defer c.voice.mu.Unlock()
	g := c.voice.gaps[from]
	if last := c.voice.last[from]; g.Frames > 0 {
		g.Longest = max(g.Longest, now.Sub(last))
	}
	g.Frames++
	if sent := m.Header.Get(sentHeader); sent != "" && len(g.Late) < mostLate {
		var at int64
		if _, err := fmt.Sscan(sent, &at); err == nil {
			g.Late = append(g.Late, now.UnixNano()-at)
		}
	}
	c.voice.last[from], c.voice.gaps[from] = now, g
}

const (
	sentHeader = "Sent"
	mostLate   = 200_000
)

// takeGaps is what was heard since the last time.
func (c *child) takeGaps() map[string]Gap {
	c.voice.mu.Lock()
	defer c.voice.mu.Unlock()
	gaps := c.voice.gaps
	c.voice.gaps = map[string]Gap{}
	return gaps
}

// talkersTime is how long many talk.
const talkersTime = 5 * time.Second

// talkers are many who talk, with the time in each frame.
func (c *child) talkers(n int) {
	frame := make([]byte, 120)
	var wait sync.WaitGroup
	defer wait.Wait()
	end := time.Now().Add(talkersTime)
	for i := range n {
		wait.Go(func() {
			time.Sleep(time.Duration(i) * 20 * time.Millisecond / time.Duration(n))
			every := time.NewTicker(20 * time.Millisecond)
			defer every.Stop()
			for now := range every.C {
				if now.After(end) {
					return
				}
				m := nats.NewMsg(fmt.Sprint("trial.voice.", c.job.Node.Name, "-", i))
				m.Data = frame
				m.Header.Set(sentHeader, fmt.Sprint(time.Now().UnixNano()))
				_ = c.node.Mesh.Voice.PublishMsg(m)
			}
		})
	}
}

// keys measures key-ups, one after the other.
func (c *child) keys(ctx context.Context, n int) (times []int64, err error) {
	u := c.user(1)
	for range n {
		began := time.Now()
		if _, err := c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, core.KeyUp{User: u}); err != nil {
			return times, err
		}
		times = append(times, int64(time.Since(began)))
		if _, err := c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, core.KeyDown{User: u}); err != nil {
			return times, err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return times, nil
}

// flood counts the commands of many callers in one second.
func (c *child) flood(ctx context.Context, callers int) (int64, error) {
	var done atomic.Int64
	var wait sync.WaitGroup
	errs := make(chan error, callers)
	for n := range callers {
		u := c.user(n % max(c.job.Users, 1))
		wait.Go(func() {
			for end := time.Now().Add(time.Second); time.Now().Before(end); {
				if _, err := c.radio.Do(ctx, core.Actor{User: u, Surface: core.BySocket}, core.Heard{User: u}); err != nil {
					errs <- err
					return
				}
				done.Add(1)
			}
		})
	}
	wait.Wait()
	select {
	case err := <-errs:
		return done.Load(), err
	default:
		return done.Load(), nil
	}
}
