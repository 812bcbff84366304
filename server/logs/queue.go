package logs

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// queue hands lines to a writer that may be slow or stuck. It never blocks.
type queue struct {
	out    io.Writer
	tell   func(lost uint64) // writes that lines were left out
	now    func() time.Time
	rate   *rate.Limiter
	lines  chan []byte
	lost   atomic.Uint64 // lines that were not written
	once   sync.Once
	ending chan struct{}
	ended  chan struct{}
}

func newQueue(out io.Writer, tell func(lost uint64), now func() time.Time) *queue {
	q := &queue{out: out, tell: tell, now: now, rate: rate.NewLimiter(perSecond, burst), lines: make(chan []byte, waiting),
		ending: make(chan struct{}), ended: make(chan struct{})}
	go q.run()
	return q
}

// allow says whether the rate has room for a line. What it refuses counts as lost.
func (q *queue) allow() bool {
	if q.rate.AllowN(q.now(), 1) {
		return true
	}
	q.lost.Add(1)
	return false
}

// Write takes a line, and never fails: a line for which there is no room counts as lost.
func (q *queue) Write(line []byte) (int, error) {
	select {
	case q.lines <- append([]byte(nil), line...): // the handler uses its buffer again
	default:
		q.lost.Add(1)
	}
	return len(line), nil
}

func (q *queue) run() {
	defer close(q.ended)
	var told uint64
	for {
		select {
		case line := <-q.lines:
			told = q.write(line, told)
		case <-q.ending:
			for {
				select {
				case line := <-q.lines:
					told = q.write(line, told)
				default:
					return
				}
			}
		}
	}
}

// write writes a line and, when none waits behind it, how many were lost before.
func (q *queue) write(line []byte, told uint64) uint64 {
	_, _ = q.out.Write(line) // a log that cannot be written has nobody to tell
	if lost := q.lost.Load(); lost > told && len(q.lines) == 0 {
		q.tell(lost - told)
		return lost
	}
	return told
}

// close writes what waits, for so long.
func (q *queue) close(long time.Duration) {
	q.once.Do(func() { close(q.ending) })
	select {
	case <-q.ended:
	case <-time.After(long):
	}
}
