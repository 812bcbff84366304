package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/server/ogg"
	"squelch/server/ogg/demo"
	sfu "squelch/sfu/client"
)

// Load is the load on a server.
type Load struct {
	WebRTC   int           `json:"webrtc"`   // listeners, spread over the channels
	Legacy   int           `json:"legacy"`   // Socket.IO listeners
	Channels int           `json:"channels"` // one talker each
	Steady   time.Duration `json:"steady"`   // one long burst per talker, measured
	Bursts   int           `json:"bursts"`   // short bursts, for the time from key-up to sound
}

// Result is what one server did with it. Times are milliseconds. Figures of a peer are of
// its voice connection alone, without what the client had before. Those that only the
// server itself knows are 0 if it does not say them.
type Result struct {
	Server        string  `json:"server"`
	Delivered     int64   `json:"delivered"`       // packets that reached listeners in the steady phase
	Expected      int64   `json:"expected"`        // packets sent × listeners of the channel
	OutOfOrder    int64   `json:"outOfOrder"`      // WebRTC packets whose number did not follow the one before
	CPUPerPacket  float64 `json:"cpuPerPacket"`    // µs of the server's CPU, without the idle load
	Allocations   float64 `json:"allocsPerPacket"` // per delivered packet
	SetupCPU      float64 `json:"setupCPU"`        // of the server, for one voice connection
	IdleCPU       float64 `json:"idleCPU"`         // per cent of a core for 1000 idle peers
	PeerKB        float64 `json:"peerKB"`          // memory of one idle peer, KB
	Goroutines    float64 `json:"goroutines"`      // of one idle peer
	KeyUpP50      float64 `json:"keyUpP50"`        // from key-up to the first packet at a listener, which is sent when the floor is granted
	KeyUpP99      float64 `json:"keyUpP99"`
	EarlyKeyUpP50 float64 `json:"earlyKeyUpP50"` // the same when the voice does not wait for the grant
	EarlyKeyUpP99 float64 `json:"earlyKeyUpP99"`
	Recorded      int64   `json:"recorded,omitempty"` // packets on the shelf, of all phases
	RecordedLost  int64   `json:"recordedLost,omitempty"`
}

const (
	// frameTime is the pace of voice.
	frameTime = 20 * time.Millisecond
	// settle lets a server come to rest before it is measured.
	settle = 2 * time.Second
	// idling is how long it is watched at rest: the clock of CPU use ticks every 10 ms.
	idling = 10 * time.Second
	// shortBurst is ten frames: enough to be heard, short enough to repeat.
	shortBurst = 10
	// pauseBetween is longer than any pre-roll, tail or re-arming.
	pauseBetween = 600 * time.Millisecond
	// dialAtOnce is how many clients connect at the same time.
	dialAtOnce = 8
)

// run is one measurement in progress.
type run struct {
	load     Load
	p        *process
	st       station
	note     func(format string, args ...any)
	seats    []seat // of the talkers, then of the listeners
	ears     []*ear
	talkers  []talker
	packets  [][]byte
	closing  []func()
	mu       sync.Mutex
	keyed    []atomic.Int64 // per channel: when the running burst was keyed, ns
	keyUps   []float64
	legacyIn atomic.Int64
}

// ear is one WebRTC listener's count.
type ear struct {
	count, disorder atomic.Int64
	last            [sfu.Slots]int32 // sequence + 1; only the slot's goroutine uses it
	heardKey        atomic.Int64     // the burst whose first packet was heard
}

func measure(ctx context.Context, name string, p *process, st station, load Load, note func(string, ...any)) (Result, error) {
	r := &run{load: load, p: p, st: st, note: note, keyed: make([]atomic.Int64, load.Channels)}
	defer r.close()
	packets, err := speech()
	if err != nil {
		return Result{}, err
	}
	r.packets = packets
	res := Result{Server: name}
	idle, err := r.idle(ctx, name, &res)
	if err != nil {
		return res, err
	}
	if err := r.steady(ctx, name, &res, idle); err != nil {
		return res, err
	}
	if res.KeyUpP50, res.KeyUpP99, err = r.bursts(ctx, name, true); err != nil {
		return res, err
	}
	res.EarlyKeyUpP50, res.EarlyKeyUpP99, err = r.bursts(ctx, name, false)
	return res, err
}

