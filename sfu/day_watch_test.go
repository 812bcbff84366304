package sfu

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/phone"
	"squelch/sfu/stream"
)

// day is the radio and everybody on it.
type day struct {
	t       *testing.T
	r       *radio
	ether   *ether
	phones  []*watchman
	keyers  []*keyer
	fireman *keyer
	over    chan struct{}
	hands   sync.WaitGroup
}

// watchman is a phone that looks at each packet that it gets.
type watchman struct {
	*phone.Phone
	id       core.UserID
	silent   atomic.Bool // makes no more checks
	checked  uint64
	answered atomic.Uint64
	gone     atomic.Pointer[error]  // why the service has dropped it
	wrong    atomic.Pointer[string] // the first thing that was wrong
	said     atomic.Uint32          // the last packet of its own of which it was told

	mu      sync.Mutex
	packets int
	slots   map[uint32]*heardSlot // by SSRC
	heard   rtp.Packet
	room    []byte
	reports map[uint32]uint32 // the last SRTCP index, by SSRC
}

// heardSlot is one stream as it was heard.
type heardSlot struct {
	sequence  uint16
	wraps     uint32 // how often the sequence numbers went round
	turned    int    // how often the timestamps did
	timestamp uint32
	media     int64 // samples since the first packet
	began     time.Time
}

func (w *watchman) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.wrong.CompareAndSwap(nil, &text)
}

func (w *watchman) check(t *testing.T) {
	w.checked++
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// take looks at what the service sends.
func (w *watchman) take(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.Take(b) {
	case phone.Check:
		w.answered.Add(1)
	case phone.Voice:
		var err error
		if w.room, err = w.Hear(&w.heard, w.room, b); err != nil {
			w.complain("a packet of voice: %v", err)
			return
		}
		w.packets++
		w.listen(&w.heard, time.Now())
	case phone.Report:
		// The index counts the packets of a connection, or those of its first SSRC.
		from, index := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[len(b)-4:])&^(1<<31)
		if last, ok := w.reports[from]; ok && index <= last {
			w.complain("SRTCP index %d comes after %d", index, last)
		}
		w.reports[from] = index
		plain, err := w.Read(b)
		if err != nil {
			w.complain("a report: %v", err)
			return
		}
		w.read(plain, time.Now())
	}
}

// listen looks at one packet: its number follows the one before, and its timestamp is the
// time that has passed, to the frame.
func (w *watchman) listen(p *rtp.Packet, now time.Time) {
	h := w.slots[p.SSRC]
	if h == nil {
		w.slots[p.SSRC] = &heardSlot{sequence: p.SequenceNumber, timestamp: p.Timestamp, began: now}
		return
	}
	if p.SequenceNumber != h.sequence+1 {
		w.complain("packet %d of stream %d comes after %d", p.SequenceNumber, p.SSRC, h.sequence)
	}
	if p.SequenceNumber < h.sequence {
		h.wraps++
	}
	step := p.Timestamp - h.timestamp
	if step == 0 || step > 1<<31 {
		w.complain("the timestamp goes from %d to %d", h.timestamp, p.Timestamp)
	}
	if p.Timestamp < h.timestamp {
		h.turned++
	}
	h.sequence, h.timestamp = p.SequenceNumber, p.Timestamp
	h.media += int64(step)
	h.onTime(w, "a packet", h.media, now)
}

// onTime compares a stream's time with the time that has passed.
func (h *heardSlot) onTime(w *watchman, what string, media int64, now time.Time) {
	due := now.Sub(h.began).Nanoseconds() / 125_000 * 6
	if off := media - due; off > frameSamples || off < -frameSamples {
		w.complain("%s after %v is %v off its time", what, now.Sub(h.began), time.Duration(off)*time.Second/stream.Rate)
	}
}

// read looks at a report: our clock as the service says it, and what it has heard of us.
func (w *watchman) read(compound []byte, now time.Time) {
	packets, err := rtcp.Unmarshal(compound)
	if err != nil {
		w.complain("a report: %v", err)
	}
	for _, p := range packets {
		switch p := p.(type) {
		case *rtcp.SenderReport:
			if h := w.slots[p.SSRC]; h != nil {
				h.onTime(w, "a sender report", h.media+int64(int32(p.RTPTime-h.timestamp)), now)
			}
		case *rtcp.ReceiverReport:
			for _, r := range p.Reports {
				if r.FractionLost != 0 || r.TotalLost != 0 {
					w.complain("it is told that %d of its packets are lost", r.TotalLost)
				}
				w.said.Store(r.LastSequenceNumber)
			}
		}
	}
}

// tell reports on what is heard, as a browser does.
func (w *watchman) tell(t *testing.T) {
	w.mu.Lock()
	r := &rtcp.ReceiverReport{SSRC: 7}
	for ssrc, h := range w.slots {
		r.Reports = append(r.Reports, rtcp.ReceptionReport{SSRC: ssrc, LastSequenceNumber: h.wraps<<16 | uint32(h.sequence)})
	}
	w.mu.Unlock()
	if len(r.Reports) == 0 {
		return
	}
	b, err := r.Marshal()
	if err == nil {
		err = w.Tell(b)
	}
	if err != nil {
		t.Error(err)
	}
}
