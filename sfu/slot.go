package sfu

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/stream"
)

// slot is one downlink of a peer: an RTP stream that lasts as long as the connection,
// with one talker after another in it. It is negotiated once; for each talker only the
// RTP numbers are rewritten.
type slot struct {
	peer        *peer
	index       int
	mid         string
	use         atomic.Pointer[use] // who may write; control code stores, media code loads
	generations atomic.Int32        // how many earlier frames each packet repeats
	hearing     hearing
	freed       uint64      // the turn at which it became free; control code only
	last        core.UserID // who had it last; control code only
	gone        *use        // the last use that ended; control code only

	mu          sync.Mutex // for two talkers at once while the use changes; never held by control code
	payloadType uint8
	red         uint8 // payload type of redundant Opus; 0: the client takes none
	header      rtp.Header
	csrc        [1]uint32
	out         stream.Out
	burst       *burst // the last one written
	packets     uint32
	octets      uint32
	dropped     atomic.Uint64 // written under mu, read by anybody
	sentTime    uint32        // RTP timestamp of the last packet
	sentAt      int64         // when that was sent, ns on the SFU's clock
	reportedAt  int64         // when the last sender report was
	reception   rtcp.ReceptionReport
	roundTrip   time.Duration
}

// use is one talker's turn in a slot. It is a Sink, to which the plan refers directly.
type use struct {
	slot    *slot
	talker  core.UserID
	burst   *burst
	digital bool     // through the vocoder
	leg     core.Leg // control code only
}

func newUse(s *slot, w *want) *use {
	return &use{slot: s, talker: w.talker, burst: w.burst, digital: w.leg.Digital, leg: w.leg}
}

func newSlot(p *peer, index int, mid string, payloadType, red uint8) *slot {
	// Random start values, RFC 3550 section 5.1. The sequence number begins below
	// 2^15, so that SRTP cannot mistake its rollover counter (RFC 3711 section 3.3.1).
	return &slot{peer: p, index: index, mid: mid, payloadType: payloadType, red: red, out: stream.NewOut(uint16(rand.Uint32()&0x7fff), rand.Uint32())}
}

// Send writes one frame into the slot, unless the slot has another use by now.
func (u *use) Send(m *Message) {
	payload := m.Bytes()
	s := u.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.use.Load() != u {
		return
	}
	if m.Opaque() || m.Encoding != Opus || len(payload) > maxPayload {
		s.dropped.Add(1)
		return
	}
	payloadType := s.payloadType
	if n := s.generations.Load(); n > 0 && s.red != 0 && len(payload) < maxPayload {
		payload, payloadType = m.repeats.payload(m.Frame, int(n), s.payloadType), s.red
	}
	fresh := s.burst != u.burst
	h := &s.header
	numbers := stream.Numbers{Sequence: m.sequence, Epoch: m.epoch, Timestamp: m.timestamp, Samples: uint32(m.Samples()), Counted: m.counted}
	var ok bool
	if h.SequenceNumber, h.Timestamp, ok = s.out.Next(numbers, m.at, fresh); !ok {
		s.dropped.Add(1)
		return
	}
	s.burst = u.burst
	h.PayloadType, h.Marker = payloadType, fresh
	s.csrc[0] = uint32(u.talker)
	h.CSRC = s.csrc[:]
	if err := s.peer.line.WriteRTP(m.batch, s.index, h, payload); err != nil {
		s.dropped.Add(1)
		return
	}
	s.packets++
	s.octets += uint32(len(payload))
	if int32(h.Timestamp-s.sentTime) > 0 || s.sentAt == 0 {
		s.sentTime, s.sentAt = h.Timestamp, m.at
	}
}

// senderReport makes a sender report, if anything was sent since the last one.
func (s *slot) senderReport(now int64) (stream.Sender, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sentAt <= s.reportedAt {
		return stream.Sender{}, false
	}
	s.reportedAt = now
	return stream.Sender{
		SSRC:    s.ssrc(),
		NTP:     ntp(now),
		RTP:     s.sentTime + uint32((now-s.sentAt)*6/125_000),
		Packets: s.packets,
		Octets:  s.octets,
	}, true
}

// received takes the client's report on the slot.
func (s *slot) received(r rtcp.ReceptionReport, now int64) {
	s.hearing.received(r, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reception = r
	if r.LastSenderReport != 0 {
		// RFC 3550 section 6.4.1: in units of 1/65536 s.
		if d := int32(uint32(ntp(now)>>16) - r.LastSenderReport - r.Delay); d >= 0 {
			s.roundTrip = time.Duration(d) * time.Second / 65536
		}
	}
}

// skipped is how many sequence numbers were never sent: packets that were lost on the
// talkers' lines.
func (s *slot) skipped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Places() - min(s.out.Places(), uint64(s.packets))
}

// places is how many sequence numbers the stream has had.
func (s *slot) places() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Places()
}

// ssrc is that of the stream; 0: it is not known yet.
func (s *slot) ssrc() uint32 { return s.peer.line.SSRC(s.index) }

// ntp is a time of the SFU's clock, in ns, as a 64-bit NTP time. Only differences of
// such times mean anything.
func ntp(ns int64) uint64 {
	return uint64(ns/int64(time.Second))<<32 | uint64(ns%int64(time.Second))<<32/uint64(time.Second)
}
