package sfu

import (
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"squelch/core"
)

// frames are the numbers of the frames of one burst that a legacy client heard.
func (k *ear) frames(t *testing.T, from core.UserID, burst int) (frames []int) {
	t.Helper()
	for _, h := range k.all() {
		b, err := base64.StdEncoding.DecodeString(h.text)
		if err != nil {
			t.Fatal(err)
		}
		if at, n := spoken(b); h.from == from && at == burst {
			frames = append(frames, n)
		}
	}
	return frames
}

func numbers(from, to int) (all []int) {
	for n := from; n < to; n++ {
		all = append(all, n)
	}
	return all
}

// tells sends the counts of a console as it makes them while it hears nothing.
func (c *console) tells(r *radio, id core.UserID) {
	if len(c.all()) > 0 {
		r.sfu.Report(id, []SlotReport{c.counts()})
	}
}

// talkToBoth has desk -1, a, key up on the patrol channel, where desk -2 listens: by w over
// WebRTC, and by old over the socket, as soon as w is closed. down is the way to w.
func (c *city) talkToBoth(r *radio) (old *ear, a, w *console, down *access) {
	c.t.Helper()
	old = r.listen(-2)
	a, _ = c.dispatcher(r, -1, patrol)
	w, down = c.dispatcher(r, -2, patrol)
	r.key(-1, patrol)
	return old, a, w, down
}

func TestWhatWasSaidWhileTheLineWasDeadIsHeardOverTheSocket(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		old, a, w, down := c.talkToBoth(r)
		a.say(t, 1, 0, 50)
		down.set(func(l *access) { l.loss = 1 })
		a.say(t, 1, 50, 100) // a second into the void
		w.tells(r, -2)
		a.say(t, 1, 100, 105)
		r.sfu.ClosePeer(-2)
		a.say(t, 1, 105, 110)
		w.wantHeard(t, "over WebRTC", -1, 1, 0, 50)
		if got := old.frames(t, -1, 1); !slices.Equal(got, numbers(50, 110)) {
			t.Errorf("over the socket: heard %v, want 50 to 109, each once", got)
		}
	})
}

func TestATalkThatEndedOnADeadLineIsHeardToo(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		old, a, w, down := c.talkToBoth(r)
		a.say(t, 1, 0, 20)
		down.set(func(l *access) { l.loss = 1 })
		a.say(t, 1, 20, 40)
		r.release(-1)
		time.Sleep(time.Second)
		r.key(-1, patrol)
		a.say(t, 2, 0, 20)
		w.tells(r, -2)
		r.sfu.ClosePeer(-2)
		a.say(t, 2, 20, 25)
		if got := old.frames(t, -1, 1); !slices.Equal(got, numbers(20, 40)) {
			t.Errorf("the first talk over the socket: %v, want 20 to 39", got)
		}
		if got := old.frames(t, -1, 2); !slices.Equal(got, numbers(0, 25)) {
			t.Errorf("the second: %v, want 0 to 24", got)
		}
		b, _ := base64.StdEncoding.DecodeString(old.all()[0].text)
		if burst, _ := spoken(b); burst != 1 {
			t.Errorf("talk %d is heard first", burst)
		}
	})
}

func TestNothingIsHeardTwiceWhenAHealthyLineIsClosed(t *testing.T) {
	for says, reports := range map[string]bool{"without a report": false, "with one": true} {
		inCity(t, func(t *testing.T, c *city, r *radio) {
			old, a, w, _ := c.talkToBoth(r)
			a.say(t, 1, 0, 50)
			if reports {
				w.tells(r, -2)
			}
			a.say(t, 1, 50, 100)
			r.sfu.ClosePeer(-2)
			a.say(t, 1, 100, 110)
			w.wantHeard(t, "over WebRTC", -1, 1, 0, 100)
			if got := old.frames(t, -1, 1); !slices.Equal(got, numbers(100, 110)) {
				t.Errorf("%s: over the socket heard %v, want 100 to 109", says, got)
			}
		})
	}
}

func TestWhatIsOutOfDateIsNotSaidAgain(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		old, a, w, down := c.talkToBoth(r)
		a.say(t, 1, 0, 20)
		down.set(func(l *access) { l.loss = 1 })
		a.say(t, 1, 20, 40)
		w.tells(r, -2)
		r.release(-1)
		time.Sleep(unheardTalk + time.Second)
		w.tells(r, -2)
		r.sfu.ClosePeer(-2)
		if n := old.count(); n != 0 {
			t.Errorf("%d frames of a talk that is over for %v", n, unheardTalk+time.Second)
		}
	})
}
