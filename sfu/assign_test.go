package sfu

import (
	"fmt"
	"strings"
	"testing"

	"squelch/core"
)

// desk is a peer without a connection.
type desk struct {
	t      *testing.T
	p      *peer
	bursts map[core.UserID]*burst
	now    int64
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, p: &peer{}, bursts: map[core.UserID]*burst{}}
	for i := range maxSlots {
		d.p.slots = append(d.p.slots, newSlot(d.p, i, fmt.Sprint(i), 111, 0))
	}
	return d
}

// hears sets who talks now and how the desk hears it, such as "-1 speaker -2 listener",
// and gives the talkers in the slots and those who wait, such as "-1 -2 . . | -5".
func (d *desk) hears(talkers string) string {
	d.t.Helper()
	fields := strings.Fields(talkers)
	d.now++
	live := map[core.UserID]*burst{}
	for i := 0; i < len(fields); i += 2 {
		var id core.UserID
		fmt.Sscan(fields[i], &id)
		if live[id] = d.bursts[id]; live[id] == nil {
			d.now++
			live[id] = &burst{began: d.now}
		}
		reason := core.AsSpeaker
		for reason.String() != fields[i+1] {
			reason++
		}
		d.p.wants = append(d.p.wants, want{id, live[id], core.Leg{Listener: -99, Frequency: patrol, Reason: reason}})
	}
	d.bursts = live
	d.p.assign()
	var out []string
	for _, s := range d.p.slots {
		if u := s.use.Load(); u != nil {
			out = append(out, u.talker.String())
		} else {
			out = append(out, ".")
		}
	}
	view := d.p.view.Load()
	if view != nil && len(view.Waiting) > 0 {
		out = append(out, "|")
		for _, w := range view.Waiting {
			out = append(out, w.Talker.String())
		}
	}
	return strings.Join(out, " ")
}

func TestWhoGetsASlot(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ says, talkers, want string }{
		{"the first", "-1 listener", "-1 . . ."},
		{"a slot in use stays", "-1 listener -2 speaker", "-1 -2 . ."},
		{"a freed slot is empty", "-2 speaker", ". -2 . ."},
		{"the slot that was silent longest", "-2 speaker -3 listener", ". -2 -3 ."},
		{"who comes back gets its own slot again", "-1 listener -2 speaker -3 listener", "-1 -2 -3 ."},
		{"all are taken", "-1 listener -2 speaker -3 listener -4 userListener", "-1 -2 -3 -4"},
		{"a lower one waits", "-1 listener -2 speaker -3 listener -4 userListener -5 3DAudio", "-1 -2 -3 -4 | -5"},
		{"the selected channel takes the slot of the least", "-1 listener -2 speaker -3 listener -4 userListener -5 3DAudio -6 speaker", "-1 -2 -3 -6 | -4 -5"},
		{"an equal one waits", "-1 listener -2 speaker -3 listener -6 speaker -7 listener", "-1 -2 -3 -6 | -7"},
		{"of the waiting the best comes first", "-1 listener -3 listener -6 speaker -7 listener -8 userListener", "-1 -7 -3 -6 | -8"},
		{"and then the newest", "-1 listener -7 listener -3 listener -6 speaker -8 userListener -9 userListener", "-1 -7 -3 -6 | -9 -8"},
		{"one slot, two who wait", "-1 listener -7 listener -3 listener -8 userListener -9 userListener", "-1 -7 -3 -9 | -8"},
		{"everybody else has gone", "-8 userListener", "-8 . . ."},
		{"silence", "", ". . . ."},
	} {
		if got := d.hears(c.talkers); got != c.want {
			t.Fatalf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}

// TestASlotKeepsItsUseWhenTheSignalChanges: the owner is told of the signal, and frames
// that are on their way are not lost.
func TestASlotKeepsItsUseWhenTheSignalChanges(t *testing.T) {
	d := newDesk(t)
	d.hears("-1 speaker")
	use := d.p.slots[0].use.Load()
	d.p.wants = append(d.p.wants, want{-1, use.burst, core.Leg{Listener: -99, Frequency: patrol, Reason: core.AsSpeaker, Fade: 60}})
	d.p.assign()
	if v := d.p.view.Load(); len(v.Slots) != 1 || v.Slots[0].Fade != 60 {
		t.Errorf("the owner was told %+v", v.Slots)
	}
	if d.p.slots[0].use.Load() != use {
		t.Error("the slot has another use")
	}
}

func TestTheOwnerIsToldOfChangesOnly(t *testing.T) {
	d := newDesk(t)
	d.hears("-1 speaker -2 listener")
	before := d.p.view.Load()
	d.hears("-1 speaker -2 listener")
	if d.p.view.Load() != before {
		t.Error("told of a change where there is none")
	}
	d.hears("-1 speaker -2 speaker")
	if v := d.p.view.Load(); v == before || v.Slots[1].Reason != core.AsSpeaker {
		t.Error("the talker is heard on the selected channel now, and nobody is told")
	}
}
