package sfu

import (
	"sync"
	"time"
)

// pacer gives one burst of a legacy talker its media time. Legacy voice comes over
// TCP: without numbers, in bunches, and after an outage all at once. So the n-th frame
// is due n frames after the first one. The first startBuffer of it goes out together,
// so that listeners have that much to play while a bunch is late; what is later than
// maxLate is dropped, because the newest voice counts. Times are ns on the SFU's
// clock.
type pacer struct {
	mu        sync.Mutex // the talker's goroutine and the timer; never control code
	began     bool
	container bool   // the client sends a container format: none of its frames is a packet
	anchor    int64  // when the first frame came
	position  int64  // of the next frame, in samples after the anchor
	lateness  int64  // of the last frame, if it was dropped as late; 0: it was in time
	missing   uint16 // frames that were dropped directly before the next one

	starting bool // the first frames are being collected in held
	held     []*Frame
	samples  int
}

// take brings one frame of the talker to the row's peers and to its tape, now or soon.
func (p *pacer) take(s *SFU, r *row, f *Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.container = p.container || isContainer(f.Bytes()); p.container || f.Opaque() {
		r.talker.opaque.Add(1)
		if r.tape != nil && len(f.Bytes()) > 0 {
			r.tape.Take(Piece{Kind: OpaquePiece, Payload: f.Bytes(), At: f.at})
		}
		return
	}
	timestamp, ok := p.stamp(f.at, int64(f.Samples()))
	if !ok {
		r.drop()
		p.missing++
		return
	}
	f.lost, p.missing = p.missing, 0
	if p.starting {
		p.start(s, r, f, timestamp)
		return
	}
	f.timestamp, f.timed = timestamp, true
	s.send(r, f, toPeers|toDecoded)
	f.timestamp, f.timed, f.lost = 0, false, 0
}

// stamp finds a frame's media time; ok is false if the frame comes too late, or so
// early that it is a flood.
func (p *pacer) stamp(now, samples int64) (uint32, bool) {
	if !p.began {
		p.anew(now)
		p.began = true
	}
	late := now - p.due()
	switch {
	case late < -int64(maxEarly):
		return 0, false
	case late <= int64(maxLate):
		p.lateness = 0
	case p.lateness != 0 && late > p.lateness-int64(catchUp):
		// The lateness does not shrink, so this is not a queue that empties: the
		// talker has paused.
		p.anew(now)
	default:
		p.lateness = late
		p.position += samples
		return 0, false
	}
	at := p.anchor*6/125_000 + p.position
	p.position += samples
	return uint32(at), true
}

func (p *pacer) anew(now int64) {
	p.anchor, p.position, p.lateness = now, 0, 0
	p.starting = true
}

// due is when the next frame should come.
func (p *pacer) due() int64 { return p.anchor + p.position*125_000/6 }

// start collects the first frames, and sends them when they make up startBuffer or
// startBuffer has passed.
func (p *pacer) start(s *SFU, r *row, f *Frame, timestamp uint32) {
	k := f.keep()
	k.timestamp, k.timed = timestamp, true
	f.lost = 0
	p.held = append(p.held, k)
	p.samples += f.Samples()
	if p.samples >= int(startBuffer/time.Millisecond)*48 {
		p.flush(s, r)
		return
	}
	if len(p.held) == 1 {
		talker, keyed, b := f.Talker, r.keyed, r.burst
		time.AfterFunc(startBuffer, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.starting {
				p.flush(s, s.plan.Load().rowOf(talker, keyed, b))
			}
		})
	}
}

// flush sends what was collected, or discards it if the burst is over (r is nil).
func (p *pacer) flush(s *SFU, r *row) {
	if r != nil {
		for _, k := range p.held {
			s.send(r, k, toPeers|toDecoded)
		}
	}
	p.held, p.samples, p.starting = nil, 0, false
}
