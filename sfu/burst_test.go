package sfu

import (
	"encoding/base64"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/client"
	"squelch/sfu/line"
	"squelch/sfu/opus/packet"
	"squelch/sfu/stream"
)

// heardOf lists the frames of one talker's burst that a console heard.
func (c *console) heardOf(talker core.UserID, burst int) []int {
	var frames []int
	for _, p := range c.all() {
		if b, n := spoken(p.Payload); p.Talker == talker && b == burst {
			frames = append(frames, n)
		}
	}
	return frames
}

func (c *console) wantHeard(t *testing.T, says string, talker core.UserID, burst, from, to int) {
	t.Helper()
	got := c.heardOf(talker, burst)
	for i, n := range got {
		if n != from+i {
			t.Errorf("%s: frame %d came where %d was due", says, n, from+i)
			return
		}
	}
	if len(got) != to-from {
		t.Errorf("%s: heard %v, want %d up to %d", says, got, from, to)
	}
}

func TestThePreRollIsHeardOnGrantAndForgottenOnDenial(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		b, _ := c.dispatcher(r, -2, patrol)
		l, _ := c.dispatcher(r, -3, patrol)

		a.say(t, 1, 0, 5) // nobody granted anything
		time.Sleep(time.Second)
		l.wantHeard(t, "without a floor", -1, 1, 0, 0)

		a.say(t, 2, 0, 5) // the voice overtakes the key-up
		r.key(-1, patrol)
		a.say(t, 2, 5, 25)
		l.wantHeard(t, "voice before the floor: 60 ms of it", -1, 2, 2, 25)
		if st := r.sfu.Stats(); st.Peers[2].User != -1 || st.Peers[2].PreRolled != 3 || st.Channels[0].PreRolled != 3 || st.Channels[0].Packets != 23 {
			t.Errorf("pre-roll used: %+v on %+v", st.Peers[2], st.Channels)
		}

		r.release(-1)
		a.say(t, 2, 25, 30) // the tail arrives behind the release
		r.key(-1, patrol)
		a.say(t, 3, 0, 20)
		l.wantHeard(t, "the tail of a released burst", -1, 2, 2, 25)
		l.wantHeard(t, "the burst behind it", -1, 3, 0, 20)
		r.release(-1)
		time.Sleep(time.Second)

		r.key(-2, patrol)
		for n := range 30 { // both press; only -2 has the floor
			a.Send(word(4, n))
			b.Send(word(5, n))
			time.Sleep(frameTime)
		}
		r.release(-2)
		time.Sleep(time.Second)
		r.key(-1, patrol)
		a.say(t, 6, 0, 20)
		l.wantHeard(t, "the denied talker", -1, 4, 0, 0)
		l.wantHeard(t, "the one with the floor", -2, 5, 0, 30)
		l.wantHeard(t, "the denied talker's next burst", -1, 6, 0, 20)
		l.checkSlots(t)
	})
}

// The floor is granted at the worst moment: the frame is already held as pre-roll, but
// not yet published.
func TestAFrameIsHeardOnceWhenItsFloorComesMeanwhile(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	listener := r.listen(-2)
	u := newUplink(r.sfu, -1, 111)
	say := func(n int, meanwhile func()) {
		moment := int64(1e9) + int64(n)*int64(frameTime)
		r.sfu.time = func() int64 {
			if act := meanwhile; act != nil {
				meanwhile = nil
				act()
			}
			return moment
		}
		u.take(stream.Packet{Payload: word(1, n), Sequence: uint16(n), Timestamp: uint32(n) * frameSamples, At: moment, Comes: true, Turn: true})
	}
	key := func() { r.key(-1, patrol) }
	say(0, nil)
	say(1, key)
	say(2, nil)
	say(3, func() { r.release(-1) })
	say(4, key)
	say(5, nil)
	var heard []string
	for _, h := range listener.all() {
		heard = append(heard, h.text)
	}
	var want []string
	for _, n := range []int{0, 1, 2, 3, 5} { // 4 is the tail of the burst that has ended
		want = append(want, base64.StdEncoding.EncodeToString(word(1, n)))
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// A key that is pressed for no longer than a word: the talker lets go before anything
// comes after the grant.
func TestABurstThatEndsBeforeItsNextPacketIsHeard(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		l, _ := c.dispatcher(r, -2, patrol)
		for burst, frames := range []int{1, 2, 3, 5} { // 15, 30, 60, 90 ms of speech
			a.say(t, burst, 0, frames)
			r.key(-1, patrol)
			r.release(-1)
			time.Sleep(time.Second)
			l.wantHeard(t, "a short burst", -1, burst, max(0, frames-preRoll), frames)
		}
		l.checkSlots(t)
	})
}

