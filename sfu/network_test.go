package sfu

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
	"squelch/sfu/client"
	"squelch/sfu/line"
)

// inCity runs a story on a simulated network, in simulated time. It returns only after
// every goroutine has ended.
func inCity(t *testing.T, story func(t *testing.T, c *city, r *radio)) {
	t.Helper()
	withRecorder(t, nil, story)
}

// withRecorder is inCity with a recorder.
func withRecorder(t *testing.T, recorder Recorder, story func(t *testing.T, c *city, r *radio)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCity(t)
		defer c.close()
		r := onAir(t, Options{Recorder: recorder})
		defer r.sfu.Close()
		r.listenOn(c.server())
		story(t, c, r)
	})
}

// dispatcher is a console on a line of its own, tuned to a channel.
func (c *city) dispatcher(r *radio, id core.UserID, f core.Frequency) (*console, *access) {
	c.t.Helper()
	l := c.line("10.0.1." + (-id).String())
	r.tune(id, f)
	d := r.console(id, client.Options{Net: l})
	synctest.Wait() // until the server has noticed that it is connected
	return d, l
}

// word is an Opus packet whose bytes say which burst and which frame it is.
func word(burst, n int) []byte {
	return binary.BigEndian.AppendUint32([]byte{31 << 3, byte(burst)}, uint32(n))
}

func spoken(p []byte) (burst, n int) { return int(p[1]), int(binary.BigEndian.Uint32(p[2:])) }

const frameTime = 20 * time.Millisecond

// say sends frames of a burst, 20 ms apart.
func (c *console) say(t *testing.T, burst, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := c.Send(word(burst, n)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(frameTime)
	}
}

// checkSlots puts each slot's packets in the order of their sequence numbers, as a
// receiver does, and reports what no receiver must see: time that does not advance, a
// frame that comes twice or out of order, a burst that begins without a marker.
func (c *console) checkSlots(t *testing.T) {
	t.Helper()
	last := map[int]client.Received{}
	seen := map[[3]int]bool{}
	packets := c.all()
	first := map[int]uint16{}
	for _, p := range packets {
		if _, ok := first[p.Slot]; !ok {
			first[p.Slot] = p.Sequence
		}
	}
	slices.SortStableFunc(packets, func(a, b client.Received) int {
		return cmp.Or(a.Slot-b.Slot, int(int16(a.Sequence-first[a.Slot]))-int(int16(b.Sequence-first[b.Slot])))
	})
	for _, p := range packets {
		burst, n := spoken(p.Payload)
		key := [3]int{int(p.Talker), burst, n}
		if seen[key] {
			t.Errorf("frame %d of burst %d of %d came twice", n, burst, p.Talker)
		}
		seen[key] = true
		before, ok := last[p.Slot]
		last[p.Slot] = p
		if !ok {
			continue
		}
		if int16(p.Sequence-before.Sequence) <= 0 || int32(p.Timestamp-before.Timestamp) <= 0 {
			t.Errorf("slot %d goes from %d at %d to %d at %d", p.Slot, before.Sequence, before.Timestamp, p.Sequence, p.Timestamp)
		}
		was, m := spoken(before.Payload)
		switch {
		case p.Talker == before.Talker && burst == was && n <= m:
			t.Errorf("slot %d: frame %d came after %d", p.Slot, n, m)
		case (p.Talker != before.Talker || burst != was) && !p.Marker && p.Sequence == before.Sequence+1:
			t.Errorf("slot %d: burst %d of %d begins without a mark", p.Slot, burst, p.Talker)
		}
	}
}

func TestVoiceOverAPerfectLine(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		b, _ := c.dispatcher(r, -2, patrol)
		for burst := range 5 {
			r.key(-1, patrol)
			a.say(t, burst, 0, 50)
			r.release(-1)
			time.Sleep(500 * time.Millisecond)
		}
		got := b.all()
		if len(got) != 250 {
			t.Fatalf("%d of 250 frames were heard", len(got))
		}
		for i, p := range got {
			if burst, n := spoken(p.Payload); burst != i/50 || n != i%50 || p.Marker != (n == 0) || p.Talker != -1 || p.Sequence != got[0].Sequence+uint16(i) {
				t.Fatalf("frame %d is %+v", i, p)
			}
		}
		if gap := got[50].Timestamp - got[49].Timestamp; gap != 26*960 {
			t.Errorf("after half a second of silence the time is %d samples on, want 26 frames", gap)
		}
		b.checkSlots(t)
		if len(a.all()) != 0 {
			t.Error("the talker hears itself")
		}
	})
}

// Firefox begins with a datagram of 1408 bytes; 1472 is the longest that Ethernet
// carries over IPv4.
func TestAHandshakeMayBeginWithALongDatagram(t *testing.T) {
	for _, length := range []int{1200, 1408, 1472} {
		t.Run(strconv.Itoa(length), func(t *testing.T) {
			inCity(t, func(t *testing.T, c *city, r *radio) {
				listener, _ := c.dispatcher(r, -2, patrol)
				l := c.line("10.0.1.1")
				l.hello = length
				r.tune(-1, patrol)
				talker := r.console(-1, client.Options{Net: l})
				synctest.Wait()
				r.key(-1, patrol)
				talker.say(t, 1, 0, 25)
				listener.wantHeard(t, "by the other", -1, 1, 0, 25)
			})
		})
	}
}

