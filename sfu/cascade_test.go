package sfu

import (
	"bytes"
	"encoding/base64"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
)

// wire carries frames from one SFU to others, at once.
type wire struct {
	node uint64
	mu   sync.Mutex
	to   []*SFU
	cut  bool
	n    int // frames
	last Crossing

	moved atomic.Int32
}

func (w *wire) Away(c Crossing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.Node = w.node
	c.Payload = bytes.Clone(c.Payload)
	w.last = c
	w.n++
	if w.cut {
		return
	}
	for _, s := range w.to {
		s.FromNode(c)
	}
}

func (w *wire) Attached() { w.moved.Add(1) }

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// onNodes is a radio on several nodes; r.sfu is the first.
func onNodes(t testing.TB, n int, o Options) (r *radio, all []*SFU, wires []*wire) {
	t.Helper()
	r = onAir(t, o)
	all = []*SFU{r.sfu}
	for range n - 1 {
		var s *SFU
		s = New(Options{Recorder: o.Recorder, Heard: func(talker core.UserID, _ core.Frequency) {
			if here := s.Attached(); len(here) > 0 && !slices.Contains(here, talker) { // nobody is there after the end
				t.Errorf("a node renews the lease of %d, who is elsewhere", talker)
			}
		}})
		t.Cleanup(s.Close)
		all = append(all, s)
	}
	r.nodes = all[1:]
	for i, s := range all {
		w := &wire{node: uint64(i + 1)}
		for _, to := range all {
			if to != s {
				w.to = append(w.to, to)
			}
		}
		wires = append(wires, w)
		s.SetCascade(w)
	}
	return r, all, wires
}

// onePacket is a well-formed Opus packet.
var onePacket = append([]byte{31 << 3}, make([]byte, 79)...)

func on(s *SFU, user core.UserID) *ear {
	e := &ear{}
	s.Attach(user, e)
	return e
}

func TestAFrameCrossesOnceForEachRow(t *testing.T) {
	r, all, wires := onNodes(t, 3, Options{})
	for id := core.UserID(-1); id >= -20; id-- {
		r.tune(id, patrol)
	}
	on(all[0], -1)
	here := on(all[0], -2)
	var there []*ear
	for id := core.UserID(-3); id >= -20; id-- {
		there = append(there, on(all[1+int(-id)%2], id))
	}
	if n := wires[1].moved.Load(); n != 9 {
		t.Errorf("node 2 was told %d times that somebody was attached", n)
	}
	r.key(-1, patrol)
	for range 10 {
		r.say(-1, patrol, "b25l")
	}
	if n := wires[0].count(); n != 10 {
		t.Errorf("10 frames crossed %d times", n)
	}
	for _, e := range append(there, here) {
		if n := e.count(); n != 10 {
			t.Errorf("somebody heard %d frames of 10", n)
		}
	}
	if wires[1].count()+wires[2].count() != 0 {
		t.Error("a frame went on to another node")
	}
	if st := all[1].Stats(); len(st.Channels) != 1 || st.Channels[0].Packets != 10 || st.Strangers != 0 {
		t.Errorf("counted there: %+v", st)
	}
	if in := all[2].Totals().In; in != 10 {
		t.Errorf("%d frames in all", in)
	}
	r.release(-1)
	if in := all[2].Totals().In; in != 10 {
		t.Errorf("%d frames in all after the talk", in)
	}

	// Where nobody is away nothing crosses, unless somebody records.
	r.tune(-21, fire)
	r.tune(-22, fire)
	on(all[0], -21)
	on(all[0], -22)
	r.key(-21, fire)
	r.say(-21, fire, "b25l")
	if n := wires[0].count(); n != 10 {
		t.Errorf("a frame crossed that nobody hears there")
	}
	all[0].CarryAll(true)
	r.say(-21, fire, "b25l")
	all[0].CarryAll(false)
	r.say(-21, fire, "b25l")
	all[0].SetCascade(nil)
	all[0].CarryAll(true)
	r.say(-21, fire, "b25l")
	if n := wires[0].count(); n != 11 {
		t.Errorf("%d frames crossed, not 11", n)
	}
}