func TestWhatTheTalkersLineLosesDelaysNothing(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, up := c.dispatcher(r, -1, patrol)
		l, _ := c.dispatcher(r, -2, patrol)
		const frames = 500
		up.set(func(l *access) { l.loss, l.delay = 0.1, 30*time.Millisecond })
		r.key(-1, patrol)
		began := time.Now()
		a.say(t, 1, 0, frames)
		r.release(-1)
		time.Sleep(time.Second)
		heard := l.all()
		if n := len(heard); n < frames*8/10 || n > frames*97/100 {
			t.Fatalf("%d of %d frames were heard over a line that loses a tenth", n, frames)
		}
		for i, p := range heard {
			_, n := spoken(p.Payload)
			_, first := spoken(heard[0].Payload)
			if after := l.at[i].Sub(began.Add(time.Duration(n) * frameTime)); after != 30*time.Millisecond {
				t.Fatalf("frame %d is heard %v after it was said, not the 30 ms of the talker's line", n, after)
			}
			if gone := p.Sequence - heard[0].Sequence; int(gone) != n-first || p.Timestamp-heard[0].Timestamp != uint32(n-first)*frameSamples {
				t.Fatalf("frame %d has number %d and time %d after the first, frame %d: the gaps are not kept", n, gone, p.Timestamp-heard[0].Timestamp, first)
			}
		}
	})
}

func TestALegacyListenerConcealsWhatTheTalkersLineLoses(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	listener := r.listen(-2)
	u := newUplink(r.sfu, -1, 111)
	now := int64(time.Second)
	r.sfu.time = func() int64 { return now }
	r.key(-1, patrol)
	for _, n := range []int{10, 11, 13, 14, 15, 18, 17, 19, 30, 31, 32} { // 12, 16 and 20 to 29 are lost, 17 comes late
		now += int64(frameTime)
		u.push(rtpPacket(t, n, word(1, n)))
	}
	var heard []int
	for _, h := range listener.all() {
		b, err := base64.StdEncoding.DecodeString(h.text)
		switch {
		case err != nil:
			t.Fatal(err)
		case len(b) == 1 && packet.Samples(b) == frameSamples:
			heard = append(heard, -1)
		default:
			_, n := spoken(b)
			heard = append(heard, n)
		}
	}
	// Half a second of concealment would be noise, so a long gap stays one.
	if want := []int{10, 11, -1, 13, 14, 15, -1, 17, 18, 19, 30, 31, 32}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v (-1: a packet that is concealed)", heard, want)
	}
}

// The last packet but one is lost, and nothing comes behind the last one.
func TestTheLastFrameBehindALostOneIsHeardWhenTheKeyIsReleased(t *testing.T) {
	r := onAir(t, Options{})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	listener := r.listen(-2)
	u := newUplink(r.sfu, -1, 111)
	users := *r.sfu.users.Load()
	users[-1].peer = &peer{s: r.sfu, line: deafLine{}, up: u}
	now := int64(time.Second)
	r.sfu.time = func() int64 { return now }
	heard := func() (heard []int) {
		for _, h := range listener.all() {
			b, _ := base64.StdEncoding.DecodeString(h.text)
			if len(b) == 1 {
				heard = append(heard, -1)
				continue
			}
			_, n := spoken(b)
			heard = append(heard, n)
		}
		return heard
	}
	r.key(-1, patrol)
	for _, n := range []int{1, 2, 4} {
		now += int64(frameTime)
		u.push(rtpPacket(t, n, word(1, n)))
	}
	if got := heard(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("while frame 3 may still come: heard %v, want 1 and 2", got)
	}
	r.release(-1)
	want := []int{1, 2, -1, 4}
	if got := heard(); !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v (-1: a packet that is concealed)", got, want)
	}
	now += int64(frameTime)
	u.push(rtpPacket(t, 3, word(1, 3)))
	r.key(-1, patrol)
	if got := heard(); !slices.Equal(got, want) {
		t.Errorf("frame 3 comes after the release: heard %v, want %v", got, want)
	}
}

