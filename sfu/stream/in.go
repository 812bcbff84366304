// Package stream numbers and orders the packets of RTP streams (RFC 3550): In puts a
// talker's packets in order and counts the missing ones; Out numbers the packets of a
// slot so that its receiver sees one unbroken stream while talkers change. It does no
// input or output.
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
	// two places late is not waited for (60 ms at 20 ms a packet).
	holds = 2
	// holdTime is how long a packet waits at most, in ns; an older one belongs to
	// a burst that is over.
	holdTime = int64(200 * time.Millisecond)
	// jump is the distance in sequence numbers above which a stream is taken to
	// have begun again (RFC 3550 appendix A.1, MAX_DROPOUT).
	jump = 3000
	// maxPayload is the longest payload that is taken, in bytes: what fits the MTU
	// of 1200 that peers use.
	maxPayload = 1200
)

// Packet is one packet, in its place in the stream. Payload is valid only during the
// call of deliver.
type Packet struct {
	Payload   []byte
	Timestamp uint32
	Marker    bool
	At        int64  // arrival, ns
	Lost      uint16 // packets missing directly before this one

	waited bool // Payload is memory that In uses again
}

// InStats are an incoming stream's counts.
type InStats struct {
	Packets   uint64 // received
	Lost      uint64 // expected but never received, or received too late
	Late      uint64 // received too late or twice, and dropped
	Malformed uint64 // not RTP of this stream
	Jitter    time.Duration
}

// In is an incoming stream. Push must be called by one goroutine at a time; the other
// methods may be called by any.
type In struct {
	payloadType uint8
	deliver     func(Packet)
	parsed      rtp.Packet // of Push
	out         []Packet   // of Push

	mu      sync.Mutex // never held while delivering
	started bool
	ssrc    uint32
	next    uint16 // the sequence number that should come next
	held    []held // sorted by sequence number
	spare   [][]byte
	stats   InStats
	base    uint64 // how many sequence numbers have passed, including lost ones
	cycles  uint32 // how often the sequence number has wrapped around
	transit uint32
	jitter  float64 // RFC 3550 section 6.4.1, in units of the clock

	gap uint16 // packets given up since the last one that was delivered

	reportedPackets            uint64 // received before the last report, late ones too
	reportedBase, reportedUsed uint64 // and what was expected and in time then
	senderNTP                  uint32 // middle bits of the last sender report
	senderAt                   int64  // when it came, ns
}

type held struct {
	sequence uint16
	packet   Packet
}

// NewIn makes a stream of one payload type that hands its packets to deliver,
// in order, on the goroutine that calls Push.
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
	in.order(at)
	in.mu.Unlock()
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

// order decides what becomes of the parsed packet, and collects the packets that can
// be delivered now. The caller holds the lock.
func (in *In) order(at int64) {
	h := &in.parsed.Header
	ahead := int(int16(h.SequenceNumber - in.next))
	if !in.started || h.SSRC != in.ssrc || ahead > jump || ahead < -jump {
		in.restart(h)
		ahead = 0
	}
	in.measure(h.Timestamp, at)
	for len(in.held) > 0 && at-in.held[0].packet.At > holdTime {
		in.skipTo(in.held[0].sequence) // what waited this long belongs to a burst that is over
		in.gap = 0
		in.spare = append(in.spare, in.held[0].packet.Payload[:0])
		in.held = append(in.held[:0], in.held[1:]...)
		in.advance(1)
		ahead = int(int16(h.SequenceNumber - in.next))
	}
	p := Packet{Payload: in.parsed.Payload, Timestamp: h.Timestamp, Marker: h.Marker, At: at}
	switch {
	case ahead < 0:
		in.stats.Late++
		return
	case ahead == 0:
		in.emit(p)
		in.advance(1)
	default:
		in.hold(h.SequenceNumber, p)
		if len(in.held) > holds {
			in.skipTo(in.held[0].sequence)
		}
	}
	for len(in.held) > 0 && in.held[0].sequence == in.next {
		in.emit(in.held[0].packet)
		in.held = append(in.held[:0], in.held[1:]...)
		in.advance(1)
	}
}

func (in *In) restart(h *rtp.Header) {
	for _, w := range in.held {
		in.spare = append(in.spare, w.packet.Payload[:0])
	}
	in.held = in.held[:0]
	in.started, in.ssrc, in.next = true, h.SSRC, h.SequenceNumber
	in.cycles, in.transit, in.gap = 0, 0, 0
}

func (in *In) advance(n uint16) {
	if in.next+n < in.next {
		in.cycles++
	}
	in.next += n
	in.base += uint64(n)
}

func (in *In) emit(p Packet) {
	p.Lost, in.gap = in.gap, 0
	in.out = append(in.out, p)
}

func (in *In) skipTo(sequence uint16) {
	n := sequence - in.next
	in.stats.Lost += uint64(n)
	in.gap += n
	in.advance(n)
}

func (in *In) hold(sequence uint16, p Packet) {
	i := 0
	for i < len(in.held) && int16(sequence-in.held[i].sequence) > 0 {
		i++
	}
	if i < len(in.held) && in.held[i].sequence == sequence {
		in.stats.Late++
		return
	}
	var room []byte
	if n := len(in.spare); n > 0 {
		room, in.spare = in.spare[n-1], in.spare[:n-1]
	} else {
		room = make([]byte, 0, maxPayload)
	}
	p.Payload, p.waited = append(room, p.Payload...), true
	in.held = append(in.held, held{})
	copy(in.held[i+1:], in.held[i:])
	in.held[i] = held{sequence, p}
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
	if in.stats.Packets == in.reportedPackets {
		return rtcp.ReceptionReport{}, false
	}
	used := in.stats.Packets - in.stats.Late
	got, expected := used-in.reportedUsed, in.base-in.reportedBase
	var fraction uint8
	if expected > got {
		fraction = uint8(min(255, (expected-got)*256/expected))
	}
	in.reportedPackets, in.reportedUsed, in.reportedBase = in.stats.Packets, used, in.base
	r := rtcp.ReceptionReport{
		SSRC:               in.ssrc,
		FractionLost:       fraction,
		TotalLost:          uint32(min(in.stats.Lost, 1<<23-1)),
		LastSequenceNumber: (in.cycles<<16 | uint32(in.next)) - 1, // before a wrap-around the cycle is the one before
		Jitter:             uint32(in.jitter),
	}
	if in.senderAt != 0 {
		r.LastSenderReport, r.Delay = in.senderNTP, uint32((now-in.senderAt)*65536/int64(time.Second))
	}
	return r, true
}
