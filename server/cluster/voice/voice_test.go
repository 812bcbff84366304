package voice

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"squelch/core"
	"squelch/sfu"
)

// words are frames of a legacy client that are well-formed Opus packets, each of its own.
func words(from, to int) (all []string) {
	for n := from; n < to; n++ {
		p := append([]byte{31 << 3}, fmt.Sprintf("word %06d of the talk", n)...)
		all = append(all, base64.StdEncoding.EncodeToString(p))
	}
	return all
}

// TestATalkIsHeardOnAllNodes: a talker on one node, listeners on all, each by another path, and
// each hears every frame once, byte for byte.
func TestATalkIsHeardOnAllNodes(t *testing.T) {
	nodes := start(t, 3)
	a, b, c := nodes[0], nodes[1], nodes[2]
	a.user(-1, patrol)
	here, tuned, scanning, patched, other := a.user(-2, patrol), b.user(-3, patrol), c.user(-4, tac), c.user(-5, fire), b.user(-6, tac)
	c.do(core.StartScan{User: -4, Frequency: patrol}, core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	say := words(0, 50)
	say[7] = "bm90IHBhZGRlZA" // without its padding, and so relayed as it is
	say[8] = "not base64 at all"
	a.say(-1, patrol, say...)
	for name, e := range map[string]struct {
		*ear
		heard
	}{
		"here":     {here, heard{-1, patrol, 0, core.AsSpeaker, false, ""}},
		"tuned":    {tuned, heard{-1, patrol, 0, core.AsSpeaker, false, ""}},
		"scanning": {scanning, heard{-1, patrol, 0, core.AsListener, false, ""}},
		"patched":  {patched, heard{-1, fire, 1, core.AsSpeaker, false, ""}},
	} {
		until(t, name+" hears all", func() bool { return len(e.ear.heard()) >= len(say) })
		if !slices.Equal(e.texts(), say) {
			t.Errorf("%s heard %q", name, e.texts())
		}
		for _, h := range e.ear.heard() {
			if h.text = ""; h != e.heard {
				t.Fatalf("%s heard %+v, want %+v", name, h, e.heard)
			}
		}
	}
	if n := len(other.heard()); n != 0 {
		t.Errorf("somebody on another channel heard %d frames", n)
	}
	for _, n := range nodes {
		st := n.voice.Stats()
		want := map[string][2]uint64{"n0": {50, 0}, "n1": {0, 50}, "n2": {0, 50}}[n.name]
		if st.Sent != want[0] || st.Received != want[1] || st.Far.Taken != want[1] || st.Own != 0 {
			t.Errorf("%s: %+v", n.name, st)
		}
		n.mu.Lock()
		if len(n.heard) > 0 && n != a {
			t.Errorf("%s renewed the lease of a talker who is elsewhere", n.name)
		}
		n.mu.Unlock()
	}
}

// TestVoiceMayOvertakeItsOrder: frames come to a node before it knows of the key-up, wait, and
// are heard from the first syllable. When the order does not come in time they are dropped, and
// so is what is said when the talk is over.
func TestVoiceMayOvertakeItsOrder(t *testing.T) {
	nodes := start(t, 2)
	a, b := nodes[0], nodes[1]
	a.user(-1, patrol)
	e := b.user(-2, patrol)
	settled(t, nodes...)
	before := sfu.FarStats{}
	for { // until this machine does not stand still for 200 ms in the midst of it
		b.source.late(true)
		received := b.voice.Stats().Received
		a.do(core.KeyUp{User: -1, Frequency: patrol})
		a.say(-1, patrol, words(0, 3)...)
		until(t, "the frames are there", func() bool { return b.voice.Stats().Received == received+3 })
		if n := len(e.heard()); n != 0 {
			t.Fatalf("%d frames were heard without a floor", n)
		}
		b.source.late(false)
		until(t, "the frames are heard, or were too old", func() bool {
			st := b.voice.Stats().Far
			return st.Taken+st.Early-before.Taken-before.Early == 3
		})
		if len(e.heard()) == 3 {
			break
		}
		before = b.voice.Stats().Far
		e.forget()
		a.do(core.KeyDown{User: -1})
		settled(t, nodes...)
	}
	a.say(-1, patrol, words(3, 5)...)
	until(t, "the talk goes on", func() bool { return len(e.heard()) == 5 })
	if got := e.texts(); !slices.Equal(got, words(0, 5)) {
		t.Errorf("heard %q", got)
	}
	if st := b.voice.Stats().Far; st.Held-before.Held != 3 || st.Taken-before.Taken != 5 {
		t.Errorf("%+v, before %+v", st, before)
	}
	before = b.voice.Stats().Far

	// a is late now, so it still sends what b knows to be over.
	a.source.late(true)
	b.do(core.KeyDown{User: -1})
	a.say(-1, patrol, words(5, 8)...)
	until(t, "they are dropped", func() bool { return b.voice.Stats().Far.Ended == 3 })
	a.source.late(false)
	settled(t, nodes...)

	b.source.late(true)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	a.say(-1, patrol, words(8, 30)...)
	until(t, "those that waited too long are dropped", func() bool { return b.voice.Stats().Far.Early-before.Early == 22 })
	b.source.late(false)
	settled(t, nodes...)
	if n := len(e.heard()); n != 5 {
		t.Errorf("%d frames were heard", n)
	}
}