// rtpPacket is the n-th packet of a talker's stream.
func rtpPacket(t *testing.T, n int, payload []byte) []byte {
	t.Helper()
	b, err := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SequenceNumber: uint16(n), Timestamp: uint32(n) * frameSamples, SSRC: 7}, Payload: payload}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTwoTalkersWithOverrideAreHeardSideBySide(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		b, _ := c.dispatcher(r, -2, patrol)
		l, _ := c.dispatcher(r, -3, patrol)
		legacy := r.listen(-4)
		r.tune(-4, fire)
		r.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}}, core.Follow{User: -3, Target: -1})
		r.key(-1, patrol)
		r.do(core.KeyUp{User: -2, Frequency: patrol, Override: true})
		for n := range 50 {
			a.Send(word(1, n))
			b.Send(word(2, n))
			time.Sleep(frameTime)
		}
		l.wantHeard(t, "the first", -1, 1, 0, 50)
		l.wantHeard(t, "the one who broke in", -2, 2, 0, 50)
		a.wantHeard(t, "by the other", -2, 2, 0, 50)
		b.wantHeard(t, "by the other", -1, 1, 0, 50)
		if legacy.count() != 100 {
			t.Errorf("the legacy listener behind the patch heard %d of 100", legacy.count())
		}
		for _, h := range legacy.all() {
			if h.patch != 1 || h.on != fire {
				t.Fatalf("it heard %+v", h)
			}
		}
		s := l.last()
		if len(s.Slots) != 2 || s.Slots[0].Talker != -1 || s.Slots[1].Talker != -2 || s.Slots[0].Frequency != patrol || s.Slots[0].Mid == s.Slots[1].Mid || len(s.Waiting) != 0 {
			t.Errorf("it was told %+v", s)
		}
		l.checkSlots(t)
		r.release(-1)
		r.release(-2)
		time.Sleep(100 * time.Millisecond)
		if s := l.last(); len(s.Slots) != 0 {
			t.Errorf("afterwards %+v", s)
		}
	})
}

func TestLegacyAndWebRTCHearEachOthersPackets(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		r.tune(-1, patrol)
		old := r.listen(-1)
		w, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		for n := range 50 {
			r.say(-1, patrol, base64.StdEncoding.EncodeToString(word(1, n)))
			time.Sleep(frameTime)
		}
		w.wantHeard(t, "legacy to WebRTC", -1, 1, 0, 50)
		for i, p := range w.all() {
			if p.Marker != (i == 0) || p.Timestamp != w.all()[0].Timestamp+uint32(i)*960 {
				t.Fatalf("packet %d: marker %v, time %d", i, p.Marker, p.Timestamp-w.all()[0].Timestamp)
			}
		}
		w.checkSlots(t)
		r.release(-1)
		r.key(-2, patrol)
		w.say(t, 2, 0, 50)
		got := old.all()
		if len(got) != 50 {
			t.Fatalf("WebRTC to legacy: %d of 50", len(got))
		}
		for n, h := range got {
			if h.text != base64.StdEncoding.EncodeToString(word(2, n)) || h.from != -2 {
				t.Fatalf("frame %d came as %+v", n, h)
			}
		}
	})
}

func TestAContainerGoesToLegacyClientsOnly(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		r.tune(-1, patrol)
		r.listen(-1)
		r.tune(-3, patrol)
		other := r.listen(-3)
		w, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		webm := base64.StdEncoding.EncodeToString(append([]byte{0x1a, 0x45, 0xdf, 0xa3}, make([]byte, 900)...))
		later := base64.StdEncoding.EncodeToString(word(1, 1)) // a later part that looks like a packet
		for _, text := range []string{webm, later, later, "no base64!"} {
			r.say(-1, patrol, text)
			time.Sleep(300 * time.Millisecond)
		}
		if got := other.all(); len(got) != 4 || got[0].text != webm || got[3].text != "no base64!" {
			t.Errorf("the legacy listener heard %d of 4", len(got))
		}
		if n := len(w.all()); n != 0 {
			t.Errorf("%d packets went to WebRTC", n)
		}
		for _, s := range r.sfu.Stats().Talkers {
			if s.User == -1 && s.Opaque != 4 {
				t.Errorf("counted %+v", s)
			}
		}
	})
}