// TestTheSelfTestStaysHere: its row has no other listener.
func TestTheSelfTestStaysHere(t *testing.T) {
	r, all, wires := onNodes(t, 2, Options{})
	r.tune(-1, patrol)
	e := on(all[0], -1)
	all[0].CarryAll(true)
	r.do(core.SetLoopback{User: -1, Enabled: true})
	r.say(-1, patrol, "b25l")
	if e.count() != 1 || wires[0].count() != 0 {
		t.Errorf("heard %d times, crossed %d times", e.count(), wires[0].count())
	}
}

// TestATalkerMovesToAnotherNode: while it is attached to two, and when its client has gone on at
// the other, each frame is heard once, and its new stream follows the old one.
func TestATalkerMovesToAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, all, _ := onNodes(t, 3, Options{})
		r.tune(-1, patrol)
		r.tune(-2, patrol)
		r.tune(-3, patrol)
		old := on(all[0], -1)
		second, third := on(all[1], -2), on(all[2], -3)
		r.key(-1, patrol)
		say := func(s *SFU, n uint16, epoch uint32, text string) {
			s.Publish(&Frame{Talker: -1, Keyed: patrol, Payload: []byte(text), timed: true, counted: true, sequence: n, epoch: epoch, timestamp: uint32(n) * frameSamples})
		}
		opus := func(n byte) string { return string([]byte{31 << 3, n}) }
		say(all[0], 1, 1, opus(1))
		on(all[1], -1)
		say(all[0], 2, 1, opus(2)) // by its old connection: there, and not here
		if second.count() != 1 || third.count() != 2 {
			t.Errorf("heard %d and %d times", second.count(), third.count())
		}
		if got := all[1].Far().Attached; got != 1 {
			t.Errorf("%d frames of a talker who has moved were dropped", got)
		}
		say(all[1], 9000, 1, opus(3)) // by its new one, in the same moment
		if second.count() != 2 || third.count() != 2 || all[2].Far().Other != 1 {
			t.Errorf("heard %d and %d times, %+v", second.count(), third.count(), all[2].Far())
		}
		r.sfu.Detach(-1, old)
		time.Sleep(nodeQuiet)
		say(all[1], 9001, 1, opus(4))
		if third.count() != 3 {
			t.Errorf("heard %d times", third.count())
		}
		if x := all[2].plan.Load().far[farID{-1, patrol}].rows[0].far; x.epoch&farEpochs == 0 || x.frame.lost != 0 {
			t.Errorf("epoch %x, %d lost", x.epoch, x.frame.lost)
		}
		for _, s := range all {
			s.Close()
		}
	})
}

