// Package stream numbers and orders the packets of RTP streams (RFC 3550): In hands on
// each of a talker's packets when it comes and again in its turn, and counts the missing
// ones; Out numbers the packets of a slot so that its receiver sees one stream while
// talkers change. It does no input or output.
package stream

import (
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

const (
	// Rate is the RTP clock of Opus in Hz (RFC 7587 section 4.1).
	Rate = 48_000
	// holds is how many packets wait for a missing one: one that arrives more than
	// two places late has no turn (60 ms at 20 ms a packet).
	holds = 2
	// holdTime is how long a packet waits at most, in ns; an older one belongs to
	// a burst that is over.
	holdTime = int64(200 * time.Millisecond)
	// window is how many places late a packet is still handed on, because the listener's
	// buffer may have room for it: 1.3 s at 20 ms a packet.
	window = 64
	// jump is the distance in sequence numbers above which a stream is taken to
	// have begun again (RFC 3550 appendix A.1, MAX_DROPOUT).
	jump = 3000
	// maxPayload is the longest payload that is taken, in bytes: what fits the MTU
	// of 1200 that peers use.
	maxPayload = 1200
)

// Packet is one packet of a talker's stream. Each is delivered when it comes, and in its
// turn: at once if none before it is missing, otherwise in two calls. One that comes too
// late for its turn is delivered only once, and one that comes twice not again. Payload is
// valid only during the call of deliver.
type Packet struct {
	Payload   []byte
	Sequence  uint16
	Epoch     uint32 // another one: the stream has begun again, with new numbers
	Timestamp uint32
	Marker    bool
	At        int64  // arrival, ns
	Comes     bool   // it comes now
	Turn      bool   // all before it have had their turn, or are given up
	Lost      uint16 // with Turn: packets given up directly before this one

	waited bool // Payload is memory that In uses again
}

// InStats are an incoming stream's counts.
type InStats struct {
	Packets   uint64 // received
	Lost      uint64 // expected but never received, or received too late for their turn
	Late      uint64 // received too late for their turn, or twice
	Malformed uint64 // not RTP of this stream
	Jitter    time.Duration
}

// In is an incoming stream. Push and Finish must be called one at a time; the other methods
// may be called by any goroutine.
type In struct {
	payloadType uint8
	deliver     func(Packet)
	parsed      rtp.Packet // of Push
	out         []Packet   // of Push

	mu      sync.Mutex // never held while delivering
	started bool
	ssrc    uint32
	epoch   uint32
	highest uint16 // of the sequence numbers received
	seen    uint64 // bit n: the packet n places before the highest was received
	cycles  uint32 // how often the highest has wrapped around
	stats   InStats
	transit uint32
	jitter  float64 // RFC 3550 section 6.4.1, in units of the clock

	next  uint16   // whose turn it is
	held  []Packet // that wait for their turn, sorted by sequence number
	spare [][]byte
	gap   uint16 // packets given up since the last turn

	expected                   uint64 // how many packets there should be so far
	reported, reportedExpected uint64 // packets and expected at the last report
	senderNTP                  uint32 // middle bits of the last sender report
	senderAt                   int64  // when it came, ns
}

// NewIn makes a stream of one payload type that hands its packets to deliver, on the
// goroutine that calls Push.
func NewIn(payloadType uint8, deliver func(Packet)) *In {
	return &In{payloadType: payloadType, deliver: deliver}
}

// Push takes one RTP packet that arrived at at, in ns. What is not RTP, has another
// payload type, or has no payload or too long a one is counted and dropped.
func (in *In) Push(packet []byte, at int64) {
	in.parsed.Header.CSRC = in.parsed.Header.CSRC[:0]
	err := in.parsed.Unmarshal(packet)
	in.out = in.out[:0]
	in.mu.Lock()
	if err != nil || in.parsed.PayloadType != in.payloadType || len(in.parsed.Payload) == 0 || len(in.parsed.Payload) > maxPayload {
		in.stats.Malformed++
		in.mu.Unlock()
		return
	}
	in.stats.Packets++
	in.sort(at)
	in.mu.Unlock()
	in.handOn()
}

// Finish gives what waits its turn, because nothing will come before it. It counts as a
// Push: one at a time.
func (in *In) Finish() {
	in.out = in.out[:0]
	in.mu.Lock()
	for len(in.held) > 0 {
		in.giveUp()
		in.turn(in.unhold())
	}
	in.mu.Unlock()
	in.handOn()
}

// handOn delivers what has been collected.
func (in *In) handOn() {
	for i := range in.out {
		in.deliver(in.out[i])
	}
	in.mu.Lock()
	for _, p := range in.out { // memory of packets that had waited
		if p.waited {
			in.spare = append(in.spare, p.Payload[:0])
		}
	}
	in.mu.Unlock()
}

// sort decides what becomes of the parsed packet, and collects what can be delivered now.
// The caller holds the lock.
func (in *In) sort(at int64) {
	h := &in.parsed.Header
	if far := int(int16(h.SequenceNumber - in.highest)); !in.started || h.SSRC != in.ssrc || far > jump || far < -jump {
		in.restart(h)
	} else if !in.isNew(far) {
		in.stats.Late++
		return
	}
	in.measure(h.Timestamp, at)
	in.forget(at)
	p := Packet{Payload: in.parsed.Payload, Sequence: h.SequenceNumber, Epoch: in.epoch, Timestamp: h.Timestamp, Marker: h.Marker, At: at, Comes: true}
	switch ahead := int16(h.SequenceNumber - in.next); {
	case ahead == 0:
		in.turn(p)
	case ahead < 0:
		in.stats.Late++
		in.out = append(in.out, p)
	default:
		in.out = append(in.out, p)
		in.hold(p)
		if len(in.held) > holds {
			in.giveUp()
		}
	}
	for len(in.held) > 0 && in.held[0].Sequence == in.next {
		in.turn(in.unhold())
	}
}

// restart begins anew with a packet's numbers.
func (in *In) restart(h *rtp.Header) {
	for len(in.held) > 0 {
		in.spare = append(in.spare, in.unhold().Payload[:0])
	}
	in.started, in.ssrc, in.next, in.highest = true, h.SSRC, h.SequenceNumber, h.SequenceNumber
	in.seen, in.cycles, in.transit, in.gap = 1, 0, 0, 0
	in.epoch++
	in.expected++
}

// isNew notes a packet that is far places after the highest one, and says whether it is
// neither too late nor received before.
func (in *In) isNew(far int) bool {
	if far > 0 {
		if in.highest+uint16(far) < in.highest {
			in.cycles++
		}
		in.highest += uint16(far)
		in.expected += uint64(far)
		in.seen = in.seen<<far | 1 // far above 63 clears it
		return true
	}
	bit := uint64(1) << -far
	if far <= -window || in.seen&bit != 0 {
		return false
	}
	in.seen |= bit
	return true
}

// forget gives up what has waited so long that it belongs to a burst that is over.
func (in *In) forget(at int64) {
	for len(in.held) > 0 && at-in.held[0].At > holdTime {
		in.giveUp()
		in.gap = 0
		in.spare = append(in.spare, in.unhold().Payload[:0])
		in.next++
	}
}

// turn delivers the packet whose turn it is.
func (in *In) turn(p Packet) {
	p.Turn, p.Lost, in.gap = true, in.gap, 0
	in.next++
	in.out = append(in.out, p)
}

// giveUp waits no longer for the packets before the first that is held.
func (in *In) giveUp() {
	n := in.held[0].Sequence - in.next
	in.stats.Lost += uint64(n)
	in.gap += n
	in.next += n
}

// hold keeps a packet until its turn.
func (in *In) hold(p Packet) {
	var room []byte
	if n := len(in.spare); n > 0 {
		room, in.spare = in.spare[n-1], in.spare[:n-1]
	} else {
		room = make([]byte, 0, maxPayload)
	}
	p.Payload, p.waited, p.Comes = append(room, p.Payload...), true, false
	i := 0
	for i < len(in.held) && int16(p.Sequence-in.held[i].Sequence) > 0 {
		i++
	}
	in.held = append(in.held, Packet{})
	copy(in.held[i+1:], in.held[i:])
	in.held[i] = p
}

// unhold takes out the first packet that is held.
func (in *In) unhold() Packet {
	p := in.held[0]
	in.held = append(in.held[:0], in.held[1:]...)
	return p
}

// measure brings the jitter up to date (RFC 3550 appendix A.8).
func (in *In) measure(timestamp uint32, at int64) {
	transit := samples(at) - timestamp
	if in.transit != 0 {
		d := float64(int32(transit - in.transit))
		if d < 0 {
			d = -d
		}
		if d < Rate { // a talker's pause is not jitter
			in.jitter += (d - in.jitter) / 16
		}
	}
	in.transit = transit
}

// samples is a moment in ns on the RTP clock.
func samples(ns int64) uint32 { return uint32(ns * 6 / 125_000) }

// Stats reads the counts.
func (in *In) Stats() InStats {
	in.mu.Lock()
	defer in.mu.Unlock()
	st := in.stats
	st.Jitter = time.Duration(in.jitter / Rate * float64(time.Second))
	return st
}

// SenderReport notes the NTP time of the sender's report that came at at, in ns; the
// next Report echoes it.
func (in *In) SenderReport(ntp uint64, at int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.senderNTP, in.senderAt = uint32(ntp>>16), at
}

// Report is the receiver report for the sender (RFC 3550 section 6.4.1): without it a
// browser does not know of loss and sends no in-band FEC. ok is false if no packet has
// come since the last Report.
func (in *In) Report(now int64) (rtcp.ReceptionReport, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stats.Packets == in.reported {
		return rtcp.ReceptionReport{}, false
	}
	got, expected := in.stats.Packets-in.reported, in.expected-in.reportedExpected
	var fraction uint8
	if expected > got {
		fraction = uint8(min(255, (expected-got)*256/expected))
	}
	in.reported, in.reportedExpected = in.stats.Packets, in.expected
	r := rtcp.ReceptionReport{
		SSRC:               in.ssrc,
		FractionLost:       fraction,
		TotalLost:          uint32(min(max(in.expected, in.stats.Packets)-in.stats.Packets, 1<<23-1)),
		LastSequenceNumber: in.cycles<<16 | uint32(in.highest),
		Jitter:             uint32(in.jitter),
	}
	if in.senderAt != 0 {
		r.LastSenderReport, r.Delay = in.senderNTP, uint32((now-in.senderAt)*65536/int64(time.Second))
	}
	return r, true
}