func TestVoiceGoesToThePeerWhileThereIsOne(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		r.tune(-1, patrol)
		r.listen(-1)
		old := r.listen(-2)
		w, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		say := func(n int) {
			r.say(-1, patrol, base64.StdEncoding.EncodeToString(word(1, n)))
			time.Sleep(frameTime)
		}
		for n := range 10 {
			say(n)
		}
		if len(w.all()) != 10 || old.count() != 0 {
			t.Errorf("%d over WebRTC, %d over the socket", len(w.all()), old.count())
		}
		r.sfu.ClosePeer(-2)
		for n := 10; n < 20; n++ {
			say(n)
		}
		if len(w.all()) != 10 || old.count() != 10 {
			t.Errorf("after the end: %d over WebRTC, %d over the socket", len(w.all()), old.count())
		}
		if len(w.ends()) != 0 {
			t.Errorf("its owner closed it, yet it is told %v", w.ends())
		}
	})
}

func TestTheSelfTestMeasuresTheRoundTrip(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, l := c.dispatcher(r, -1, patrol)
		l.set(func(l *access) { l.delay = 40 * time.Millisecond })
		r.do(core.SetLoopback{User: -1, Enabled: true})
		a.say(t, 1, 0, 200)
		time.Sleep(time.Second)
		a.wantHeard(t, "its own voice", -1, 1, 0, 200)
		for _, p := range a.all() {
			if p.RoundTrip != 80*time.Millisecond {
				t.Fatalf("a round trip of %v on a line of twice 40 ms", p.RoundTrip)
			}
		}
		if s := a.last(); len(s.Slots) != 1 || s.Slots[0].Reason != core.AsLoopback || s.Slots[0].Talker != -1 {
			t.Errorf("it was told %+v", s)
		}
		if rt := r.sfu.Stats().Peers[0].Slots[0].RoundTrip; rt < 79*time.Millisecond || rt > 81*time.Millisecond {
			t.Errorf("the server measured %v", rt)
		}
	})
}

func TestAClientThatLeavesAndOneThatComesAgain(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		first, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		a.say(t, 1, 0, 10)
		second := r.console(-2, client.Options{Net: c.line("10.0.3.2")})
		synctest.Wait()
		a.say(t, 1, 10, 20)
		first.wantHeard(t, "the first connection", -1, 1, 0, 10)
		second.wantHeard(t, "the one that took its place", -1, 1, 10, 20)
		second.Close()
		synctest.Wait()
		if got := second.ends(); len(got) != 1 || got[0] != line.ErrLeft {
			t.Errorf("the client left, its owner was told %v", got)
		}
		if got := first.ends(); len(got) != 0 {
			t.Errorf("the first one was replaced, its owner was told %v", got)
		}
		if st := r.sfu.Stats(); len(st.Peers) != 1 {
			t.Errorf("peers: %+v", st.Peers)
		}
	})
}

func TestEveryPathLeadsToASlotOnce(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		r.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
		for id, story := range map[core.UserID]struct {
			says string
			do   []core.Command
			want Slot
		}{
			-2: {"tuned, scanning and following", []core.Command{core.JoinAsSpeaker{User: -2, Frequency: patrol}, core.StartScan{User: -2, Frequency: patrol}, core.Follow{User: -2, Target: -1}}, Slot{Frequency: patrol, Reason: core.AsSpeaker}},
			-3: {"scanning both sides of the patch", []core.Command{core.StartScan{User: -3, Frequency: patrol}, core.StartScan{User: -3, Frequency: fire}}, Slot{Frequency: patrol, Reason: core.AsListener}},
			-4: {"tuned to the far side", []core.Command{core.JoinAsSpeaker{User: -4, Frequency: fire}}, Slot{Frequency: fire, Reason: core.AsSpeaker, Patch: 1}},
			-5: {"following only", []core.Command{core.JoinAsSpeaker{User: -5, Frequency: tac}, core.Follow{User: -5, Target: -1}}, Slot{Frequency: patrol, Reason: core.AsFollower}},
			-6: {"near a radio", []core.Command{core.Start3D{User: -6, Frequency: patrol}}, Slot{Frequency: patrol, Reason: core.As3D}},
		} {
			r.do(core.Connect{Want: id, Owner: id.String()})
			r.do(story.do...)
			l := r.connect(id, client.Options{Net: c.line("10.0.4." + (-id).String())})
			synctest.Wait()
			r.key(-1, patrol)
			a.say(t, 1, 0, 10)
			l.wantHeard(t, story.says, -1, 1, 0, 10)
			want := story.want
			want.Talker, want.Mid = -1, "1"
			if s := l.last(); len(s.Slots) != 1 || s.Slots[0] != want {
				t.Errorf("%s: it was told %+v, want %+v", story.says, s, want)
			}
			r.release(-1)
			l.Close()
			time.Sleep(time.Second)
		}
	})
}
