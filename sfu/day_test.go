package sfu

import (
	"context"
	"math"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/line"
	"squelch/sfu/phone"
	"squelch/sfu/stream"
)

// shift is how long a story of a day is, and for how many.
type shift struct {
	long   time.Duration
	phones int
	every  time.Duration // how often somebody keys up on the patrol channel
	burst  int           // frames
}

// dayVariable asks for the whole day; `just test-long` sets it.
const dayVariable = "SQUELCH_DAY"

// theShift is a day for 200 phones, somebody on the air for more than a fifth of it, or what
// fits the daily tests. Either lets the numbers of each stream go round. The engine that is
// not the default has two hours of the long one.
func theShift() shift {
	switch {
	case os.Getenv(dayVariable) == "":
		return shift{2 * time.Hour, 5, 20 * time.Second, 100}
	case carrier == OneSocket:
		return shift{24 * time.Hour, 200, 20 * time.Second, 200}
	}
	return shift{2 * time.Hour, 200, 20 * time.Second, 200}
}

const (
	// keyers are how many take turns on the patrol channel.
	keyers = 4
	// checkEvery and tellEvery are the pace of browsers: of connectivity checks, and of
	// reports on what they hear.
	checkEvery = 2500 * time.Millisecond
	tellEvery  = 5 * time.Second
	// Left behind: what a phone may take more at the end than after the first hour, in
	// bytes, and what the rest of the process may.
	leftByPhone, leftByRest = 4 << 10, 512 << 10
)

// TestADayOnTheAir: everybody hears everything, numbered without a gap, at its time, from
// the first hour to the last; one phone that falls silent is dropped, and nobody else.
func TestADayOnTheAir(t *testing.T) {
	d := theShift()
	begun := time.Now()
	synctest.Test(t, func(t *testing.T) {
		c := newCity(t)
		defer c.close()
		r := onAir(t, Options{})
		defer r.sfu.Close()
		e := newEther(c.attach("10.0.0.1"))
		r.listenOn(Network{UDP: serverAddress, simulated: e})
		day := &day{t: t, r: r, ether: e}
		day.musters(d.phones)
		deserter := day.join(-core.UserID(d.phones + 1))
		day.begins()
		synctest.Wait()

		go day.checks()
		go day.onPatrol(d)
		go day.onFire()
		var goroutines int
		var heap uint64
		for hour := range int(d.long / time.Hour) {
			time.Sleep(time.Hour)
			if hour == 0 {
				deserter.silent.Store(true)
			}
			n, bytes := costs()
			t.Logf("hour %2d: %d goroutines, %.2f MB, %d packets heard", hour+1, n, float64(bytes)/(1<<20), day.heard())
			if hour == 0 {
				goroutines, heap = n, bytes
			}
		}
		close(day.over)
		day.hands.Wait()
		time.Sleep(2 * reportEvery)
		synctest.Wait()
		runtime.GC()
		n, bytes := costs()
		if n > goroutines {
			t.Errorf("%d goroutines after the first hour, %d at the end", goroutines, n)
		}
		if most := heap + uint64(d.phones*leftByPhone+leftByRest); bytes > most {
			t.Errorf("%d bytes after the first hour, %d at the end", heap, bytes)
		}
		day.ends(d, deserter)
	})
	t.Logf("%v for %d phones in %v", d.long, d.phones, time.Since(begun).Round(time.Second))
}

// ends looks at what everybody has after the day.
func (y *day) ends(d shift, deserter *watchman) {
	t := y.t
	if got := deserter.gone.Load(); got == nil || *got != line.ErrLost {
		t.Errorf("the phone that fell silent: %v", got)
	}
	frames, wraps := 0, uint32(math.MaxUint32)
	for _, k := range y.keyers {
		frames += k.sent
		report := k.said.Load()
		if want := k.first + uint32(k.sent) - 1; report != want {
			t.Errorf("%d was last told of packet %d of its own, want %d: roll-overs count", k.id, report, want)
		}
	}
	for _, w := range y.phones {
		if gone := w.gone.Load(); gone != nil {
			t.Errorf("phone %d was dropped: %v", w.id, *gone)
		}
		if wrong := w.wrong.Load(); wrong != nil {
			t.Errorf("phone %d: %s", w.id, *wrong)
		}
		if w.answered.Load() != w.checked {
			t.Errorf("phone %d made %d checks, %d were answered", w.id, w.checked, w.answered.Load())
		}
		own := 0
		for _, k := range y.keyers {
			if k.watchman == w {
				own = k.sent
			}
		}
		if w.packets != frames-own {
			t.Errorf("phone %d heard %d of %d packets", w.id, w.packets, frames-own)
		}
		if len(w.reports) == 0 {
			t.Errorf("phone %d was told of no clock", w.id)
		}
		for ssrc, h := range w.slots {
			if w.RollOver(ssrc) != h.wraps {
				t.Errorf("phone %d: roll-over counter %d, the numbers went round %d times", w.id, w.RollOver(ssrc), h.wraps)
			}
			if h.turned != 1 {
				t.Errorf("phone %d: the timestamps of a slot went round %d times", w.id, h.turned)
			}
			wraps = min(wraps, h.wraps)
		}
		if len(w.slots) < 2 {
			t.Errorf("phone %d heard %d slots", w.id, len(w.slots))
		}
	}
	least := uint32(1)
	if d.long >= 24*time.Hour {
		least = 3
	}
	if wraps < least {
		t.Errorf("on some slot the numbers went round only %d times", wraps)
	}
	t.Logf("%v on the air: %d frames, %d packets heard, numbers went round at least %d times on each slot", d.long, frames, y.heard(), wraps)
}

