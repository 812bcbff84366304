package mesh

import (
	"fmt"
	"sync"
)

// serverLog passes on NATS's warnings and errors.
type serverLog struct {
	logf  func(string, ...any)
	mu    sync.Mutex
	fatal error
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Warnf(format string, v ...any)  { l.logf("cluster: "+format, v...) }
func (l *serverLog) Errorf(format string, v ...any) { l.logf("cluster: "+format, v...) }

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
