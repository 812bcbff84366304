package sfu

import (
	"testing"
	"time"

	"github.com/pion/rtcp"

	"squelch/core"
	"squelch/sfu/client"
	"squelch/sfu/stream"
)

// counts are what a browser's statistics say of the console's first slot, from its packets:
// frames that neither came nor were repeated are concealed.
func (c *console) counts() SlotReport {
	var r SlotReport
	came, frames := map[uint16]bool{}, map[uint32]bool{}
	var first, last client.Received
	for i, p := range c.all() {
		if i == 0 {
			first = p
		}
		last = p
		frames[p.Timestamp-first.Timestamp] = true
		if !p.Repeated {
			came[p.Sequence-first.Sequence] = true
		}
	}
	r.Mid, r.Received = last.Mid, uint64(len(came))
	r.Lost = uint64(last.Sequence-first.Sequence) + 1 - r.Received
	missing := false
	for at := uint32(0); at < last.Timestamp-first.Timestamp; at += frameSamples {
		if !frames[at] {
			r.Concealed += frameSamples
			if !missing {
				r.Events++
			}
		}
		missing = !frames[at]
	}
	return r
}

func TestALineThatLosesPacketsGetsThemTwice(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		good, _ := c.dispatcher(r, -2, patrol)
		r.tune(-3, patrol)
		down := c.line("10.0.1.3")
		bad := r.console(-3, client.Options{Net: down, Redundant: true})
		r.key(-1, patrol)
		a.say(t, 1, 0, 50)
		down.set(func(l *access) { l.loss, l.burst = 0.02, 4 }) // four in a row: 8 % are lost
		const seconds = 60
		for n := range seconds {
			a.say(t, 1, 50+n*50, 100+n*50)
			r.sfu.Report(-3, []SlotReport{bad.counts(), {Mid: "no such slot", Lost: 1 << 60}})
			if n == 10 {
				bad.mu.Lock()
				bad.heard = nil // what comes from now on counts
				bad.mu.Unlock()
			}
		}
		got := bad.counts()
		if lost := float64(got.Lost) / float64(got.Lost+got.Received); lost < 0.04 || lost > 0.12 {
			t.Errorf("the line loses %.3f of the packets: %+v", lost, got)
		}
		if missed := float64(got.Concealed) / frameSamples / float64(got.Lost); missed > 0.5 {
			t.Errorf("of %d frames that the line has lost %d have to be concealed: %+v", got.Lost, got.Concealed/frameSamples, got)
		}
		for _, p := range good.all() {
			if p.Repeated {
				t.Fatal("a line that loses nothing is sent frames twice")
			}
		}
		down.set(func(l *access) { l.loss = 0 })
		a.say(t, 1, 10_000, 10_000+int(lossMemory/frameTime)+100)
		before := len(bad.all())
		a.say(t, 1, 20_000, 20_100)
		for _, p := range bad.all()[before:] {
			if p.Repeated {
				t.Fatal("frames are repeated although the line has lost nothing for half a minute")
			}
		}
		good.checkSlots(t)
	})
}