// TestWhatIsLostBetweenNodesIsConcealed: as what a talker's own line loses.
func TestWhatIsLostBetweenNodesIsConcealed(t *testing.T) {
	r, all, wires := onNodes(t, 2, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	on(all[0], -1)
	e := on(all[1], -2)
	r.key(-1, patrol)
	for n := range uint16(10) {
		wires[0].mu.Lock()
		wires[0].cut = n == 4 || n == 5
		wires[0].mu.Unlock()
		f := &Frame{Talker: -1, Keyed: patrol, Payload: onePacket, timed: true, counted: true, sequence: 65530 + n, epoch: 1, timestamp: uint32(n) * frameSamples}
		if n == 8 {
			f.lost = 1 // on the talker's line
			f.sequence++
		} else if n == 9 {
			f.sequence++
		}
		r.sfu.Publish(f)
	}
	whole, made := 0, 0
	for _, h := range e.all() {
		if b, _ := base64.StdEncoding.DecodeString(h.text); bytes.Equal(b, onePacket) {
			whole++
		} else {
			made++
		}
	}
	if whole != 8 || made != 3 {
		t.Errorf("%d frames were heard and %d concealed", whole, made)
	}
	if st := all[1].Stats(); st.Channels[0].Lost != 3 {
		t.Errorf("%+v", st.Channels)
	}
}

// TestADigitalChannelOnAnotherNode: listeners there hear the same bytes as those beside the
// talker, also when it keys two channels at once.
func TestADigitalChannelOnAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, all, _ := onNodes(t, 2, Options{})
		var p25, plain [2]*heardFrames
		r.tune(-1, digital1)
		on(all[0], -1)
		for i, s := range all {
			p25[i], plain[i] = &heardFrames{}, &heardFrames{}
			for id, sink := range map[core.UserID]Sink{core.UserID(-10 - i): p25[i], core.UserID(-20 - i): plain[i]} {
				r.tune(id, digital1)
				s.Attach(id, sink)
			}
			s.AcceptIMBE(core.UserID(-10-i), true)
		}
		r.tune(-5, fire)
		other := on(all[1], -5)
		r.key(-1, digital1)
		r.key(-1, fire)
		packets := opusSpeech(t)[:50]
		for _, p := range packets {
			r.say(-1, 0, base64.StdEncoding.EncodeToString(p))
			time.Sleep(20 * time.Millisecond)
		}
		for name, got := range map[string][2]*heardFrames{"P25": p25, "plain": plain} {
			if len(got[0].frames) != len(packets) || !slices.EqualFunc(got[0].frames, got[1].frames, bytes.Equal) || !slices.Equal(got[0].encodings, got[1].encodings) {
				t.Errorf("%s: %d frames here, %d there, or others", name, len(got[0].frames), len(got[1].frames))
			}
		}
		if p25[1].encodings[0] != IMBE || plain[1].encodings[0] != Opus || bytes.Equal(plain[1].frames[9], packets[9]) {
			t.Error("the voice did not go through the vocoder")
		}
		if other.count() != len(packets) || other.all()[3].text != base64.StdEncoding.EncodeToString(packets[3]) {
			t.Errorf("on the analog channel %d frames were heard", other.count())
		}
		if n := all[1].Totals().Encoded; n != uint64(len(packets)) {
			t.Errorf("%d packets were encoded %d times", len(packets), n)
		}
		for _, s := range all {
			s.Close()
		}
	})
}

// TestATalkOnAnotherNodeIsRecordedHere: by the node that keeps recordings.
func TestATalkOnAnotherNodeIsRecordedHere(t *testing.T) {
	tape := &deafPieces{}
	r, all, _ := onNodes(t, 2, Options{})
	recorder := New(Options{Recorder: tape})
	t.Cleanup(recorder.Close)
	r.nodes = append(r.nodes, recorder)
	w := &wire{node: 1, to: []*SFU{recorder}}
	all[0].SetCascade(w)
	all[0].CarryAll(true)
	recorder.SetCascade(&wire{node: 3})
	r.tune(-1, patrol)
	on(all[0], -1)
	r.key(-1, patrol)
	for n := range uint16(20) {
		r.sfu.Publish(&Frame{Talker: -1, Keyed: patrol, Payload: onePacket, timed: true, counted: true, sequence: n, epoch: 1, timestamp: uint32(n) * frameSamples})
	}
	r.release(-1)
	if tape.begun != 1 || tape.n != 20 || tape.ended != 1 {
		t.Errorf("%+v", tape)
	}
}

type deafPieces struct{ begun, n, ended int }

func (d *deafPieces) Begin(core.Row) Tape { d.begun++; return d }
func (d *deafPieces) Take(Piece)          { d.n++ }
func (d *deafPieces) End()                { d.ended++ }

