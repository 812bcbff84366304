package sfu

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
)

func TestEveryoneOnTheChannelHearsTheTalkerOnce(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.tune(-3, fire)
	r.tune(-4, tac)
	r.do(core.StartScan{User: -2, Frequency: patrol}, core.StartScan{User: -4, Frequency: patrol}, core.Follow{User: -4, Target: -1})
	r.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
	a, b, c, d := r.listen(-1), r.listen(-2), r.listen(-3), r.listen(-4)
	r.key(-1, patrol)
	r.say(-1, patrol, "b25l")
	if len(a.all()) != 0 {
		t.Error("the talker hears itself")
	}
	for says, h := range map[string]struct {
		ear  *ear
		want heardFrame
	}{
		"tuned and scanning": {b, heardFrame{on: patrol, reason: core.AsSpeaker}},
		"over the patch":     {c, heardFrame{on: fire, reason: core.AsSpeaker, patch: 1}},
		"scan before follow": {d, heardFrame{on: patrol, reason: core.AsListener}},
	} {
		got := h.ear.all()
		if len(got) != 1 {
			t.Errorf("%s: heard %d times", says, len(got))
			continue
		}
		g := got[0]
		if g.from != -1 || g.text != "b25l" || g.on != h.want.on || g.reason != h.want.reason || g.patch != h.want.patch {
			t.Errorf("%s: heard %+v", says, g)
		}
	}
}

func TestOneMessageIsPreparedPerRun(t *testing.T) {
	r := onAir(t, Options{})
	var tuned, scanning []*ear
	for id := core.UserID(-1); id > -10; id-- {
		r.tune(id, patrol)
		tuned = append(tuned, r.listen(id))
	}
	for id := core.UserID(-10); id > -15; id-- {
		r.tune(id, tac)
		r.do(core.StartScan{User: id, Frequency: patrol})
		scanning = append(scanning, r.listen(id))
	}
	r.key(-1, patrol)
	r.say(-1, patrol, "b25l")
	one, other := tuned[1].all()[0].encodedAt, scanning[0].all()[0].encodedAt
	if one == other {
		t.Error("two different messages are one")
	}
	for _, e := range tuned[1:] {
		if e.all()[0].encodedAt != one {
			t.Error("a tuned listener's message was prepared again")
		}
	}
	for _, e := range scanning {
		if e.all()[0].encodedAt != other {
			t.Error("a scanning listener's message was prepared again")
		}
	}
}

func TestVoiceEndsWithTheFloor(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	e := r.listen(-2)
	r.say(-1, patrol, "YmVmb3Jl")
	r.key(-1, patrol)
	r.say(-1, patrol, "b24=")
	r.say(-1, fire, "ZWxzZXdoZXJl")
	r.say(-1, 0, "YWxs")
	r.release(-1)
	r.say(-1, patrol, "YWZ0ZXI=")
	r.say(-9, patrol, "c3RyYW5nZXI=")
	got := e.all()
	if len(got) != 2 || got[0].text != "b24=" || got[1].text != "YWxs" {
		t.Errorf("heard %+v", got)
	}
	st := r.sfu.Stats()
	if st.Strangers != 1 || st.Talkers[1].User != -1 || st.Talkers[1].Packets != 2 || st.Talkers[1].Unrouted != 3 {
		t.Errorf("counted %+v", st)
	}
	if len(st.Channels) != 1 || st.Channels[0].Frequency != patrol || st.Channels[0].Packets != 2 {
		t.Errorf("counted on channels %+v", st.Channels)
	}
}

func TestTheSelfTestComesBackWithAndWithoutAFloor(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	a, b := r.listen(-1), r.listen(-2)
	r.do(core.SetLoopback{User: -1, Enabled: true})
	r.say(-1, patrol, "b25l")
	r.key(-1, patrol)
	r.say(-1, patrol, "dHdv")
	r.do(core.SetLoopback{User: -1})
	r.say(-1, patrol, "dGhyZWU=")
	got := a.all()
	if len(got) != 2 || got[0].reason != core.AsLoopback || got[0].text != "b25l" || got[1].text != "dHdv" {
		t.Errorf("the talker's own test: %+v", got)
	}
	if got := b.all(); len(got) != 2 || got[0].text != "dHdv" || got[1].text != "dGhyZWU=" {
		t.Errorf("the other one heard %+v", got)
	}
	if st := r.sfu.Stats(); st.Talkers[1].Unrouted != 0 {
		t.Errorf("%d frames of the self-test count as unrouted", st.Talkers[1].Unrouted)
	}
}

