//go:build !race

package sfu

import (
	"testing"

	"squelch/core"
)

type deaf struct{ n int }

func (d *deaf) Send(m *Message) { d.n++ }

// The race detector allocates itself, so this test runs only without it.
func TestForwardingAllocatesNothing(t *testing.T) {
	r := onAir(t, Options{Heard: func(core.UserID, core.Frequency) {}})
	var sinks [200]deaf
	for i := range sinks {
		id := -core.UserID(i + 1)
		r.tune(id, patrol)
		r.sfu.Attach(id, &sinks[i])
	}
	r.do(core.SetLoopback{User: -1, Enabled: true})
	r.key(-1, patrol)
	f := &Frame{Talker: -1, Keyed: patrol, Text: "b25l"}
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() { r.sfu.Publish(f) }); n != 0 {
		t.Errorf("%v allocations per frame for %d listeners", n, len(sinks)-1)
	}
	for i := range sinks {
		if sinks[i].n != frames+1 {
			t.Fatalf("listener %d was reached %d times by %d frames", i, sinks[i].n, frames+1)
		}
	}
	r.release(-1)
	r.do(core.SetLoopback{User: -1})
	if n := testing.AllocsPerRun(frames, func() { r.sfu.Publish(f) }); n != 0 {
		t.Errorf("%v allocations per frame that nobody may hear", n)
	}
}

// TestForwardingWeakSignalsAllocatesNothing: 200 players hear one of them in six
// strengths, each in one run.
func TestForwardingWeakSignalsAllocatesNothing(t *testing.T) {
	r := onAir(t, Options{Heard: func(core.UserID, core.Frequency) {}})
	cfg := *r.state.View().Config()
	cfg.Signal = &core.Signal{Range: 1000}
	r.do(core.ReplaceConfig{Config: cfg})
	var sinks [200]deaf
	for i := range sinks {
		id := core.UserID(i + 1)
		r.tune(id, patrol)
		r.do(core.SetPositions{Positions: []core.PlayerPosition{{User: id, At: core.Position{X: float64(6 * i)}}}})
		r.sfu.Attach(id, &sinks[i])
	}
	r.key(1, patrol)
	if runs := len(r.sfu.plan.Load().talks[1].rows[0].runs); runs != 6 {
		t.Errorf("%d runs for 6 strengths", runs)
	}
	f := &Frame{Talker: 1, Text: "b25l"}
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() { r.sfu.Publish(f) }); n != 0 {
		t.Errorf("%v allocations per frame for %d listeners", n, len(sinks)-1)
	}
	for i := range sinks[1:] {
		if sinks[i+1].n != frames+1 {
			t.Fatalf("listener %d was reached %d times by %d frames", i+2, sinks[i+1].n, frames+1)
		}
	}
}

func BenchmarkForwardTo200(b *testing.B) {
	r := onAir(b, Options{Heard: func(core.UserID, core.Frequency) {}})
	var sinks [201]deaf
	for i := range sinks {
		id := -core.UserID(i + 1)
		r.tune(id, patrol)
		r.sfu.Attach(id, &sinks[i])
	}
	r.key(-1, patrol)
	f := &Frame{Talker: -1, Keyed: patrol, Text: "b25l"}
	b.ReportAllocs()
	for b.Loop() {
		r.sfu.Publish(f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200, "ns/leg")
}
