package keep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/store"
)

// removedHeader marks the record of a key that was removed.
const removedHeader = "Squelch-Removed"

// Bucket is a small durable map that all nodes share. Its contents are kept in memory, so
// reading waits for nobody; what another node changes is here some milliseconds later.
type Bucket struct {
	keep   *Keep
	prefix string

	writing sync.Mutex // one change of this node at a time
	reading sync.Mutex // one CatchUp at a time; guards read
	read    uint64     // all that the stream has up to this number is known

	mu     sync.RWMutex
	values map[string]value
	bytes  int
	live   int    // keys that are not removed
	newest uint64 // the highest number of a value
	watch  []func(key string, value []byte, removed bool)
}

type value struct {
	data    []byte
	seq     uint64
	removed bool
}

// Bucket opens a bucket of a radio.
func (k *Keep) Bucket(ctx context.Context, radio, name string) (*Bucket, error) {
	b := &Bucket{keep: k, prefix: StatePrefix + token(radio) + "." + name + ".", values: map[string]value{}}
	k.mu.Lock()
	if old := k.buckets[b.prefix]; old != nil {
		k.mu.Unlock()
		return old, nil
	}
	k.buckets[b.prefix] = b
	k.mu.Unlock()
	if err := b.CatchUp(ctx); err != nil {
		k.mu.Lock()
		delete(k.buckets, b.prefix) // whoever opens it again must not find it empty
		k.mu.Unlock()
		return nil, err
	}
	return b, nil
}

// CatchUp reads everything that has changed since it was called last: messages of other nodes
// that told of it may be lost. What changes meanwhile has a higher number, and wins.
func (b *Bucket) CatchUp(ctx context.Context) error {
	b.reading.Lock()
	defer b.reading.Unlock()
	for {
		batch, more, err := b.keep.fetch(ctx, StateStream, b.prefix+"*", b.read+1, readBatch)
		if err != nil {
			return fmt.Errorf("%s: %w", b.prefix, err)
		}
		for _, r := range batch {
			if key, is := untoken(strings.TrimPrefix(r.subject, b.prefix)); is {
				b.take(key, r.data, r.header.Get(removedHeader) != "", r.seq)
			}
			b.read = r.seq
		}
		if !more {
			return nil
		}
	}
}

// Version changes whenever the bucket does.
func (b *Bucket) Version() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.newest
}

// take takes a stored value, unless a newer one is known.
func (b *Bucket) take(key string, data []byte, removed bool, seq uint64) {
	b.mu.Lock()
	old := b.values[key]
	if seq <= old.seq {
		b.mu.Unlock()
		return
	}
	if removed {
		data = nil
	}
	b.bytes += len(data) - len(old.data)
	if there := old.seq > 0 && !old.removed; there != !removed {
		if removed {
			b.live--
		} else {
			b.live++
		}
	}
	b.values[key] = value{slices.Clone(data), seq, removed}
	b.newest = max(b.newest, seq)
	watch := b.watch
	b.mu.Unlock()
	for _, f := range watch {
		f(key, data, removed)
	}
}

// Watch calls f with every change from now on, those of this node too. f must not block.
func (b *Bucket) Watch(f func(key string, value []byte, removed bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watch = append(slices.Clip(b.watch), f)
}

// Get returns a copy of the value of key.
func (b *Bucket) Get(key string) (data []byte, found bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, found := b.values[key]
	return slices.Clone(v.data), found && !v.removed
}

// All returns a copy of the whole bucket.
func (b *Bucket) All() map[string][]byte {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make(map[string][]byte, len(b.values))
	for key, v := range b.values {
		if !v.removed {
			all[key] = slices.Clone(v.data)
		}
	}
	return all
}

// Put sets one key. See Change.
func (b *Bucket) Put(ctx context.Context, key string, data []byte) error {
	return b.Change(ctx, map[string][]byte{key: data}, nil)
}

// Delete removes keys. See Change.
func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	return b.Change(ctx, nil, keys)
}

// Change sets and removes several keys at once: all of it or nothing, and all of it once it
// has returned nil.
func (b *Bucket) Change(ctx context.Context, put map[string][]byte, remove []string) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.change(ctx, put, remove, nil)
}

// Ensure returns the value of key; if there is none on any node, it stores what make returns.
func (b *Bucket) Ensure(ctx context.Context, key string, make func() ([]byte, error)) (data []byte, created bool, err error) {
	b.writing.Lock()
	defer b.writing.Unlock()
	for {
		if data, found := b.Get(key); found {
			return data, false, nil
		}
		if data, err = make(); err != nil {
			return nil, false, err
		}
		b.mu.RLock()
		expect := b.values[key].seq
		b.mu.RUnlock()
		err = b.change(ctx, map[string][]byte{key: data}, nil, &expect)
		if err == nil {
			return data, true, nil
		}
		if !wrongSequence(err) {
			return nil, false, err
		}
		if err := b.refresh(ctx, key); err != nil {
			return nil, false, err
		}
	}
}

