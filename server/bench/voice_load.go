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

// Result is what one server did with it. Times are milliseconds.
type Result struct {
	Server       string  `json:"server"`
	Delivered    int64   `json:"delivered"`    // packets that reached listeners in the steady phase
	Expected     int64   `json:"expected"`     // packets sent × listeners of the channel
	OutOfOrder   int64   `json:"outOfOrder"`   // WebRTC packets whose number did not follow the one before
	CPUPerPacket float64 `json:"cpuPerPacket"` // µs of the server's CPU, without the idle load
	PeerKB       float64 `json:"peerKB"`       // memory of one idle WebRTC listener, KB
	KeyUpP50     float64 `json:"keyUpP50"`     // from key-up to the first packet at a listener
	KeyUpP99     float64 `json:"keyUpP99"`
}

const (
	// frameTime is the pace of voice.
	frameTime = 20 * time.Millisecond
	// settle lets a server come to rest before it is measured.
	settle = 2 * time.Second
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
	before, err := p.usage()
	if err != nil {
		return res, err
	}
	if err := r.connect(ctx); err != nil {
		return res, err
	}
	note("%s: idle", name)
	if err := pause(ctx, settle); err != nil {
		return res, err
	}
	connected, err := p.usage()
	if err != nil {
		return res, err
	}
	if load.WebRTC > 0 {
		res.PeerKB = float64(connected.rss-before.rss) / 1024 / float64(load.WebRTC+load.Legacy+load.Channels)
	}
	if err := pause(ctx, settle); err != nil {
		return res, err
	}
	idle, err := p.usage()
	if err != nil {
		return res, err
	}
	if err := r.steady(ctx, name, &res, float64(idle.cpu-connected.cpu)/float64(settle)); err != nil {
		return res, err
	}
	return res, r.bursts(ctx, name, &res)
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

// connect brings up every listener and talker.
func (r *run) connect(ctx context.Context) error {
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	slots := make(chan struct{}, dialAtOnce)
	var up atomic.Int64
	dial := func(f func() (func(), error)) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil || failed.Load() != nil {
				return
			}
			end, err := f()
			if err != nil {
				failed.CompareAndSwap(nil, &err)
				return
			}
			r.mu.Lock()
			r.closing = append(r.closing, end)
			r.mu.Unlock()
			if n := up.Add(1); n%20 == 0 {
				r.note("%d clients connected", n)
			}
		})
	}
	id := core.UserID(-1)
	r.talkers = make([]talker, r.load.Channels)
	for ch := range r.load.Channels {
		me := id
		id--
		dial(func() (func(), error) {
			t, err := r.st.talk(ctx, me, ch)
			r.talkers[ch] = t
			return t.close, err
		})
	}
	group.Wait() // a plain SFU must know the talkers first
	for i := range r.load.WebRTC {
		me, e, ch := id, &ear{}, i%r.load.Channels
		id--
		r.ears = append(r.ears, e)
		dial(func() (func(), error) { return r.st.listen(ctx, me, ch, func(p sfu.Received) { r.heard(e, ch, p) }) })
	}
	for i := range r.load.Legacy {
		me, ch := id, i%r.load.Channels
		id--
		dial(func() (func(), error) {
			return r.st.listenLegacy(ctx, me, ch, func() { r.legacyIn.Add(1) })
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
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
	if err := r.talk(ctx, 25); err != nil { // warm up, unmeasured
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
	if err := r.talk(ctx, frames); err != nil {
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
	return nil
}

// bursts measures the time from key-up to sound.
func (r *run) bursts(ctx context.Context, name string, res *Result) error {
	r.mu.Lock()
	r.keyUps = nil
	r.mu.Unlock()
	for n := range r.load.Bursts {
		r.note("%s: key-up %d of %d", name, n+1, r.load.Bursts)
		if err := r.talk(ctx, shortBurst); err != nil {
			return err
		}
		if err := pause(ctx, pauseBetween); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keyUps) > 0 {
		slices.Sort(r.keyUps)
		res.KeyUpP50 = r.keyUps[len(r.keyUps)/2]
		res.KeyUpP99 = r.keyUps[len(r.keyUps)*99/100]
	}
	return nil
}

// talk lets all talkers send one burst, paced by an absolute schedule.
func (r *run) talk(ctx context.Context, frames int) error {
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	for ch := range r.talkers {
		group.Go(func() {
			t := r.talkers[ch]
			r.keyed[ch].Store(time.Now().UnixNano())
			err := t.key(true)
			began := time.Now()
			for n := 0; n < frames && err == nil; n++ {
				if err = t.send(r.packets[n%len(r.packets)]); err == nil {
					err = pause(ctx, time.Until(began.Add(time.Duration(n+1)*frameTime)))
				}
			}
			if err == nil {
				err = t.key(false)
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
