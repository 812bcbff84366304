package sfu

import (
	"sync"
	"sync/atomic"

	"squelch/core"
	"squelch/sfu/stream"
)

// uplink is a peer's own voice on its way in. push runs on the one goroutine that
// decrypts the peer's packets. Times are ns on the SFU's clock.
type uplink struct {
	s    *SFU
	user core.UserID

	taking sync.Mutex // one packet at a time; control code only tries to take it
	in     *stream.In
	frame  Frame

	burst atomic.Pointer[burst] // the floor that is held; nil: none. Changes under mu only

	mu      sync.Mutex // taken when a burst begins or ends, and for each packet without a floor
	endedAt int64      // when the last burst ended; 0: its tail is over
	held    [preRoll]early
	holding int

	budget   int64 // how many packets may come now, times uplinkSpacing in ns
	budgetAt int64 // when budget was last brought up to date

	preRolled atomic.Uint64
	flooded   atomic.Uint64
	opaque    atomic.Uint64
}

// early is a frame that came before its floor.
type early struct {
	Frame
	to reach // the kinds of sinks for which it is due
}

func newUplink(s *SFU, user core.UserID, payloadType uint8) *uplink {
	u := &uplink{s: s, user: user}
	u.in = stream.NewIn(payloadType, u.take)
	return u
}

// push takes one decrypted RTP packet.
func (u *uplink) push(packet []byte) {
	now := u.s.clock()
	if !u.afford(now) {
		u.flooded.Add(1)
		return
	}
	u.taking.Lock()
	defer u.taking.Unlock()
	u.in.Push(packet, now)
}

// ending publishes the last frames of a burst whose floor is about to end: if a packet
// before them is lost, they would wait for one behind them, which does not come. While a
// packet comes this very moment, the burst is not over, and its tail is lost as it would
// be by any floor that ends too soon.
func (u *uplink) ending() {
	if u.taking.TryLock() {
		defer u.taking.Unlock()
		u.in.Finish()
	}
}

// afford says whether a packet may pass: at the rate of voice, with room for bunches.
func (u *uplink) afford(now int64) bool {
	u.budget = min(u.budget+now-u.budgetAt, int64(uplinkBunch)*int64(uplinkSpacing))
	u.budgetAt = now
	if u.budget < int64(uplinkSpacing) {
		return false
	}
	u.budget -= int64(uplinkSpacing)
	return true
}

// take publishes a packet: when it comes, to those who put packets in order themselves,
// and in its turn to the others.
func (u *uplink) take(p stream.Packet) {
	f := &u.frame
	f.Reset()
	f.Talker, f.Payload, f.timestamp, f.timed = u.user, p.Payload, p.Timestamp, true
	f.sequence, f.epoch, f.counted, f.lost = p.Sequence, p.Epoch, true, p.Lost
	to := reach(0)
	if p.Comes {
		to = toPeers
	}
	if p.Turn {
		to |= inOrder
	}
	if f.Opaque() {
		if p.Comes {
			u.opaque.Add(1)
		}
		return
	}
	plan := u.s.plan.Load()
	if b, _ := plan.floorOf(u.user); b == nil || b != u.burst.Load() {
		plan = u.turnover(f, to, p)
	}
	u.s.publish(plan, f, to)
}

// turnover takes a frame that is not in the midst of a burst. While the talker has no
// floor, it holds the frame as pre-roll, because RTP may arrive before the floor is
// granted. It returns the plan by which the frame has to be published: if a newer one came
// between the look-up and the publishing, a frame could go out now and again as pre-roll.
func (u *uplink) turnover(f *Frame, to reach, p stream.Packet) *plan {
	u.mu.Lock()
	defer u.mu.Unlock()
	plan := u.s.plan.Load()
	b, testing := plan.floorOf(u.user)
	if b != nil {
		u.begin(plan, b, p.At)
		return plan
	}
	if over := u.burst.Swap(nil); over != nil {
		// This may be the first packet after the floor, or the first one in minutes.
		u.endedAt, u.holding = over.endedAt.Load(), 0
	}
	if !testing {
		u.hold(f, to, p)
	}
	return plan
}

// granted publishes what is held, if the talker has a floor now. Control code calls it
// after it has swapped in a plan in which the talker's row is new, so that not even a
// burst that is over by now loses its beginning.
func (u *uplink) granted() {
	u.mu.Lock()
	defer u.mu.Unlock()
	plan := u.s.plan.Load()
	if b, _ := plan.floorOf(u.user); b != nil {
		u.begin(plan, b, u.s.clock())
	}
}

// begin begins a burst with what is held. The caller holds the lock.
func (u *uplink) begin(p *plan, b *burst, now int64) {
	if u.burst.Load() == b {
		return
	}
	for i := range u.held[:u.holding] {
		if k := &u.held[i]; now-k.at <= int64(preRollAge) {
			if k.to&toPeers != 0 {
				u.preRolled.Add(1)
			}
			u.s.publish(p, &k.Frame, k.to)
		}
	}
	u.holding = 0
	u.burst.Store(b)
}

// hold keeps the newest frames. The tail of a burst that has just ended is not the
// beginning of the next burst, unless the RTP marker says that it is. The caller holds the
// lock.
func (u *uplink) hold(f *Frame, to reach, p stream.Packet) {
	if u.endedAt != 0 && p.At-u.endedAt < int64(burstTail) && !p.Marker {
		return
	}
	u.endedAt = 0
	if !p.Comes { // it may be held since it came
		for i := range u.held[:u.holding] {
			if k := &u.held[i]; k.sequence == f.sequence && k.epoch == f.epoch {
				k.to |= to
			}
		}
		return
	}
	if u.holding == preRoll {
		oldest := u.held[0]
		copy(u.held[:], u.held[1:])
		u.held[preRoll-1] = oldest
		u.holding--
	}
	k := &u.held[u.holding]
	k.Reset()
	k.Talker, k.timestamp, k.timed, k.preRolled, k.at, k.to = f.Talker, f.timestamp, true, true, p.At, to
	k.sequence, k.epoch, k.counted = f.sequence, f.epoch, true
	k.room = append(k.room, f.Payload...)
	k.Payload = k.room
	u.holding++
}
