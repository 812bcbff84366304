//go:build !race

package sfu

import (
	"fmt"
	"testing"

	"squelch/core"
)

// nowhere is a cascade that sends nothing.
type nowhere struct{ n, bytes int }

func (w *nowhere) Away(c Crossing) { w.n, w.bytes = w.n+1, w.bytes+len(c.Payload)+len(c.Text) }
func (w *nowhere) Attached()       {}

// TestCrossingAllocatesNothing: a frame for 199 listeners, half of them elsewhere, crosses once.
func TestCrossingAllocatesNothing(t *testing.T) {
	r := onAir(t, Options{Heard: func(core.UserID, core.Frequency) {}})
	w := &nowhere{}
	r.sfu.SetCascade(w)
	var sinks [200]deaf
	for i := range sinks {
		id := -core.UserID(i + 1)
		r.tune(id, patrol)
		if i%2 == 0 {
			r.sfu.Attach(id, &sinks[i])
		}
	}
	r.key(-1, patrol)
	f := &Frame{Talker: -1, Keyed: patrol, Text: "b25l"}
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() { r.sfu.Publish(f) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if w.n != frames+1 || sinks[2].n != frames+1 {
		t.Errorf("%d frames crossed %d times, and were heard %d times", frames+1, w.n, sinks[2].n)
	}
}

// TestTakingFromANodeAllocatesNothing: for 200 listeners.
func TestTakingFromANodeAllocatesNothing(t *testing.T) {
	s, sinks, c := fromNode(t, 200)
	n := 0
	const frames = 1000
	if n := testing.AllocsPerRun(frames, func() { n++; takeNext(s, &c, n) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if st := s.Far(); st.Taken != frames+1 || sinks[7].n != frames+1 {
		t.Errorf("%+v, heard %d times", st, sinks[7].n)
	}
}

// fromNode is an SFU with listeners of a talker who is elsewhere.
func fromNode(t testing.TB, listeners int) (*SFU, []deaf, Crossing) {
	r := onAir(t, Options{Heard: func(core.UserID, core.Frequency) {}})
	r.sfu.SetCascade(&nowhere{})
	now := int64(1)
	r.sfu.time = func() int64 { now += int64(farSpacing); return now }
	r.tune(-1, patrol)
	sinks := make([]deaf, listeners)
	for i := range sinks {
		id := -core.UserID(i + 2)
		r.tune(id, patrol)
		r.sfu.Attach(id, &sinks[i])
	}
	r.key(-1, patrol)
	return r.sfu, sinks, Crossing{Node: 1, Talker: -1, Keyed: patrol, Talk: int(r.sfu.newestTalk.Load()), Payload: onePacket, Comes: true, Turn: true, Timed: true, Counted: true, Epoch: 1}
}

func takeNext(s *SFU, c *Crossing, n int) {
	c.Sequence, c.Timestamp = uint16(n), uint32(n)*frameSamples
	s.FromNode(*c)
}

// BenchmarkFromNode is what a frame from another node costs the media plane, beyond the sinks.
func BenchmarkFromNode(b *testing.B) {
	for _, listeners := range []int{1, 200} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			s, _, c := fromNode(b, listeners)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				takeNext(s, &c, n)
			}
		})
	}
}

// BenchmarkCrossing holds a radio on one node against one whose talker has one listener
// elsewhere, and one that could have: ten listeners here.
func BenchmarkCrossing(b *testing.B) {
	for _, name := range []string{"alone", "nobody away", "away"} {
		b.Run(name, func(b *testing.B) {
			r := onAir(b, Options{Heard: func(core.UserID, core.Frequency) {}})
			if name != "alone" {
				r.sfu.SetCascade(&nowhere{})
			}
			var sinks [11]deaf
			for i := range sinks {
				id := -core.UserID(i + 1)
				r.tune(id, patrol)
				r.sfu.Attach(id, &sinks[i])
			}
			if name == "away" {
				r.tune(-99, patrol)
			}
			r.key(-1, patrol)
			f := &Frame{Talker: -1, Keyed: patrol, Text: "b25l"}
			b.ReportAllocs()
			for b.Loop() {
				r.sfu.Publish(f)
			}
		})
	}
}
