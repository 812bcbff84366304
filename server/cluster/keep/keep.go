package keep

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Streams and subjects. Radios and keys are encoded, because a subject takes no spaces, dots
// and wildcards.
const (
	// StateStream keeps the newest record of each subject that begins with StatePrefix, and
	// tells it with StateSeen in its place. Who owns which radio is there too (package lease):
	// one more stream would be one more leader that may have died.
	StateStream = "SQUELCH_STATE"
	StatePrefix = "squelch.k."
	StateSeen   = "squelch.kept."
	// LogStream keeps audit logs and timelines.
	LogStream = "SQUELCH_LOGS"
	logPrefix = "squelch.l."
	logSeen   = "squelch.logged."
)

// Keep is the open storage.
type Keep struct {
	conn  *nats.Conn
	js    jetstream.JetStream
	state jetstream.Stream
	logs  jetstream.Stream
	packs bool // records of a log are packed into messages
	logf  func(format string, args ...any)
	seen  []*nats.Subscription

	mu      sync.Mutex
	buckets map[string]*Bucket // by subject prefix
	opened  map[string]*Log    // by subject

	probing sync.Mutex
	probed  time.Time // when the newest probe ended
	trouble error     // what it found
}

// Open makes the streams if they are not there. replicas is on how many nodes they are.
func Open(ctx context.Context, conn *nats.Conn, js jetstream.JetStream, replicas int, logf func(string, ...any)) (k *Keep, err error) {
	k = &Keep{conn: conn, js: js, packs: replicas == 1, logf: logf, buckets: map[string]*Bucket{}, opened: map[string]*Log{}}
	if k.state, err = open(ctx, js, jetstream.StreamConfig{Name: StateStream, Subjects: []string{StatePrefix + ">"}, Replicas: replicas, MaxMsgsPerSubject: 1,
		AllowAtomicPublish: true, AllowDirect: true, RePublish: &jetstream.RePublish{Source: StatePrefix + ">", Destination: StateSeen + ">"}}); err != nil {
		return nil, err
	}
	if k.logs, err = open(ctx, js, jetstream.StreamConfig{Name: LogStream, Subjects: []string{logPrefix + ">"}, Replicas: replicas, MaxAge: logAge, AllowDirect: true, AllowAtomicPublish: true,
		RePublish: &jetstream.RePublish{Source: logPrefix + ">", Destination: logSeen + ">"}}); err != nil {
		return nil, err
	}
	for subject, take := range map[string]nats.MsgHandler{StateSeen + "*.*.*": k.changed, logSeen + "*.*": k.appended} {
		s, err := conn.Subscribe(subject, take)
		if err != nil {
			k.Close()
			return nil, err
		}
		k.seen = append(k.seen, s)
	}
	return k, nil
}

func open(ctx context.Context, js jetstream.JetStream, c jetstream.StreamConfig) (s jetstream.Stream, err error) {
	var why error
	for {
		try, cancel := context.WithTimeout(ctx, readTime/3) // a question that comes while nobody leads has no answer
		if s, err = js.CreateStream(try, c); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = js.Stream(try, c.Name)
		}
		cancel()
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || why == nil {
			why = err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("stream %s: %w", c.Name, why)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Close ends watching.
func (k *Keep) Close() {
	for _, s := range k.seen {
		_ = s.Unsubscribe()
	}
}

// appended takes what some node has appended to a log.
func (k *Keep) appended(m *nats.Msg) {
	k.mu.Lock()
	l := k.opened[logPrefix+m.Subject[len(logSeen):]]
	k.mu.Unlock()
	if l != nil {
		l.seen(m)
	}
}

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// token is a text as a part of a subject.
func token(text string) string { return "_" + encoding.EncodeToString([]byte(text)) }

func untoken(part string) (string, bool) {
	text, is := strings.CutPrefix(part, "_")
	b, err := encoding.DecodeString(text)
	return string(b), is && err == nil
}

// changed takes what some node has stored.
func (k *Keep) changed(m *nats.Msg) {
	subject := StatePrefix + m.Subject[len(StateSeen):]
	dot := strings.LastIndexByte(subject, '.')
	k.mu.Lock()
	b := k.buckets[subject[:dot+1]]
	k.mu.Unlock()
	key, is := untoken(subject[dot+1:])
	var seq uint64
	if _, err := fmt.Sscan(m.Header.Get(nats.JSSequence), &seq); b == nil || !is || err != nil {
		return
	}
	b.take(key, m.Data, m.Header.Get(removedHeader) != "", seq)
}

// Probe finds out whether anything can be stored. All radios ask, so what it finds counts
// for a moment.
func (k *Keep) Probe(ctx context.Context, _ int) error {
	k.probing.Lock()
	defer k.probing.Unlock()
	if time.Since(k.probed) < probeFor {
		return k.trouble
	}
	try, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	_, err := k.publish(try, []*nats.Msg{nats.NewMsg(StatePrefix + "probe")})
	if ctx.Err() == nil {
		k.probed, k.trouble = time.Now(), err
	}
	return err
}
