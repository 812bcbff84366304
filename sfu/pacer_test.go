package sfu

import (
	"encoding/base64"
	"testing"
	"time"
)

// The frames come at moments in ms. want is the media time of some of them, in frames
// after the first one.
func TestTheTimeOfLegacyVoice(t *testing.T) {
	steady := func(from, to, start int) (at []int) {
		for n := from; n < to; n++ {
			at = append(at, start+20*(n-from))
		}
		return at
	}
	const dropped = -1
	for says, c := range map[string]struct {
		at   []int
		want map[int]int // frame: its time
		lost int
	}{
		"a steady talker": {steady(0, 100, 0), map[int]int{0: 0, 50: 50, 99: 99}, 0},
		"a bunch after a stall of 300 ms keeps its place": {
			append(steady(0, 10, 0), 500, 500, 501, 501, 502, 502, 503, 503, 504, 504, 504, 504, 505, 505, 520),
			map[int]int{9: 9, 10: 10, 24: 24}, 0},
		"of a bunch after a stall of 2 s the old part is dropped": {
			func() []int {
				at := steady(0, 10, 0)
				for n := 10; n < 110; n++ {
					at = append(at, 2200+(n-10)/10)
				}
				return at
			}(),
			map[int]int{9: 9, 10: dropped, 90: dropped, 91: 91, 95: 95, 109: 109}, 81},
		"a pause of the talker is no stall": {
			append(steady(0, 10, 0), steady(0, 50, 3000)...),
			map[int]int{9: 9, 10: dropped, 11: 151, 59: 199}, 1},
		"a flood": {make([]int, 500), map[int]int{0: 0, 100: 100, 101: dropped, 499: dropped}, 399},
	} {
		var p pacer
		first, lost := uint32(0), 0
		for n, at := range c.at {
			ts, ok := p.stamp(int64(at)*int64(time.Millisecond)+1e9, 960)
			if n == 0 {
				first = ts
			}
			got := dropped
			if ok {
				got = int(ts-first+480) / 960
			} else {
				lost++
			}
			if want, is := c.want[n]; is && got != want {
				t.Errorf("%s: frame %d is at %d, want %d", says, n, got, want)
			}
		}
		if lost != c.lost {
			t.Errorf("%s: %d frames dropped, want %d", says, lost, c.lost)
		}
	}
}

func TestTheFirstSixtyMillisecondsGoTogether(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		r.tune(-1, patrol)
		r.listen(-1)
		w, _ := c.dispatcher(r, -2, patrol)
		speak := func(burst, from, to int) {
			for n := from; n < to; n++ {
				r.say(-1, patrol, base64.StdEncoding.EncodeToString(word(burst, n)))
				time.Sleep(frameTime)
			}
		}
		r.key(-1, patrol)
		speak(1, 0, 2)
		if n := len(w.all()); n != 0 {
			t.Errorf("%d packets after 40 ms", n)
		}
		speak(1, 2, 3)
		w.wantHeard(t, "after 60 ms", -1, 1, 0, 3)
		r.release(-1)
		r.key(-1, patrol)
		speak(2, 0, 1)
		time.Sleep(50 * time.Millisecond)
		w.wantHeard(t, "a word of 20 ms", -1, 2, 0, 1)
		r.release(-1)
		r.key(-1, patrol)
		speak(3, 0, 1)
		r.release(-1)
		time.Sleep(time.Second)
		w.wantHeard(t, "one that was released at once", -1, 3, 0, 0)
		r.key(-1, patrol)
		speak(4, 0, 20)
		w.wantHeard(t, "the next one", -1, 4, 0, 20)
		w.checkSlots(t)
	})
}
