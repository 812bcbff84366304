package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var errNotReady = errors.New("it is not ready")

// embedded is the NATS server of this process and the one connection to it. It
// opens no port: the connection is a pipe in memory.
type embedded struct {
	server *server.Server
	conn   *nats.Conn
	stream jetstream.JetStream
	log    *natsLog
}

// startEmbedded runs NATS on folder. With durable, a write that it acknowledges
// survives the loss of power. No signal handler is installed.
func startEmbedded(folder string, durable bool, logf func(string, ...any)) (*embedded, error) {
	ns, err := server.NewServer(&server.Options{
		ServerName:         "squelch",
		DontListen:         true,
		NoSigs:             true,
		NoLog:              true,
		JetStream:          true,
		StoreDir:           folder,
		SyncAlways:         durable,
		MaxPayload:         maxPayload,
		JetStreamMaxStore:  maxStore,
		JetStreamMaxMemory: maxMemory,
	})
	if err != nil {
		return nil, fmt.Errorf("embedded NATS: %w", err)
	}
	log := &natsLog{logf: logf, broken: make(chan struct{})}
	ns.SetLoggerV2(log, false, false, false)
	ns.Start()
	e := &embedded{server: ns, log: log}
	defer log.started.Store(true)
	if err := log.failure(); err != nil || !ns.ReadyForConnections(startTimeout) || !ns.JetStreamEnabled() {
		e.stop()
		return nil, fmt.Errorf("embedded NATS did not start: %w", errors.Join(err, errNotReady))
	}
	e.conn, err = nats.Connect("", nats.InProcessServer(ns), nats.Name("squelch store"),
		nats.NoReconnect(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			logf("store: %v", err)
		}))
	if err == nil {
		e.stream, err = jetstream.New(e.conn, jetstream.WithDefaultTimeout(writeTimeout))
	}
	if err != nil {
		e.stop()
		return nil, fmt.Errorf("embedded NATS: %w", err)
	}
	return e, nil
}

func (e *embedded) stop() {
	if e.conn != nil {
		e.conn.Close()
	}
	e.server.Shutdown()
	e.server.WaitForShutdown()
}

// natsLog passes on what an operator should know. NATS's notices (banner,
// start and stop) are left out, and its warnings while it starts: after a kill
// it warns of every stream whose index is older than its records. They are kept
// to name a file, should a record be missing.
type natsLog struct {
	logf    func(string, ...any)
	started atomic.Bool
	broken  chan struct{} // closed when NATS can write no more
	mu      sync.Mutex
	fatal   error
	disk    error
	said    []string // warnings and errors of the start
}

// keep remembers what NATS says while it starts.
func (l *natsLog) keep(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.started.Load() && len(l.said) < maxComplaints {
		l.said = append(l.said, text)
	}
}

// complaints is what NATS said while it started.
func (l *natsLog) complaints() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.said)
}

func (l *natsLog) Noticef(string, ...any) {}
func (l *natsLog) Debugf(string, ...any)  {}
func (l *natsLog) Tracef(string, ...any)  {}

func (l *natsLog) Warnf(format string, v ...any) {
	l.keep(fmt.Sprintf(format, v...))
	if l.started.Load() {
		l.logf("store: "+format, v...)
	}
}

// Errorf also watches for NATS's message that a stream can no longer be written to,
// because NATS does not answer those who wait for the write. Should the message
// change, they wait until their time limit.
func (l *natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.keep(text)
	l.mu.Lock()
	first := l.disk == nil && strings.Contains(strings.ToLower(text), "critical write error")
	if first {
		l.disk = errors.New(text)
		close(l.broken)
	}
	known := l.disk != nil && !first
	l.mu.Unlock()
	if !known { // the rest is repetition
		l.logf("store: %s", text)
	}
}

func (l *natsLog) diskFailed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disk
}

func (l *natsLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.fatal = fmt.Errorf(format, v...)
	l.mu.Unlock()
	l.logf("store: "+format, v...)
}

func (l *natsLog) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
