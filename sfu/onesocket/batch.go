package onesocket

import (
	"time"

	"github.com/pion/rtp"

	"squelch/sfu/line"
	"squelch/sfu/srtp"
)

const (
	// batchPackets and batchBytes are how much is sent with one call. A packet of voice has
	// about 130 bytes; the memory is that of a batch, not of a line.
	batchPackets = 64
	batchBytes   = 16 << 10
	// headerBytes is room for an RTP header with one CSRC.
	headerBytes = 64
)

// batch implements line.Batch.
type batch struct {
	socket *socket
	header [headerBytes]byte
	room   [batchBytes]byte
	used   int
	parts  [batchPackets]part
	count  int
	sender sender
}

// part is one packet of a batch.
type part struct {
	to        *target
	from, end int // in room
}

func newBatch(s *socket) *batch {
	b := &batch{socket: s}
	b.sender.begin(b)
	return b
}

// add encrypts a packet into the batch.
func (b *batch) add(to *target, s *srtp.Stream, h *rtp.Header, payload []byte) error {
	if b.count == batchPackets || len(b.room)-b.used < line.MaxPacket+srtp.Overhead {
		b.send()
	}
	n, err := h.MarshalTo(b.header[:])
	if err != nil {
		return err
	}
	packet, err := s.Seal(b.room[b.used:b.used:len(b.room)], b.header[:n], payload)
	if err != nil {
		return err
	}
	b.parts[b.count] = part{to, b.used, b.used + len(packet)}
	b.count++
	b.used += len(packet)
	return nil
}

// Flush implements line.Batch.
func (b *batch) Flush() {
	b.send()
	b.sender.until = time.Time{}
}

// send sends what has been collected so far.
func (b *batch) send() {
	if b.count == 0 {
		return
	}
	b.sender.send(b)
	clear(b.parts[:b.count])
	b.count, b.used = 0, 0
}

// packet is the i-th one.
func (b *batch) packet(i int) []byte { return b.room[b.parts[i].from:b.parts[i].end] }

// sendEach sends the packets one by one.
func (b *batch) sendEach() {
	for i := range b.parts[:b.count] {
		to := b.parts[i].to
		to.back.send(b.packet(i), to.at)
	}
}
