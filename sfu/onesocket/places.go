package onesocket

import (
	"sync"
	"time"
)

const (
	// maxHandshakes is how many DTLS handshakes run at once. Each takes up to 100 KB and some
	// milliseconds of CPU; a client that finds no room tries again (RFC 6347 section 4.2.4).
	maxHandshakes = 256
	// handshakePatience is how long a handshake runs undisturbed: two round trips and a lost
	// flight, on a bad line. After that, if all places are taken, the oldest one ends for a
	// newcomer. So clients that begin handshakes and finish none keep others out for 3 s.
	handshakePatience = 3 * time.Second
	// handshakeTime is how long one may take.
	handshakeTime = 15 * time.Second
)

// places are those of the handshakes that run.
type places struct {
	mu      sync.Mutex
	running []*session // the oldest first
}

// take gives a session a place, if there is one.
func (l *places) take(d *session) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.running) == maxHandshakes {
		oldest := l.running[0]
		if d.born.Sub(oldest.born) < handshakePatience {
			return false
		}
		oldest.mute.Store(true)
		_ = oldest.Buffer.Close() // ends the handshake
		l.running = append(l.running[:0], l.running[1:]...)
	}
	l.running = append(l.running, d)
	return true
}

// leave gives the place back, if the session still has it.
func (l *places) leave(d *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, x := range l.running {
		if x == d {
			l.running = append(l.running[:i], l.running[i+1:]...)
			return
		}
	}
}

// taken is how many places are taken.
func (l *places) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.running)
}
