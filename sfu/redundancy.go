package sfu

import (
	"sync"

	"squelch/sfu/red"
)

// maxGenerations is how many earlier frames one packet may repeat: 60 ms, which is
// what a console with loss buffers, so more would come too late to be heard.
const maxGenerations = 3

// past is the newest frames of a burst in one form, for packets that repeat them. One talk
// may come over two transports at once, so it has a lock; control code never takes it.
type past struct {
	mu     sync.Mutex
	frames [maxGenerations]pastFrame // by time, newest first
	count  int
}

type pastFrame struct {
	timestamp uint32
	payload   []byte
}

// remember notes a frame that has been sent. It may have come late.
func (p *past) remember(timestamp uint32, payload []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := 0
	for i < p.count {
		ahead := int32(timestamp - p.frames[i].timestamp)
		if ahead == 0 {
			return
		}
		if ahead > 0 || ahead < -red.MaxAge { // far behind: the stream has begun again
			break
		}
		i++
	}
	if i == maxGenerations {
		return
	}
	room := p.frames[maxGenerations-1].payload
	copy(p.frames[i+1:], p.frames[i:])
	p.frames[i] = pastFrame{timestamp, append(room[:0], payload...)}
	p.count = min(p.count+1, maxGenerations)
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
	for _, f := range p.frames[:min(p.count, generations)] {
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
