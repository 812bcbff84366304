//go:build !race

package sfu

import (
	"testing"

	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/line"
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

type deafTape struct{ n, bytes int }

func (d *deafTape) Begin(core.Row) Tape { return d }
func (d *deafTape) Take(p Piece)        { d.n, d.bytes = d.n+1, d.bytes+len(p.Payload) }
func (d *deafTape) End()                {}

// TestTapingAllocatesNothing: packets of WebRTC that nobody hears are taken by a tape.
func TestTapingAllocatesNothing(t *testing.T) {
	tape := &deafTape{}
	r := onAir(t, Options{Recorder: tape, Heard: func(core.UserID, core.Frequency) {}})
	r.tune(-1, patrol)
	r.sfu.Attach(-1, &deaf{})
	r.key(-1, patrol)
	f := &Frame{}
	n := 0
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() {
		n++
		f.Reset()
		f.Talker, f.Payload, f.timestamp, f.timed, f.sequence, f.counted = -1, opusFrame, uint32(n)*frameSamples, true, uint16(n), true
		r.sfu.Publish(f)
	}); n > 0.01 { // the reports of voice
		t.Errorf("%v allocations per frame on tape", n)
	}
	if tape.n != frames+1 || tape.bytes != tape.n*len(opusFrame) {
		t.Errorf("%d frames are %d pieces of %d bytes", frames+1, tape.n, tape.bytes)
	}
}

var opusFrame = append([]byte{31 << 3}, make([]byte, 79)...)

// countingLine counts what is written to it.
type countingLine struct {
	line.Line
	packets, bytes int
}

func (l *countingLine) WriteRTP(_ line.Batch, _ int, _ *rtp.Header, payload []byte) error {
	l.packets++
	l.bytes += len(payload)
	return nil
}

// TestRepeatingFramesAllocatesNothing: 200 slots, most of which lose packets, so that each
// packet is made in four lengths, once each.
func TestRepeatingFramesAllocatesNothing(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	s.ports.Store(&Ports{engine: noEngine{}})
	b := &burst{counts: &channelCounts{}}
	slots := run{leg: core.Leg{Frequency: patrol}, reach: toPeers}
	var lines [200]countingLine
	for i := range lines {
		x := newSlot(&peer{s: s, line: &lines[i]}, 0, "1", 111, 63)
		x.generations.Store(int32(i % 4))
		u := &use{slot: x, talker: -1, burst: b}
		x.use.Store(u)
		slots.sinks = append(slots.sinks, u)
	}
	r := row{keyed: patrol, talker: &talker{}, burst: b, runs: []run{slots}, peers: true}
	s.plan.Store(&plan{talks: map[core.UserID]*talk{-1: {rows: []row{r}}}})
	f := &Frame{}
	n := 0
	payload := opusFrame
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() {
		n++
		f.Reset()
		f.Talker, f.Payload, f.timestamp, f.timed, f.sequence, f.counted = -1, payload, uint32(n)*frameSamples, true, uint16(n), true
		s.Publish(f)
	}); n > 0.01 { // the reports of voice
		t.Errorf("%v allocations per frame for %d slots", n, len(lines))
	}
	for i := range lines {
		times := i%4 + 1
		if got := lines[i].bytes / lines[i].packets; lines[i].packets != frames+1 || times > 1 && got < times*len(payload)-10 {
			t.Fatalf("a slot that repeats %d frames got %d packets of %d bytes", times-1, lines[i].packets, got)
		}
	}
}

type noEngine struct{ line.Engine }

func (noEngine) Batch() line.Batch { return noBatch{} }
func (noEngine) Close()            {}

type noBatch struct{}

func (noBatch) Flush() {}

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