// TestAFloodFromAnotherNodeIsBounded: of talks that there are, and of those that there are not.
func TestAFloodFromAnotherNodeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, all, _ := onNodes(t, 2, Options{})
		r.tune(-1, patrol)
		r.tune(-2, patrol)
		on(all[0], -1)
		e := on(all[1], -2)
		r.key(-1, patrol)
		talk := int(all[1].newestTalk.Load())
		for n := range 10_000 {
			all[1].FromNode(Crossing{Node: 9, Talker: -1, Keyed: patrol, Talk: talk, Payload: onePacket, Comes: true, Turn: true, Timed: true, Counted: true, Sequence: uint16(n), Timestamp: uint32(n) * frameSamples})
		}
		if st := all[1].Far(); st.Taken != farBunch || st.Flooded != 10_000-farBunch || e.count() != farBunch {
			t.Errorf("heard %d, %+v", e.count(), st)
		}
		big := make([]byte, 60_000)
		for n := range 10_000 {
			all[1].FromNode(Crossing{Node: 9, Talker: core.UserID(n + 5), Keyed: patrol, Talk: talk + 1 + n, Payload: big, Comes: true, Turn: true})
		}
		a := &all[1].ahead
		a.mu.Lock()
		if a.bytes > aheadBytes || len(a.rows) > aheadRows || int(a.some.Load()) != len(a.rows) || len(a.rows) == 0 {
			t.Errorf("%d bytes of %d rows wait, counted as %d", a.bytes, len(a.rows), a.some.Load())
		}
		a.mu.Unlock()
		for n := range 10_000 {
			all[1].FromNode(Crossing{Node: 9, Talker: core.UserID(n + 5), Keyed: patrol, Talk: talk + 1 + n, Payload: onePacket, Comes: true, Turn: true})
		}
		time.Sleep(3 * aheadTime)
		a.mu.Lock()
		if a.bytes != 0 || len(a.rows) != 0 || a.some.Load() != 0 || a.sweep != nil {
			t.Errorf("%d bytes of %d rows are left, counted as %d", a.bytes, len(a.rows), a.some.Load())
		}
		a.mu.Unlock()
		if st := all[1].Far(); st.Early != 20_000 {
			t.Errorf("%+v", st)
		}
		for _, s := range all {
			s.Close()
		}
	})
}

// TestFloorsChangeWhileFramesFly: many floors over two nodes, with orders and frames racing.
// Every frame that is heard belongs to a talk that the hearing node had in its table meanwhile,
// each is heard at most once, and in order.
func TestFloorsChangeWhileFramesFly(t *testing.T) {
	const talks, frames = 100, 12
	r := onAir(t, Options{})
	b := New(Options{})
	t.Cleanup(b.Close)
	floor := &floorChecker{t: t, frames: frames, last: map[core.UserID]int{}, began: map[core.UserID]int{}, talks: map[core.UserID][]int{}}
	floor.tables = append(floor.tables, nil)
	w := &wire{node: 1, to: []*SFU{b}}
	r.sfu.SetCascade(flight{w, floor})
	b.SetCascade(&wire{node: 2})
	for i, f := range []core.Frequency{patrol, fire, tac} {
		id := core.UserID(-1 - i)
		r.tune(id, f)
		on(r.sfu, id)
		r.tune(id-10, f)
		b.Attach(id-10, floor)
	}
	late := make(chan *core.RouteTable, 10_000)
	var done sync.WaitGroup
	done.Go(func() {
		for routes := range late {
			floor.knows(routes)
			b.SetRoutes(routes)
		}
	})
	var talking sync.WaitGroup
	for i, f := range []core.Frequency{patrol, fire, tac} {
		id := core.UserID(-1 - i)
		talking.Go(func() {
			n := 0
			do := func(c core.Command) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.now = r.now.Add(time.Millisecond)
				out, err := r.state.Step(r.now, core.Actor{Surface: core.ByLua}, c)
				if err != nil {
					t.Error(err)
				}
				if out.Routes != nil {
					r.sfu.SetRoutes(out.Routes)
					late <- out.Routes
				}
			}
			for range talks {
				for len(late) > 10 { // the other node is behind, and not out of sight
					time.Sleep(time.Millisecond)
				}
				do(core.KeyUp{User: id, Frequency: f})
				for range frames {
					n++
					r.sfu.Publish(&Frame{Talker: id, Keyed: f, Payload: []byte{31 << 3, byte(n >> 8), byte(n)}, timed: true, counted: true, sequence: uint16(n), epoch: 1, timestamp: uint32(n) * frameSamples})
					time.Sleep(100 * time.Microsecond)
				}
				do(core.KeyDown{User: id})
			}
		})
	}
	talking.Wait()
	close(late)
	done.Wait()
	st := b.Far()
	if sent := uint64(w.count()); st.Taken+st.Ended+st.Early+st.Flooded != sent || sent != 3*talks*frames {
		t.Errorf("%d frames crossed: %+v", sent, st)
	}
	if floor.n != int(st.Taken) {
		t.Errorf("%d frames were heard, %d taken", floor.n, st.Taken)
	}
	t.Logf("%d frames heard: %+v", floor.n, st)
}

// flight notes when a frame sets off.
type flight struct {
	*wire
	floor *floorChecker
}