func TestTheEngineHearsOfVoiceAtTheLeasesPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []report
		r := onAir(t, Options{Heard: func(u core.UserID, f core.Frequency) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, report{u, f})
		}})
		r.tune(-1, patrol)
		r.listen(-1)
		talk := func(frames int) []report {
			mu.Lock()
			told = nil
			mu.Unlock()
			for range frames {
				r.say(-1, patrol, "b25l")
				time.Sleep(20 * time.Millisecond)
			}
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return told
		}
		if got := talk(200); len(got) != 1 || got[0] != (report{-1, patrol}) {
			t.Errorf("four seconds without a floor: %v", got)
		}
		r.key(-1, patrol)
		if got := talk(100); len(got) != 4 {
			t.Errorf("two seconds on the air: %v", got)
		}
		r.release(-1)
		if got := talk(10); len(got) != 1 {
			t.Errorf("going on after the release: %v", got)
		}
		time.Sleep(2 * time.Second)
		if got := talk(10); len(got) != 1 {
			t.Errorf("another burst without a floor: %v", got)
		}
		r.do(core.SetLoopback{User: -1, Enabled: true})
		if got := talk(100); len(got) != 0 {
			t.Errorf("the self-test holds no floor, yet %v", got)
		}
		r.sfu.Close()
	})
}

func TestDetachedListenersHearNothingMore(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	first, second := r.listen(-2), r.listen(-2)
	r.key(-1, patrol)
	r.say(-1, patrol, "b25l")
	r.sfu.Detach(-2, first)
	r.say(-1, patrol, "dHdv")
	if len(first.all()) != 1 || len(second.all()) != 2 {
		t.Errorf("heard %d and %d frames", len(first.all()), len(second.all()))
	}
	r.sfu.Detach(-2, second)
	if st := r.sfu.Stats(); len(st.Talkers) != 1 {
		t.Errorf("still attached: %+v", st.Talkers)
	}
	r.sfu.Close()
	r.sfu.Close()
	r.sfu.Attach(-2, first)
	r.say(-1, patrol, "dGhyZWU=")
	if len(first.all()) != 1 {
		t.Error("voice after the end")
	}
}

func TestRoutesChangeWhileEverybodyTalks(t *testing.T) {
	const frames, talkers, listeners = 2000, 4, 20
	r := onAir(t, Options{})
	var ears []*ear
	for id := core.UserID(1); id <= talkers; id++ {
		r.tune(-id, tac)
		r.listen(-id)
		r.do(core.KeyUp{User: -id, Frequency: tac, Override: true})
	}
	for id := core.UserID(100); id < 100+listeners; id++ {
		r.tune(-id, tac)
		ears = append(ears, r.listen(-id))
	}
	var done sync.WaitGroup
	var stop atomic.Bool
	for id := core.UserID(1); id <= talkers; id++ {
		done.Go(func() {
			for n := range frames {
				r.say(-id, tac, fmt.Sprintf("%06d", n))
			}
		})
	}
	var control sync.WaitGroup
	control.Go(func() { // others come, go and key meanwhile
		r.tune(-50, patrol)
		for !stop.Load() {
			e := &ear{}
			r.sfu.Attach(-50, e)
			r.do(core.KeyUp{User: -50, Frequency: patrol}, core.KeyDown{User: -50})
			r.sfu.Detach(-50, e)
		}
	})
	done.Wait()
	stop.Store(true)
	control.Wait()
	for i, e := range ears {
		next := map[core.UserID]int{}
		for _, h := range e.all() {
			if want := fmt.Sprintf("%06d", next[h.from]); h.text != want {
				t.Fatalf("listener %d heard %s of %d, want %s", i, h.text, h.from, want)
			}
			next[h.from]++
		}
		for id := core.UserID(1); id <= talkers; id++ {
			if next[-id] != frames {
				t.Errorf("listener %d heard %d of %d frames of %d", i, next[-id], frames, -id)
			}
		}
	}
}

func TestNothingIsHeardAfterTheRowIsGone(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	e := r.listen(-2)
	for range 50 {
		r.key(-1, patrol)
		var talking sync.WaitGroup
		var gone atomic.Bool
		var late atomic.Int64
		started := make(chan struct{})
		talking.Go(func() {
			for n := 0; n < 20 || !gone.Load(); n++ {
				r.say(-1, patrol, "b24=")
				if n == 0 {
					close(started)
				}
			}
			before := e.count()
			r.say(-1, patrol, "bGF0ZQ==")
			late.Add(int64(e.count() - before))
		})
		<-started
		r.release(-1)
		gone.Store(true)
		talking.Wait()
		if late.Load() != 0 {
			t.Fatal("a frame was heard after the floor had gone")
		}
	}
	if e.count() < 50 {
		t.Errorf("only %d frames were heard at all", e.count())
	}
}