// idle connects everybody, and measures what the voice connections cost while nobody
// talks. It returns the idle load of the server, as a part of a core.
func (r *run) idle(ctx context.Context, name string, res *Result) (float64, error) {
	if err := r.sit(ctx); err != nil {
		return 0, err
	}
	r.note("%s: idle without voice", name)
	seated, before, err := r.rest(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.connect(ctx); err != nil {
		return 0, err
	}
	if err := pause(ctx, settle); err != nil {
		return 0, err
	}
	up, err := r.p.usage()
	if err != nil {
		return 0, err
	}
	r.note("%s: idle", name)
	connected, after, err := r.rest(ctx)
	if err != nil {
		return 0, err
	}
	peers := float64(len(r.seats))
	res.SetupCPU = (up.cpu - seated.cpu).Seconds() * 1000 / peers
	res.IdleCPU = max(0, after-before) * 100 * 1000 / peers
	res.PeerKB = float64(connected.rss-seated.rss) / 1024 / peers
	res.Goroutines = float64(connected.Goroutines-seated.Goroutines) / peers
	return after, nil
}

// rest lets the server come to rest and returns its idle load, and its use after that.
func (r *run) rest(ctx context.Context) (end usage, load float64, err error) {
	if err := pause(ctx, settle); err != nil {
		return end, 0, err
	}
	if _, err := r.p.usage(); err != nil { // it gives back what it does not need
		return end, 0, err
	}
	begin, err := r.p.cpu()
	if err != nil {
		return end, 0, err
	}
	if err := pause(ctx, idling); err != nil {
		return end, 0, err
	}
	idle, err := r.p.cpu()
	if err != nil {
		return end, 0, err
	}
	end, err = r.p.usage()
	return end, float64(idle-begin) / float64(idling), err
}

// speech is the demo's packets.
func speech() ([][]byte, error) {
	r, err := ogg.NewReader(bytes.NewReader(demo.Speech))
	if err != nil {
		return nil, err
	}
	var packets [][]byte
	for {
		p, err := r.Next()
		if err == io.EOF {
			return packets, nil
		}
		if err != nil {
			return nil, err
		}
		packets = append(packets, bytes.Clone(p))
	}
}

// sit brings every client to its channel: talkers, then listeners, then the listeners over
// Socket.IO.
func (r *run) sit(ctx context.Context) error {
	r.seats = make([]seat, r.load.Channels+r.load.WebRTC)
	crowd := newCrowd(ctx, r)
	for i := range r.seats {
		crowd.add(func() (func(), error) {
			s, err := r.st.sit(ctx, core.UserID(-1-i), r.channel(i))
			if err != nil {
				return nil, err
			}
			r.seats[i] = s
			return s.close, nil
		})
	}
	for i := range r.load.Legacy {
		crowd.add(func() (func(), error) {
			return r.st.listenLegacy(ctx, core.UserID(-1-len(r.seats)-i), i%r.load.Channels, func() { r.legacyIn.Add(1) })
		})
	}
	return crowd.wait()
}

// channel is that of the i-th seat.
func (r *run) channel(i int) int {
	if i < r.load.Channels {
		return i
	}
	return (i - r.load.Channels) % r.load.Channels
}

// connect opens the voice connections.
func (r *run) connect(ctx context.Context) error {
	r.talkers = make([]talker, r.load.Channels)
	talkers := newCrowd(ctx, r)
	for i := range r.talkers {
		talkers.add(func() (end func(), err error) {
			r.talkers[i], err = r.seats[i].talk(ctx)
			return nil, err
		})
	}
	if err := talkers.wait(); err != nil { // a plain SFU must know the talkers first
		return err
	}
	listeners := newCrowd(ctx, r)
	for i, s := range r.seats[r.load.Channels:] {
		e := &ear{}
		r.ears = append(r.ears, e)
		channel := r.channel(r.load.Channels + i)
		listeners.add(func() (func(), error) {
			return nil, s.listen(ctx, func(p sfu.Received) { r.heard(e, channel, p) })
		})
	}
	return listeners.wait()
}

// crowd brings up many clients, dialAtOnce at a time.
type crowd struct {
	ctx    context.Context
	run    *run
	group  sync.WaitGroup
	slots  chan struct{}
	failed atomic.Pointer[error]
	up     atomic.Int64
}

func newCrowd(ctx context.Context, r *run) *crowd {
	return &crowd{ctx: ctx, run: r, slots: make(chan struct{}, dialAtOnce)}
}

// add brings one up, unless another one has failed. What ends it may be nil.
func (c *crowd) add(dial func() (end func(), err error)) {
	c.slots <- struct{}{}
	c.group.Go(func() {
		defer func() { <-c.slots }()
		if c.ctx.Err() != nil || c.failed.Load() != nil {
			return
		}
		end, err := dial()
		if err != nil {
			c.failed.CompareAndSwap(nil, &err)
			return
		}
		if end != nil {
			c.run.mu.Lock()
			c.run.closing = append(c.run.closing, end)
			c.run.mu.Unlock()
		}
		if n := c.up.Add(1); n%20 == 0 {
			c.run.note("%d clients connected", n)
		}
	})
}

func (c *crowd) wait() error {
	c.group.Wait()
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return c.ctx.Err()
}

func (r *run) heard(e *ear, channel int, p sfu.Received) {
	e.count.Add(1)
	if last := e.last[p.Slot]; last != 0 && uint16(last) != p.Sequence {
		e.disorder.Add(1)
	}
	e.last[p.Slot] = int32(p.Sequence + 1)
	if e.last[p.Slot] == 0 {
		e.last[p.Slot] = 1 << 16 // the next one after 65535 is 0; 0 means none yet
	}
	key := r.keyed[channel].Load()
	if key != 0 && e.heardKey.Swap(key) != key {
		ms := float64(time.Now().UnixNano()-key) / 1e6
		r.mu.Lock()
		r.keyUps = append(r.keyUps, ms)
		r.mu.Unlock()
	}
}

// steady lets every talker speak in one long burst and measures the server.
func (r *run) steady(ctx context.Context, name string, res *Result, idle float64) error {
	frames := int(r.load.Steady / frameTime)
	if err := r.talk(ctx, 25, true); err != nil { // warm up, unmeasured
		return err
	}
	if err := pause(ctx, pauseBetween); err != nil {
		return err
	}
	counted := r.count()
	legacy := r.legacyIn.Load()
	from, err := r.p.usage()
	if err != nil {
		return err
	}
	began := time.Now()
	r.note("%s: %v of voice to %d listeners", name, r.load.Steady, r.load.WebRTC+r.load.Legacy)
	if err := r.talk(ctx, frames, true); err != nil {
		return err
	}
	if err := pause(ctx, pauseBetween); err != nil {
		return err
	}
	to, err := r.p.usage()
	if err != nil {
		return err
	}
	res.Delivered = r.count() - counted + r.legacyIn.Load() - legacy
	res.Expected = int64(frames) * int64(r.load.WebRTC+r.load.Legacy)
	for _, e := range r.ears {
		res.OutOfOrder += e.disorder.Load()
	}
	if res.Delivered == 0 {
		return fmt.Errorf("%s: nothing was heard", name)
	}
	cpu := float64(to.cpu-from.cpu) - idle*float64(time.Since(began))
	res.CPUPerPacket = cpu / 1000 / float64(res.Delivered)
	res.Allocations = float64(to.Mallocs-from.Mallocs) / float64(res.Delivered)
	return nil
}

// bursts measures the time from key-up to sound. polite talkers wait for the grant.
func (r *run) bursts(ctx context.Context, name string, polite bool) (p50, p99 float64, err error) {
	r.mu.Lock()
	r.keyUps = nil
	r.mu.Unlock()
	for n := range r.load.Bursts {
		r.note("%s: key-up %d of %d", name, n+1, r.load.Bursts)
		if err := r.talk(ctx, shortBurst, polite); err != nil {
			return 0, 0, err
		}
		if err := pause(ctx, pauseBetween); err != nil {
			return 0, 0, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keyUps) == 0 {
		return 0, 0, nil
	}
	slices.Sort(r.keyUps)
	return r.keyUps[len(r.keyUps)/2], r.keyUps[len(r.keyUps)*99/100], nil
}

// talk lets all talkers send one burst, paced by an absolute schedule.
func (r *run) talk(ctx context.Context, frames int, polite bool) error {
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	for ch := range r.talkers {
		group.Go(func() {
			t := r.talkers[ch]
			r.keyed[ch].Store(time.Now().UnixNano())
			err := t.keyUp(ctx, polite)
			began := time.Now()
			for n := 0; n < frames && err == nil; n++ {
				if err = t.send(r.packets[n%len(r.packets)]); err == nil {
					err = pause(ctx, time.Until(began.Add(time.Duration(n+1)*frameTime)))
				}
			}
			if err == nil {
				err = t.release()
			}
			if err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *run) count() (n int64) {
	for _, e := range r.ears {
		n += e.count.Load()
	}
	return n
}

func (r *run) close() {
	r.note("closing %d clients", len(r.closing))
	var group sync.WaitGroup
	slots := make(chan struct{}, 4*dialAtOnce)
	for _, end := range r.closing {
		slots <- struct{}{}
		group.Go(func() { end(); <-slots })
	}
	group.Wait()
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
