//go:build !race

package recorder

import (
	"bytes"
	"context"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/ogg"
	"squelch/server/recordings"
	"squelch/sfu"
)

// The race detector allocates itself, so this test runs only without it.
func TestTakingAPieceAllocatesNothing(t *testing.T) {
	r := benchRecorder(t)
	tape := r.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()})
	p := sfu.Piece{Payload: make([]byte, 80)}
	if n := testing.AllocsPerRun(20_000, func() { p.Time += 960; tape.Take(p) }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
	tape.End()
}

func BenchmarkTake(b *testing.B) {
	r := benchRecorder(b)
	tape := r.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()})
	p := sfu.Piece{Payload: make([]byte, 80)}
	b.ReportAllocs()
	for b.Loop() {
		tape.Take(p)
	}
}

// benchRecorder records patrol.
func benchRecorder(t testing.TB) *Recorder {
	shelf, err := recordings.Open(t.TempDir(), recordings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := Start(Options{Shelf: shelf, Recorded: func(*core.Config) map[core.Frequency]bool { return map[core.Frequency]bool{patrol: true} }}, nil)
	t.Cleanup(func() { r.Close(); _ = shelf.Close() })
	return r
}

// BenchmarkWriting is what a packet of one of 24 talkers costs from Take to the disk.
func BenchmarkWriting(b *testing.B) {
	r := benchRecorder(b)
	r.Close() // the benchmark is the writer
	var tapes []sfu.Tape
	for n := range 24 {
		tapes = append(tapes, r.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: n + 1, Since: time.Now().UnixMilli()}))
	}
	payload := append([]byte{31 << 3}, make([]byte, 79)...)
	frames := int(writeEvery / (20 * time.Millisecond))
	at := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		for range frames {
			at += 960
			for _, t := range tapes {
				t.Take(sfu.Piece{Payload: payload, Time: at, At: int64(at) * 20833})
			}
		}
		r.writeAll(time.Now(), false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(frames*len(tapes)), "ns/packet")
}

// BenchmarkWaveform is what a packet of a recording costs to draw.
func BenchmarkWaveform(b *testing.B) {
	var file bytes.Buffer
	w, err := ogg.NewWriter(&file, 1, ogg.Head{Channels: 1}, ogg.Tags{})
	if err != nil {
		b.Fatal(err)
	}
	const packets = 500
	for _, p := range tone(b, packets, 8000) {
		if err := w.WritePacket(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := waveform(b.Context(), bytes.NewReader(file.Bytes()), packets*20, func(context.Context, time.Duration) {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*packets), "ns/packet")
}
