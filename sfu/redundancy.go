package sfu

import (
	"bytes"
	"sync"

	"squelch/sfu/red"
)

// maxGenerations is how many earlier frames one packet may repeat: 60 ms, which is
// what a console with loss buffers, so more would come too late to be heard.
const maxGenerations = 3

// pastFrames is how many frames of a burst are kept: 2 s, longer than a client takes to
// notice that its line is dead.
const pastFrames = 100

// past is the newest frames of a burst in one form: for packets that repeat them, and for
// listeners whose line has died. One talk may come over two transports at once, so it has a
// lock; control code takes it only when such a listener leaves.
type past struct {
	mu     sync.Mutex
	frames [pastFrames]pastFrame // a ring, by time
	newest int
	count  int
}

type pastFrame struct {
	timestamp uint32
	payload   []byte
}

// back is the frame n places before the newest.
func (p *past) back(n int) *pastFrame { return &p.frames[(p.newest-n+pastFrames)%pastFrames] }

// remember notes a frame that has been sent. It may have come late.
func (p *past) remember(timestamp uint32, payload []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := 0
	for place < min(p.count, maxGenerations) {
		ahead := int32(timestamp - p.back(place).timestamp)
		if ahead == 0 {
			return
		}
		if ahead > 0 || ahead < -red.MaxAge { // far behind: the stream has begun again
			break
		}
		place++
	}
	if place == maxGenerations {
		return
	}
	p.newest = (p.newest + 1) % pastFrames
	p.count = min(p.count+1, pastFrames)
	for n := range place { // the oldest frame's memory goes to its place
		*p.back(n), *p.back(n + 1) = *p.back(n + 1), *p.back(n)
	}
	f := p.back(place)
	f.timestamp, f.payload = timestamp, append(f.payload[:0], payload...)
}

// last copies the newest n frames, oldest first.
func (p *past) last(n int) []pastFrame {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(n, p.count)
	frames := make([]pastFrame, n)
	for i := range frames {
		f := p.back(n - 1 - i)
		frames[i] = pastFrame{f.timestamp, bytes.Clone(f.payload)}
	}
	return frames
}

// redundant appends to dst the payload of a packet with redundant voice: at most
// generations of the earlier frames, oldest first, and the frame itself. What is too old
// or too long is left out, and what is older than that too.
func (p *past) redundant(dst []byte, generations int, payloadType uint8, timestamp uint32, payload []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var blocks [maxGenerations + 1]red.Block
	first := maxGenerations
	blocks[first] = red.Block{PayloadType: payloadType, Payload: payload}
	room := maxPayload - red.LastHeader - len(payload)
	for n := range min(p.count, generations) {
		f := p.back(n)
		age := timestamp - f.timestamp
		if int32(age) <= 0 {
			continue // this frame came late
		}
		room -= red.BlockHeader + len(f.payload)
		if age > red.MaxAge || len(f.payload) > red.MaxBlock || room < 0 {
			break
		}
		first--
		blocks[first] = red.Block{PayloadType: payloadType, Age: age, Payload: f.payload}
	}
	return red.Append(dst, blocks[first:])
}

// redundancy is a frame's RED payloads, each made once.
type redundancy struct {
	past        *past
	payloadType uint8
	made        [maxGenerations]bool
	payloads    [maxGenerations][]byte // with one, two, three earlier frames
}

// begin begins another frame. It keeps the memory.
func (r *redundancy) begin(p *past) {
	r.past, r.made = p, [maxGenerations]bool{}
}

// payload is the frame's payload with earlier ones.
func (r *redundancy) payload(f *Frame, generations int, payloadType uint8) []byte {
	if payloadType != r.payloadType { // clients number Opus alike, or nearly so
		r.payloadType, r.made = payloadType, [maxGenerations]bool{}
	}
	i := min(generations, maxGenerations) - 1
	if !r.made[i] {
		r.payloads[i] = r.past.redundant(r.payloads[i][:0], i+1, payloadType, f.timestamp, f.Bytes())
		r.made[i] = true
	}
	return r.payloads[i]
}
