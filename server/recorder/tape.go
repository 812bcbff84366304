package recorder

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/sfu"
)

// tape is one talk that is recorded.
type tape struct {
	r   *Recorder
	row core.Row // without its legs

	// mu is taken by the talker's goroutine and by the writer, which holds it for no
	// longer than it takes to change one slice for another. Control code does not take it.
	mu    sync.Mutex
	taken []byte    // pieces, as append makes them
	lost  int       // that had no room
	first time.Time // when the first one came
	began int64     // likewise, ns on the SFU's clock
	size  int64     // of all payloads, in bytes
	over  bool      // nothing is taken any more

	ended atomic.Int64 // ms since the epoch; 0: it is on the air

	about core.Transmission // under the recorder's lock; zero: not known yet
	w     writing
}

// pieceHead is what is kept before each payload: kind, media time, arrival, lost, length.
const pieceHead = 1 + 4 + 8 + 4 + 4

// Take copies a piece for the writer.
func (t *tape) Take(p sfu.Piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first.IsZero() {
		t.first, t.began = t.r.o.Now(), p.At
	}
	need := len(t.taken) + pieceHead + len(p.Payload)
	size := t.size + int64(len(p.Payload))
	flood := size > maxAhead+max(0, p.At-t.began)/int64(time.Millisecond)*voiceRate/1000
	if t.over || flood || need > cap(t.taken) && !t.grow(need) {
		if p.Kind != sfu.IMBEPiece {
			t.lost += 1 + p.Lost
		}
		return
	}
	t.size = size
	b := append(t.taken, byte(p.Kind))
	b = binary.LittleEndian.AppendUint32(b, p.Time)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.At))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Lost))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Payload)))
	t.taken = append(b, p.Payload...)
}

// grow makes room, because the writer is behind; false: there is none. The caller holds
// the lock.
func (t *tape) grow(need int) bool {
	size := max(need, 2*cap(t.taken))
	more := int64(size - cap(t.taken))
	if need > maxTape || t.r.waiting.Add(more) > maxWaiting {
		if need <= maxTape {
			t.r.waiting.Add(-more)
		}
		return false
	}
	t.taken = append(make([]byte, 0, size), t.taken...)
	return true
}

// End notes the end of the talk.
func (t *tape) End() { t.ended.CompareAndSwap(0, t.r.o.Now().UnixMilli()) }

// swap gives the tape empty memory for what it has.
func (t *tape) swap(empty []byte) (taken []byte, lost int, first time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken, t.taken = t.taken, empty[:0]
	lost, t.lost = t.lost, 0
	return taken, lost, t.first
}

// close takes the tape's memory: it is over.
func (t *tape) close() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.taken
	t.taken, t.over = nil, true
	return b
}

// next reads the piece at the beginning of what a tape has taken.
func next(taken []byte) (p sfu.Piece, rest []byte) {
	le := binary.LittleEndian
	p = sfu.Piece{Kind: sfu.PieceKind(taken[0]), Time: le.Uint32(taken[1:]), At: int64(le.Uint64(taken[5:])), Lost: int(le.Uint32(taken[13:]))}
	n := int(le.Uint32(taken[17:]))
	p.Payload = taken[pieceHead : pieceHead+n]
	return p, taken[pieceHead+n:]
}

// memory is empty memory for a tape, that of a tape before if there is any.
func (r *Recorder) memory() []byte {
	r.waiting.Add(tapeBytes)
	if b, ok := r.pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 0, tapeBytes)
}

// forget takes memory back. What has grown came from a disk that was slow, and is not
// kept.
func (r *Recorder) forget(b []byte) {
	r.waiting.Add(-int64(cap(b)))
	if b = b[:0]; cap(b) == tapeBytes {
		r.pool.Put(&b)
	}
}
