package mesh

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// sameEvery is how often the same warning of NATS is passed on: it tries to reach a node that
// is down several times a second.
const sameEvery = time.Minute

// maxWarnings bounds how many warnings are known.
const maxWarnings = 256

// noise are warnings about what is as it should be, by their beginning: a start before other
// nodes, a snapshot; certificates that only the key vouches for, and passwords that never leave
// the process (secret.go).
var noise = []string{"Waiting for routing", "JetStream has not established contact", "Metalayer blocking snapshot",
	"TLS certificate chain", "Catchup for stream", "Plaintext passwords"}

// atTheEnd is a part of what each stream says when its node ends.
const atTheEnd = "Error subscribing to forwarded"

// serverLog passes on NATS's warnings and errors.
type serverLog struct {
	logf  func(string, ...any)
	mu    sync.Mutex
	fatal error
	said  map[string]time.Time
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Warnf(format string, v ...any)  { l.say(format, v) }
func (l *serverLog) Errorf(format string, v ...any) { l.say(format, v) }

func (l *serverLog) say(format string, v []any) {
	text := fmt.Sprintf(format, v...)
	for _, n := range noise {
		if strings.HasPrefix(format, n) || strings.HasPrefix(text, n) || strings.Contains(text, atTheEnd) {
			return
		}
	}
	if _, route, is := strings.Cut(text, "Error trying to connect to route"); is {
		if _, why, found := strings.Cut(route, ": "); found {
			text = "another node is not reached: " + why
		}
	}
	same := strings.Map(func(r rune) rune { // apart from ports and the numbers of connections
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
	l.mu.Lock()
	again := time.Since(l.said[same]) < sameEvery
	if !again {
		if l.said == nil || len(l.said) >= maxWarnings {
			l.said = map[string]time.Time{}
		}
		l.said[same] = time.Now()
	}
	l.mu.Unlock()
	if !again {
		l.logf("cluster: %s", text)
	}
}

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.fatal = fmt.Errorf(format, v...)
	l.mu.Unlock()
	l.logf("cluster: "+format, v...)
}

func (l *serverLog) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
