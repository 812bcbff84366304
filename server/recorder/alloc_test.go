//go:build !race

package recorder

import (
	"testing"
	"time"

	"squelch/core"
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