// musters brings everybody onto the radio.
func (y *day) musters(n int) {
	y.over = make(chan struct{})
	for id := range n {
		y.phones = append(y.phones, y.join(-1-core.UserID(id)))
	}
	for i := range keyers {
		y.keyers = append(y.keyers, newKeyer(y.phones[i]))
	}
	y.fireman = newKeyer(y.phones[keyers])
	y.keyers = append(y.keyers, y.fireman)
}

// join makes a phone with an open connection, on patrol, which scans fire.
func (y *day) join(id core.UserID) *watchman {
	t := y.t
	t.Helper()
	own, err := phone.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	w := &watchman{id: id, slots: map[uint32]*heardSlot{}, reports: map[uint32]uint32{}}
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(1 + -id>>8), byte(-id)}), 5000)
	w.Phone = phone.New(own, y.ether.attach(at, w.take))
	y.r.tune(id, patrol)
	y.r.do(core.StartScan{User: id, Frequency: fire})
	answer, err := y.r.sfu.Answer(t.Context(), id, w.Offer(4), PeerEvents{Closed: func(reason error) { w.gone.Store(&reason) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Answered(answer); err != nil {
		t.Fatal(err)
	}
	w.check(t)
	synctest.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := w.Shake(ctx, 1200); err != nil {
		t.Fatalf("%d: %v", id, err)
	}
	synctest.Wait()
	w.Forget()
	return w
}

// begins puts the numbers of all slots where they go round soon: timestamps half an hour
// after the beginning.
func (y *day) begins() {
	const start = 1<<32 - 30*60*stream.Rate
	for _, u := range *y.r.sfu.users.Load() {
		for _, s := range u.peer.slots {
			s.mu.Lock()
			s.out = stream.NewOut(1<<16-3000, start)
			s.mu.Unlock()
		}
	}
}

// heard is how many packets all have heard.
func (y *day) heard() (n int) {
	for _, w := range y.phones {
		w.mu.Lock()
		n += w.packets
		w.mu.Unlock()
	}
	return n
}

// checks makes everybody's connectivity checks and reports, until the day is over.
func (y *day) checks() {
	y.hands.Add(1)
	defer y.hands.Done()
	for n := 0; ; n++ {
		select {
		case <-y.over:
			return
		case <-time.After(checkEvery):
		}
		for _, w := range y.phones {
			if w.silent.Load() {
				continue
			}
			w.check(y.t)
			if time.Duration(n)*checkEvery%tellEvery == 0 {
				w.tell(y.t)
			}
		}
	}
}

// onPatrol lets the keyers take turns.
func (y *day) onPatrol(d shift) {
	y.hands.Add(1)
	defer y.hands.Done()
	for n := 0; ; n++ {
		select {
		case <-y.over:
			return
		case <-time.After(d.every - time.Duration(d.burst)*frameTime):
		}
		// Nobody keys up on the beat of a clock.
		time.Sleep(time.Duration(n*7919%20_000) * time.Microsecond)
		y.keyers[n%keyers].talks(y, patrol, d.burst)
	}
}

// onFire lets somebody talk on the other channel, at times while the patrol is talking.
func (y *day) onFire() {
	y.hands.Add(1)
	defer y.hands.Done()
	for {
		select {
		case <-y.over:
			return
		case <-time.After(29*time.Second + 7*time.Millisecond):
		}
		y.fireman.talks(y, fire, 50)
	}
}

// keyer is a phone that talks.
type keyer struct {
	*watchman
	first    uint32 // extended sequence number of its first packet
	sent     int
	from     uint32 // timestamp of the beginning
	fromWhen time.Time
}

// newKeyer makes one whose own numbers go round soon.
func newKeyer(w *watchman) *keyer {
	return &keyer{watchman: w, first: 1<<16 - 2000, from: math.MaxUint32 - 48_000*1000, fromWhen: time.Now()}
}

func (k *keyer) talks(y *day, on core.Frequency, frames int) {
	y.r.key(k.id, on)
	k.says(y.t, frames, func(int) {})
	y.r.release(k.id)
}

// says sends frames of a talk, 20 ms apart, and calls before each.
func (k *keyer) says(t *testing.T, frames int, before func(n int)) {
	t.Helper()
	start := k.from + uint32(time.Since(k.fromWhen)/frameTime*frameSamples)
	for n := range frames {
		before(n)
		h := rtp.Header{PayloadType: 111, SSRC: 7, SequenceNumber: uint16(k.first + uint32(k.sent)), Timestamp: start + uint32(n)*frameSamples, Marker: k.sent == 0}
		if err := k.Talk(h, word(1, n)); err != nil {
			t.Error(err)
		}
		k.sent++
		time.Sleep(frameTime)
	}
}