// The client chooses the payload types: Opus is 111 in Chromium and 109 in Firefox,
// which does not play what comes with another one.
func TestVoiceComesUnderTheClientsOwnNumberForOpus(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		firefox := client.Options{Net: c.line("10.0.1.1"), PayloadType: 109}
		r.tune(-1, patrol)
		a := r.console(-1, firefox)
		b, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		a.say(t, 1, 0, 25)
		r.release(-1)
		r.key(-2, patrol)
		b.say(t, 2, 0, 25)
		b.wantHeard(t, "by 111 from 109", -1, 1, 0, 25)
		a.wantHeard(t, "by 109 from 111", -2, 2, 0, 25)
	})
}

func TestVoiceOverABadLine(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, up := c.dispatcher(r, -1, patrol)
		b, down := c.dispatcher(r, -2, patrol)
		for _, l := range []*access{up, down} {
			l.set(func(l *access) { l.loss, l.delay, l.jitter = 0.05, 30*time.Millisecond, 100*time.Millisecond })
		}
		const bursts, frames = 10, 200
		heard := map[int]int{}
		for burst := range bursts {
			r.key(-1, patrol)
			a.say(t, burst, 0, frames)
			time.Sleep(300 * time.Millisecond) // clients hold the key for the tail of the voice
			r.release(-1)
			time.Sleep(500 * time.Millisecond)
		}
		for _, p := range b.all() {
			burst, _ := spoken(p.Payload)
			heard[burst]++
		}
		for burst := range bursts {
			// 5 % are lost on each line. Packets that come late are late, not lost.
			if heard[burst] < frames*85/100 {
				t.Errorf("of burst %d only %d of %d frames were heard", burst, heard[burst], frames)
			}
		}
		b.checkSlots(t)
		st := r.sfu.Stats()
		if up := st.Peers[1].Up; up.Lost < bursts*frames*3/100 || up.Lost > bursts*frames*12/100 || up.Jitter < 20*time.Millisecond || up.Jitter > 80*time.Millisecond {
			t.Errorf("the talker's line is measured as %+v", up)
		}
		if on := st.Channels[0]; on.Lost < bursts*frames*3/100 || on.Packets < bursts*frames*8/10 {
			t.Errorf("the channel is measured as %+v", on)
		}
		down0 := st.Peers[0].Slots[0]
		if down0.Lost < 120 || down0.Lost > 320 || // of both lines: the listener sees the gaps of the talk
			down0.Jitter < 20*time.Millisecond || down0.RoundTrip < 60*time.Millisecond || down0.RoundTrip > 260*time.Millisecond {
			t.Errorf("the listener's line is measured as %+v", down0)
		}
	})
}

func TestTheLinkComesBack(t *testing.T) {
	for _, c := range []struct {
		says    string
		talkers bool // the talker's link, else the listener's
		moves   bool
	}{
		{"a listener at the same address", false, false},
		{"a listener at another address", false, true},
		{"a talker at the same address", true, false},
		{"a talker at another address", true, true},
	} {
		t.Run(c.says, func(t *testing.T) {
			inCity(t, func(t *testing.T, city *city, r *radio) {
				a, up := city.dispatcher(r, -1, patrol)
				b, down := city.dispatcher(r, -2, patrol)
				lost := down
				if c.talkers {
					lost = up
				}
				r.key(-1, patrol)
				a.say(t, 0, 0, 100)
				lost.set(func(l *access) { l.cut = true })
				a.say(t, 0, 100, 600)
				if c.moves {
					if err := lost.move(); err != nil {
						t.Fatal(err)
					}
				}
				lost.set(func(l *access) { l.cut = false })
				a.say(t, 0, 600, 900)
				back, before := -1, 0
				for _, p := range b.all() {
					if _, n := spoken(p.Payload); n < 100 {
						before++
					} else if back < 0 {
						back = n
					}
				}
				if before != 100 || back < 600 || back > 700 {
					t.Errorf("%d of 100 frames before; the link returned at frame 600, voice at frame %d (-1: never)", before, back)
				}
				b.checkSlots(t)
			})
		})
	}
}

func TestALostClientIsGivenUp(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		b, down := c.dispatcher(r, -2, patrol)
		spare := r.listen(-2)
		r.tune(-1, patrol)
		r.listen(-1)
		r.key(-1, patrol)
		down.set(func(l *access) { l.cut = true })
		time.Sleep(20 * time.Second)
		r.say(-1, patrol, "b25l")
		if len(b.ends()) != 0 || spare.count() != 0 {
			t.Errorf("after 20 s: ended %v, %d frames on the other way", b.ends(), spare.count())
		}
		time.Sleep(20 * time.Second)
		r.say(-1, patrol, "dHdv")
		if got := b.ends(); len(got) != 1 || got[0] != line.ErrLost {
			t.Errorf("after 40 s: ended %v", got)
		}
		if spare.count() != 1 {
			t.Errorf("%d frames came the other way instead", spare.count())
		}
		if st := r.sfu.Stats(); len(st.Peers) != 0 {
			t.Errorf("still there: %+v", st.Peers)
		}
	})
}

func TestAClientThatNeverComesIsGivenUp(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		l := c.line("10.0.1.9")
		l.cut = true
		ended := make(chan error, 1)
		go func() {
			time.Sleep(25 * time.Second)
			if n := len(r.sfu.Stats().Peers); n != 1 {
				t.Errorf("%d peers are being connected", n)
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := client.Dial(ctx, client.Options{Net: l}, func(ctx context.Context, offer string) (string, error) {
			return r.sfu.Answer(ctx, -9, offer, PeerEvents{Closed: func(err error) { ended <- err }})
		})
		if err == nil {
			t.Fatal("connected over a cut line")
		}
		if err := <-ended; err != errNeverConnected {
			t.Errorf("ended with %v", err)
		}
		if st := r.sfu.Stats(); len(st.Peers) != 0 {
			t.Errorf("still there: %+v", st.Peers)
		}
	})
}
