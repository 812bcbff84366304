package store

import (
	"context"
	"errors"
	"fmt"
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

// startEmbedded runs NATS on folder. No signal handler is installed.
func startEmbedded(folder string, logf func(string, ...any)) (*embedded, error) {
	ns, err := server.NewServer(&server.Options{
		ServerName:         "squelch",
		DontListen:         true,
		NoSigs:             true,
		NoLog:              true,
		JetStream:          true,
		StoreDir:           folder,
		SyncAlways:         true, // an acknowledged write survives the loss of power
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

// streamNames lists the streams of format 1. The order is that of marks.bin.
var streamNames = []string{"snapshot", "sessions", "secrets", "config", "audit", "transmissions"}

const (
	streamSnapshot = iota
	streamSessions
	streamSecrets
	streamConfig
	streamAudit
	streamTransmissions
)

func subjectOf(stream int) string { return "squelch." + streamNames[stream] }

// createStreams makes the streams in a fresh folder. They have no limits of
// their own: only the store removes records, so that it knows which must be
// there.
func (e *embedded) createStreams(ctx context.Context) error {
	for stream, name := range streamNames {
		_, err := e.stream.CreateStream(ctx, jetstream.StreamConfig{
			Name:        name,
			Subjects:    []string{subjectOf(stream)},
			Storage:     jetstream.FileStorage,
			Retention:   jetstream.LimitsPolicy,
			Discard:     jetstream.DiscardNew,
			AllowDirect: true,
		})
		if err != nil {
			return fmt.Errorf("stream %s cannot be created: %w", name, err)
		}
	}
	return nil
}

// natsLog passes on what an operator should know. NATS's notices (banner,
// start and stop) are left out, and its warnings while it starts: after a kill
// it warns of every stream whose index is older than its records, and what
// matters of that was checked before.
type natsLog struct {
	logf    func(string, ...any)
	started atomic.Bool
	broken  chan struct{} // closed when NATS can write no more
	mu      sync.Mutex
	fatal   error
	disk    error
}

func (l *natsLog) Noticef(string, ...any) {}
func (l *natsLog) Debugf(string, ...any)  {}
func (l *natsLog) Tracef(string, ...any)  {}

func (l *natsLog) Warnf(format string, v ...any) {
	if l.started.Load() {
		l.logf("store: "+format, v...)
	}
}

// Errorf also watches out for NATS's word that a stream can no longer be
// written; it does not answer those who wait for the write. Should the words
// change, the writers' time limit takes their place.
func (l *natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
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
