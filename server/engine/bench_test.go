package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// house is a radio with 500 units, ten on each of 50 channels.
func house(b *testing.B) *core.State {
	c := core.DefaultConfig()
	z := core.Zone{Name: "All"}
	for i := range 50 {
		z.Channels = append(z.Channels, core.Channel{Name: "Channel", Type: core.Conventional, Frequency: core.Frequency(100_000_000 + i*12_500)})
	}
	c.Zones, c.TalkLease = []core.Zone{z}, 60_000
	s, err := core.New(c)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		id := core.UserID(1 + i)
		for _, cmd := range []core.Command{core.Connect{Want: id}, core.JoinAsSpeaker{User: id, Frequency: z.Channels[i%50].Frequency}} {
			if _, err := s.Step(time.Now(), core.Actor{User: id}, cmd); err != nil {
				b.Fatal(err)
			}
		}
	}
	return s
}

// clients encodes messages as the sockets do, and replies wait for it.
func clients() Follower {
	return &Queue[[]byte]{Name: "clients", Most: 4096, Batch: 1, Replies: true,
		Prepare: func(s *Step) (all []byte, some bool) {
			for _, e := range s.Output.Events {
				for _, m := range wire.Encode(e, s.View) {
					b, _ := json.Marshal(m.Payload)
					all = append(all, b...)
				}
			}
			return all, all != nil
		},
		Deliver: func(context.Context, [][]byte) error { return nil }}
}

func onAir(b *testing.B, followers ...Follower) *Engine {
	e := Start(house(b), NewAlone(time.Now, nil), Options{Routes: func(*core.RouteTable) {}, Followers: append(followers, clients())})
	b.Cleanup(e.Close)
	return e
}

// pace is the pause before a key-up beside a follower. Without it the follower's own
// orders fill the log, and the key-up queues behind them as behind anybody's.
const pace = 200 * time.Microsecond

// keyUp measures a key-up, and releases again.
func keyUp(b *testing.B, e *Engine) time.Duration {
	by := core.Actor{User: 480, Surface: core.BySocket}
	began := time.Now()
	out, err := e.Do(context.Background(), by, core.KeyUp{User: 480})
	took := time.Since(began)
	if err != nil || out.Routes == nil {
		b.Fatal("no floor", err)
	}
	if _, err = e.Do(context.Background(), by, core.KeyDown{User: 480}); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkKeyUp is a key-up and its release, each with its reply.
func BenchmarkKeyUp(b *testing.B) {
	e := onAir(b)
	var all []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		all = append(all, keyUp(b, e))
	}
	b.ReportMetric(quantile(all, .5), "µs-p50")
	b.ReportMetric(quantile(all, .99), "µs-p99")
}

// BenchmarkKeyUpBeside compares key-ups beside a faulty follower with key-ups on a
// radio without it, in turns, about 800 a second; ratio is p99 over p99. It varies by
// some hundredths from run to run; -benchtime 10000x or more is steady.
func BenchmarkKeyUpBeside(b *testing.B) {
	var e *Engine
	follower := func(deliver func(ctx context.Context) error) Follower {
		return &Queue[uint64]{Name: "no good", Most: 100, Batch: 1,
			Prepare: func(s *Step) (uint64, bool) { _, is := s.Order.Command.(core.KeyUp); return s.Seq, is },
			Deliver: func(ctx context.Context, _ []uint64) error { return deliver(ctx) }}
	}
	for _, c := range []struct {
		name     string
		follower Follower
	}{
		{"nobody", follower(func(context.Context) error { return nil })},
		{"sleeper", follower(func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil })},
		{"failing", follower(func(context.Context) error { return errors.New("it fails") })},
		{"asking", follower(func(ctx context.Context) error {
			if err := e.View(ctx, func(core.View) {}); err != nil {
				return err
			}
			_, err := e.Do(ctx, core.Actor{User: 7}, core.KeyDown{User: 7})
			return err
		})},
	} {
		b.Run(c.name, func(b *testing.B) {
			without := onAir(b)
			e = onAir(b, c.follower)
			var good, bad []time.Duration
			paced := func(e *Engine) time.Duration {
				time.Sleep(pace)
				return keyUp(b, e)
			}
			for n := 0; b.Loop(); n++ {
				if n%2 == 0 { // they take turns in going first
					good, bad = append(good, paced(without)), append(bad, paced(e))
				} else {
					bad, good = append(bad, paced(e)), append(good, paced(without))
				}
			}
			b.ReportMetric(quantile(good, .5), "µs-p50-without")
			b.ReportMetric(quantile(bad, .5), "µs-p50-with")
			b.ReportMetric(quantile(good, .99), "µs-p99-without")
			b.ReportMetric(quantile(bad, .99), "µs-p99-with")
			b.ReportMetric(quantile(bad, .99)/quantile(good, .99), "ratio")
		})
	}
}

func quantile(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	return float64(all[int(q*float64(len(all)-1))]) / float64(time.Microsecond)
}