// refresh reads a key from the stream's leader. A session that this node does not know may
// have been made a moment ago at another.
func (b *Bucket) refresh(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	m, err := b.keep.newest(ctx, StateStream, b.prefix+token(key))
	if m != nil {
		b.take(key, m.data, m.header.Get(removedHeader) != "", m.seq)
	}
	return err
}

// Refresh is refresh for callers that look for one key; found says whether it is there.
func (b *Bucket) Refresh(ctx context.Context, key string) (found bool, err error) {
	err = b.refresh(ctx, key)
	_, found = b.Get(key)
	return found, err
}

func wrongSequence(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == 10164)
}

func (b *Bucket) change(ctx context.Context, put map[string][]byte, remove []string, expect *uint64) error {
	if err := b.allowed(put); err != nil {
		return err
	}
	type step struct {
		key     string
		data    []byte
		removed bool
	}
	var steps []step
	for _, key := range slices.Sorted(maps.Keys(put)) {
		steps = append(steps, step{key, put[key], false})
	}
	for _, key := range remove {
		if _, there := b.Get(key); there && put[key] == nil {
			steps = append(steps, step{key, nil, true})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	if len(steps) > MaxBatch {
		return fmt.Errorf("%w: %d keys at once, the limit is %d", store.ErrTooLarge, len(steps), MaxBatch)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	var messages []*nats.Msg
	for _, s := range steps {
		m := nats.NewMsg(b.prefix + token(s.key))
		m.Data = s.data
		if s.removed {
			m.Header.Set(removedHeader, "1")
		}
		messages = append(messages, m)
	}
	if expect != nil {
		messages[0].Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(*expect, 10))
	}
	last, err := b.keep.publish(ctx, messages)
	if err != nil {
		return err
	}
	for i, s := range steps {
		b.take(s.key, s.data, s.removed, last-uint64(len(steps)-1-i))
	}
	return nil
}

func (b *Bucket) allowed(put map[string][]byte) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	bytes, keys := b.bytes, b.live
	for key, data := range put {
		if key == "" || len(key) > maxKey {
			return fmt.Errorf("%w: a key must have 1 to %d bytes, not %d", store.ErrTooLarge, maxKey, len(key))
		}
		if len(data) > store.MaxRecord {
			return fmt.Errorf("%w: a value of %d bytes, the limit is %d", store.ErrTooLarge, len(data), store.MaxRecord)
		}
		old, found := b.values[key]
		if !found || old.removed {
			keys++
		}
		bytes += len(data) - len(old.data)
	}
	if keys > store.MaxBucketKeys || bytes > store.MaxBucketBytes {
		return fmt.Errorf("%w: the bucket would hold %d keys and %d bytes, the limits are %d and %d", store.ErrTooLarge, keys, bytes, store.MaxBucketKeys, store.MaxBucketBytes)
	}
	return nil
}

// writeHeader names the write of which a record is the last.
const writeHeader = "Squelch-Write"

// publish stores messages, all or none, and returns the number of the last. While nobody
// leads the stream, it waits: nothing is on its way then. If there is no answer, because the
// leader has died with it, it looks whether the messages are stored, and tries again if not.
func (k *Keep) publish(ctx context.Context, messages []*nats.Msg) (last uint64, err error) {
	end := messages[len(messages)-1]
	end.Header.Set(writeHeader, uuid.NewString())
	for unanswered := false; ; {
		try, cancel := context.WithTimeout(ctx, ackTime)
		last, err = k.attempt(try, messages)
		cancel()
		silent := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		if unanswered = unanswered || silent; unanswered && err != nil {
			if at, is := k.wrote(ctx, end); is {
				return at, nil
			}
		}
		if !silent && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, errNobody) {
			return last, err
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("no majority of the nodes stores anything: %w", ctx.Err())
		case <-time.After(againAfter):
		}
	}
}

// wrote says whether the newest record of a subject is this very one, and its number.
func (k *Keep) wrote(ctx context.Context, m *nats.Msg) (seq uint64, is bool) {
	stream := StateStream
	if strings.HasPrefix(m.Subject, logPrefix) {
		stream = LogStream
	}
	r, err := k.newest(ctx, stream, m.Subject)
	if err != nil || r == nil || r.header.Get(writeHeader) != m.Header.Get(writeHeader) {
		return 0, false
	}
	return r.seq, true
}

// errNobody: NATS said that it is not in a position to store.
var errNobody = errors.New("the stream has no leader")

func (k *Keep) attempt(ctx context.Context, messages []*nats.Msg) (last uint64, err error) {
	if len(messages) > 1 {
		id := uuid.NewString()
		for i, m := range messages {
			m.Header.Set("Nats-Batch-Id", id)
			m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		}
		messages[len(messages)-1].Header.Set("Nats-Batch-Commit", "1")
		for _, m := range messages[:len(messages)-1] {
			if err := k.conn.PublishMsg(m); err != nil {
				return 0, err
			}
		}
	}
	answer, err := k.conn.RequestMsgWithContext(ctx, messages[len(messages)-1])
	if err != nil {
		return 0, err
	}
	var ack struct {
		Seq   uint64              `json:"seq"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return 0, err
	}
	if ack.Error != nil && ack.Error.Code == 503 {
		return 0, errNobody
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	return ack.Seq, nil
}