func TestHowManyFramesAreRepeated(t *testing.T) {
	const second = int64(time.Second)
	for says, c := range map[string]struct {
		reports []SlotReport
		skipped []uint64
		want    []int
	}{
		"single losses": {[]SlotReport{{Received: 95, Lost: 5, Concealed: 5 * 960, Events: 5}, {Received: 190, Lost: 10, Concealed: 5 * 960, Events: 5}},
			[]uint64{0, 0}, []int{1, 1}},
		"four in a row": {[]SlotReport{{Received: 96, Lost: 4, Concealed: 4 * 960, Events: 1}}, []uint64{0}, []int{3}},
		"more than was thought": {[]SlotReport{{Received: 95, Lost: 5, Concealed: 5 * 960, Events: 5}, {Received: 185, Lost: 15, Concealed: 8 * 960, Events: 7}},
			[]uint64{0, 0}, []int{1, 2}},
		"the talker's losses, which the client counts later": {[]SlotReport{{Received: 100}, {Received: 190, Lost: 10, Concealed: 9600, Events: 10}, {Received: 290, Lost: 10, Concealed: 9600, Events: 10}},
			[]uint64{10, 10, 10}, []int{0, 0, 0}},
		"the line's losses behind the talker's": {[]SlotReport{{Received: 100}, {Received: 185, Lost: 15, Concealed: 15 * 960, Events: 15}}, []uint64{10, 10}, []int{0, 1}},
		"next to nothing":                       {[]SlotReport{{Received: 999, Lost: 1, Concealed: 960, Events: 1}}, []uint64{0}, []int{0}},
		"all of it on the talker's line":        {[]SlotReport{{Received: 90, Lost: 10, Concealed: 9600, Events: 10}}, []uint64{10}, []int{0}},
		"nothing has come":                      {[]SlotReport{{Concealed: 1 << 40}}, []uint64{0}, []int{0}},
		"numbers that run back":                 {[]SlotReport{{Received: 95, Lost: 5, Concealed: 9600, Events: 5}, {Received: 5, Lost: 1}}, []uint64{0, 0}, []int{2, 2}},
		"more than there can be, many times":    {[]SlotReport{{Received: 1, Lost: 1 << 62, Concealed: 1 << 63, Events: 1}}, []uint64{0}, []int{3}},
	} {
		var h hearing
		for i, r := range c.reports {
			if got := h.counted(r, c.skipped[i], int64(i+1)*second); got != c.want[i] {
				t.Errorf("%s: after report %d %d frames are repeated, want %d", says, i+1, got, c.want[i])
			}
		}
	}
}

// The talker's own line is perfect. Its browser protects the voice (in-band FEC) only if
// its receiver reports say that packets are lost.
func TestTheTalkerIsToldOfItsListenersLoss(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	slotOf := func(talker core.UserID, losses ...float64) *listener {
		p := &peer{s: s, line: deafLine{}}
		x := newSlot(p, 0, "1", 111, 0)
		x.use.Store(&use{slot: x, talker: talker})
		p.slots = []*slot{x}
		for _, l := range losses {
			x.received(rtcp.ReceptionReport{SSRC: 5, FractionLost: uint8(l * 256)}, 1)
		}
		return &listener{peer: p, ready: true}
	}
	digital := slotOf(-7, 0.1, 0.1)
	digital.peer.slots[0].use.Load().digital = true
	users := map[core.UserID]*listener{
		-2: slotOf(-1, 0, 0),
		-3: slotOf(-1, 0.1, 0.1, 0.1, 0.1),
		-4: slotOf(-9, 0.9, 0.9, 0.9),
		-5: slotOf(-8),
		-6: {},
		-7: digital,
	}
	worst := worstLoss(users, int64(time.Second))
	if w := worst[-7]; w != 0 {
		t.Errorf("the talker protects voice that goes through the vocoder: %.3f", w)
	}
	if w := worstLoss(users, int64(lossMemory+time.Second)); w[-1] != 0 || w[-9] != 0 {
		t.Errorf("half a minute without a report: the next talker is told %v", w)
	}
	if w := worst[-1]; w < 0.08 || w > 0.1 {
		t.Errorf("the worst of two listeners loses %.3f, want nearly a tenth", w)
	}
	if w := worst[-9]; w != lossCap {
		t.Errorf("the loss of a hopeless line counts as %.3f, want %.2f", w, lossCap)
	}
	if w := worst[-8]; w != 0 {
		t.Errorf("a line without reports loses %.3f", w)
	}
	sent := &reportLine{}
	p := &peer{s: s, line: sent, up: newUplink(s, -1, 111)}
	p.slots = []*slot{newSlot(p, 0, "1", 111, 0)}
	now := int64(time.Second)
	s.time = func() int64 { return now }
	for n := range 50 {
		now += int64(frameTime)
		p.up.push(rtpPacket(t, n, word(1, n)))
	}
	p.report(now, worst[-9])
	if len(sent.reports) != 1 || sent.reports[0].FractionLost != uint8(51) {
		t.Errorf("the talker is told %+v, want a loss of 20 %%", sent.reports)
	}
}

// reportLine keeps the receiver reports that are sent on it.
type reportLine struct {
	deafLine
	reports []rtcp.ReceptionReport
}

func (l *reportLine) WriteRTCP(b []byte) error {
	stream.Reports(b, func(uint64) {}, func(r rtcp.ReceptionReport) { l.reports = append(l.reports, r) })
	return nil
}
