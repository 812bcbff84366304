package bench

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	sfu "squelch/sfu/client"
)

// voiceNet is a talker and its listeners, who note how long each packet takes.
type voiceNet struct {
	service *process
	crowd   *run
	talker  talker

	mu     sync.Mutex
	sentAt []time.Time // by the packets' numbers
	ears   []*delayEar
}

// delayEar is one listener's delays.
type delayEar struct {
	mu     sync.Mutex
	delays []time.Duration
}

func newNet(ctx context.Context, service *process, listeners int, note func(string, ...any)) (*voiceNet, error) {
	n := &voiceNet{service: service, crowd: &run{load: Load{WebRTC: listeners, Channels: 1}, p: service, st: radio{service.url, benchToken}, note: note, keyed: make([]atomic.Int64, 1)}}
	if err := n.crowd.sit(ctx); err != nil {
		n.close()
		return nil, err
	}
	var err error
	if n.talker, err = n.crowd.seats[0].talk(ctx); err != nil {
		n.close()
		return nil, err
	}
	crowd := newCrowd(ctx, n.crowd)
	for _, s := range n.crowd.seats[1:] {
		e := &delayEar{}
		n.ears = append(n.ears, e)
		crowd.add(func() (func(), error) {
			return nil, s.listen(ctx, func(p sfu.Received) { n.heard(e, p) })
		})
	}
	if err := crowd.wait(); err != nil {
		n.close()
		return nil, err
	}
	return n, n.talk(ctx, time.Second) // warm up, unmeasured
}

func (n *voiceNet) close() { n.crowd.close() }

// numbered is the nth packet: Opus by its first byte, as long as speech.
func numbered(n int) []byte {
	p := make([]byte, 80)
	p[0] = 31 << 3
	binary.BigEndian.PutUint32(p[1:], uint32(n))
	return p
}

func (n *voiceNet) heard(e *delayEar, p sfu.Received) {
	now := time.Now()
	if p.Talker != talkerID || len(p.Payload) != 80 {
		return
	}
	number := int(binary.BigEndian.Uint32(p.Payload[1:]))
	n.mu.Lock()
	var sent time.Time
	if number < len(n.sentAt) {
		sent = n.sentAt[number]
	}
	n.mu.Unlock()
	if !sent.IsZero() {
		e.mu.Lock()
		e.delays = append(e.delays, now.Sub(sent))
		e.mu.Unlock()
	}
}

// talkerID is the first seat's.
const talkerID core.UserID = -1

// talk sends one burst, paced by an absolute schedule.
func (n *voiceNet) talk(ctx context.Context, long time.Duration) error {
	if err := n.talker.keyUp(ctx, true); err != nil {
		return err
	}
	began := time.Now()
	for k := range int(long / frameTime) {
		n.mu.Lock()
		number := len(n.sentAt)
		n.sentAt = append(n.sentAt, time.Now())
		n.mu.Unlock()
		if err := n.talker.send(numbered(number)); err != nil {
			return err
		}
		if err := pause(ctx, time.Until(began.Add(time.Duration(k+1)*frameTime))); err != nil {
			return err
		}
	}
	if err := pause(ctx, pauseBetween); err != nil { // what is late still counts
		return err
	}
	return n.talker.release()
}

// under talks during an attack, and measures. Its process is ready before the talk begins
// and goes on until after it.
func (n *voiceNet) under(ctx context.Context, name string, long time.Duration) (Attacked, error) {
	row := Attacked{Attack: name, Expected: int(long/frameTime) * len(n.ears)}
	before, err := n.service.usage()
	if err != nil {
		return row, err
	}
	attack, err := startAttack(ctx, name, n.service.url)
	if err != nil {
		return row, err
	}
	for _, e := range n.ears {
		e.mu.Lock()
		e.delays = e.delays[:0]
		e.mu.Unlock()
	}
	begin, err := n.service.cpu()
	if err != nil {
		return row, err
	}
	attack.begin()
	began := time.Now()
	peak := n.watch(before.rss)
	talked := n.talk(ctx, long)
	passed := time.Since(began)
	end, err := n.service.cpu()
	row.PeakRSS = mega(peak())
	did, failed := attack.end()
	for _, err := range []error{talked, err, failed} {
		if err != nil {
			return row, err
		}
	}
	row.Rate, row.Refused = float64(did.Done)/did.Seconds, did.Refused
	row.CPU = float64(end-begin) / float64(passed) * 100
	if err := pause(ctx, settle); err != nil {
		return row, err
	}
	after, err := n.service.usage()
	row.RSS, row.AfterRSS = mega(before.rss), mega(after.rss)
	n.delays(&row)
	return row, err
}

func mega(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// watch follows the service's memory; the result ends it and tells the most.
func (n *voiceNet) watch(most int64) (end func() int64) {
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		t := time.NewTicker(100 * time.Millisecond)
		defer t.Stop()
		for {
			if _, rss, err := n.service.read(); err == nil {
				most = max(most, rss)
			}
			select {
			case <-t.C:
			case <-stop:
				return
			}
		}
	}()
	return func() int64 { close(stop); <-over; return most }
}

func (n *voiceNet) delays(row *Attacked) {
	var all []time.Duration
	for _, e := range n.ears {
		e.mu.Lock()
		all = append(all, e.delays...)
		e.mu.Unlock()
	}
	row.Lost = row.Expected - len(all)
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	row.P50, row.P99, row.Max = ms(all[len(all)/2]), ms(all[len(all)*99/100]), ms(all[len(all)-1])
}