func (f flight) Away(c Crossing) {
	f.floor.mu.Lock()
	f.floor.began[c.Talker] = len(f.floor.tables) - 1
	f.floor.mu.Unlock()
	c.Node = 1
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
	f.to[0].FromNode(c)
}

// floorChecker hears, and knows which talks its node knew when.
type floorChecker struct {
	t      *testing.T
	frames int // of each talk
	mu     sync.Mutex
	tables []map[core.UserID]int // the count of a talker's talks, if the last one goes on
	talks  map[core.UserID][]int // core.Row.Talk
	began  map[core.UserID]int   // the newest table when a talker's last frame set off
	last   map[core.UserID]int
	n      int
}

// knows notes a table before it is installed.
func (c *floorChecker) knows(routes *core.RouteTable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	table := map[core.UserID]int{}
	for _, r := range routes.All() {
		if !slices.Contains(c.talks[r.Talker], r.Talk) {
			c.talks[r.Talker] = append(c.talks[r.Talker], r.Talk)
		}
		table[r.Talker] = len(c.talks[r.Talker])
	}
	c.tables = append(c.tables, table)
}

func (c *floorChecker) Send(m *Message) {
	p := m.Bytes()
	if m.stands || len(p) < 3 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	n := int(p[1])<<8 | int(p[2])
	if n <= c.last[m.Talker] {
		c.t.Errorf("frame %d of %d came after %d", n, m.Talker, c.last[m.Talker])
	}
	c.last[m.Talker] = n
	// The table before the newest one may still be in force when a frame sets off.
	for _, table := range c.tables[max(0, c.began[m.Talker]-1):] {
		if table[m.Talker] == (n-1)/c.frames+1 {
			return
		}
	}
	c.t.Errorf("frame %d of %d was heard without a floor", n, m.Talker)
}

// TestANodeWithoutRoutesIsSilent: one that no longer knows what the others decide is given an
// empty table. It is with the others again afterwards, in the same talk.
func TestANodeWithoutRoutesIsSilent(t *testing.T) {
	r, all, _ := onNodes(t, 2, Options{})
	for id := core.UserID(-1); id >= -3; id-- {
		r.tune(id, patrol)
	}
	on(all[0], -1)
	here, there := on(all[0], -2), on(all[1], -3)
	r.key(-1, patrol)
	r.say(-1, patrol, "b25l")
	all[1].SetRoutes(&core.RouteTable{})
	r.say(-1, patrol, "dHdv")
	all[1].SetRoutes(r.state.Routes())
	r.say(-1, patrol, "dGhyZWU=")
	if got := there.all(); len(got) != 2 || got[1].text != "dGhyZWU=" || here.count() != 3 {
		t.Errorf("heard %+v, and here %d times", got, here.count())
	}
	if st := all[1].Far(); st.Ended != 1 {
		t.Errorf("%+v", st)
	}
}

// TestAnIsolatedNodeKeepsToItself: and is with the others again afterwards, in the same talk.
func TestAnIsolatedNodeKeepsToItself(t *testing.T) {
	r, all, wires := onNodes(t, 2, Options{})
	for id := core.UserID(-1); id >= -3; id-- {
		r.tune(id, patrol)
	}
	r.tune(-4, fire)
	r.tune(-5, fire)
	on(all[0], -1)
	here, there := on(all[0], -2), on(all[1], -3)
	on(all[1], -4)
	far := on(all[0], -5)
	r.key(-1, patrol)
	r.key(-4, fire)
	say := func() {
		r.say(-1, patrol, "b25l")
		all[1].Publish(&Frame{Talker: -4, Keyed: fire, Text: "dHdv"})
	}
	say()
	all[0].Isolate(true)
	say()
	if here.count() != 2 || there.count() != 1 || far.count() != 1 || wires[0].count() != 1 {
		t.Errorf("heard %d, %d and %d times, %d crossed", here.count(), there.count(), far.count(), wires[0].count())
	}
	all[0].Isolate(false)
	say()
	if here.count() != 3 || there.count() != 2 || far.count() != 2 {
		t.Errorf("again together: heard %d, %d and %d times", here.count(), there.count(), far.count())
	}
}
