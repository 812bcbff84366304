package sfu

import (
	"sync/atomic"

	"squelch/core"
	"squelch/sfu/stream"
)

// uplink is a peer's own voice on its way in. Its methods run on the one goroutine
// that decrypts the peer's packets. Times are ns on the SFU's clock.
type uplink struct {
	s     *SFU
	user  core.UserID
	in    *stream.In
	frame Frame

	burst   *burst // the floor that is held; nil: none
	endedAt int64  // when the last one ended; 0: its tail is over
	held    [preRoll]Frame
	holding int

	budget   int64 // how many packets may come now, times uplinkSpacing in ns
	budgetAt int64 // when budget was last brought up to date

	preRolled atomic.Uint64
	flooded   atomic.Uint64
	opaque    atomic.Uint64
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
	u.in.Push(packet, now)
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

// take publishes a packet. While the talker has no floor, it also holds it as pre-roll,
// because RTP may arrive before the floor is granted. What is held goes out when the
// talker's row appears; otherwise it is overwritten and never heard.
func (u *uplink) take(p stream.Packet) {
	f := &u.frame
	f.Reset()
	f.Talker, f.Payload, f.timestamp, f.timed, f.lost = u.user, p.Payload, p.Timestamp, true, p.Lost
	if f.Opaque() {
		u.opaque.Add(1)
		return
	}
	// The same plan for both: if a newer one came between the look-up and the
	// publishing, a frame could go out now and again as pre-roll.
	plan := u.s.plan.Load()
	b, testing := plan.floorOf(u.user)
	switch {
	case b == nil:
		if u.burst != nil {
			u.burst, u.endedAt, u.holding = nil, p.At, 0
		}
		if !testing {
			u.hold(f, p)
		}
	case b != u.burst:
		u.release(plan, p.At)
		u.burst = b
	}
	u.s.publish(plan, f)
}

// hold keeps the newest frames. The tail of a burst that has just ended is not the
// beginning of the next burst, unless the RTP marker says that it is.
func (u *uplink) hold(f *Frame, p stream.Packet) {
	if u.endedAt != 0 && p.At-u.endedAt < int64(burstTail) && !p.Marker {
		return
	}
	u.endedAt = 0
	if u.holding == preRoll {
		oldest := u.held[0]
		copy(u.held[:], u.held[1:])
		u.held[preRoll-1] = oldest
		u.holding--
	}
	k := &u.held[u.holding]
	k.Reset()
	k.Talker, k.timestamp, k.timed, k.preRolled, k.at = f.Talker, f.timestamp, true, true, p.At
	k.room = append(k.room, f.Payload...)
	k.Payload = k.room
	u.holding++
}

func (u *uplink) release(p *plan, now int64) {
	for i := range u.held[:u.holding] {
		if k := &u.held[i]; now-k.at <= int64(preRollAge) {
			u.preRolled.Add(1)
			u.s.publish(p, k)
		}
	}
	u.holding = 0
}
