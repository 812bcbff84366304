package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Bucket is a small durable map. Its contents are kept in memory too, so
// reading never waits for the disk. On the disk it is a log of changes, which
// is rewritten when most of it is outdated.
type Bucket struct {
	log *Log

	writing sync.Mutex // one change at a time; held while the disk works
	unsure  bool       // a change failed, but may have been kept

	mu     sync.RWMutex
	values map[string][]byte
	bytes  int
}

// change is the stored record: one or more keys set and removed at once.
type change struct {
	Version int               `json:"v"` // 1
	Put     map[string][]byte `json:"put,omitempty"`
	Delete  []string          `json:"delete,omitempty"`
}

func readChange(record []byte) (c change, err error) {
	if err := json.Unmarshal(record, &c); err != nil || c.Version != 1 {
		return c, fmt.Errorf("is not understood (version %d): %w", c.Version, errors.Join(ErrForeign, err))
	}
	return c, nil
}

func openBucket(ctx context.Context, log *Log) (*Bucket, error) {
	b := &Bucket{log: log}
	return b, b.load(ctx)
}

// load reads the bucket from the disk.
func (b *Bucket) load(ctx context.Context) error {
	loaded := &Bucket{values: map[string][]byte{}}
	next, last := b.log.Bounds()
	for next <= last {
		first, records, err := b.log.Read(ctx, next, readBatch)
		if err != nil {
			return err
		}
		for i, record := range records {
			c, err := readChange(record)
			if err != nil {
				return fmt.Errorf("record %d of %s %w", first+uint64(i), b.log.stream, err)
			}
			loaded.apply(c)
		}
		next = first + uint64(len(records))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.values, b.bytes = loaded.values, loaded.bytes
	return nil
}

// Get returns a copy of the value of key.
func (b *Bucket) Get(key string) (value []byte, found bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	value, found = b.values[key]
	return slices.Clone(value), found
}

// All returns a copy of the whole bucket.
func (b *Bucket) All() map[string][]byte {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make(map[string][]byte, len(b.values))
	for key, value := range b.values {
		all[key] = slices.Clone(value)
	}
	return all
}

// Put sets one key. See [Bucket.Change].
func (b *Bucket) Put(ctx context.Context, key string, value []byte) error {
	return b.Change(ctx, map[string][]byte{key: value}, nil)
}

// Delete removes keys; those that are not there are ignored. See [Bucket.Change].
func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	return b.Change(ctx, nil, keys)
}

// Change sets and removes several keys at once: after a crash all of the change is
// there or none, and all of it once Change has returned nil. A key has 1 to 1024
// bytes. The whole change must fit one record ([MaxRecord], values in base64).
func (b *Bucket) Change(ctx context.Context, put map[string][]byte, remove []string) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.change(ctx, put, remove)
}

// Ensure returns the value of key; if there is none, it stores what make returns
// first. created says whether it did.
func (b *Bucket) Ensure(ctx context.Context, key string, make func() ([]byte, error)) (value []byte, created bool, err error) {
	b.writing.Lock()
	defer b.writing.Unlock()
	if value, found := b.Get(key); found {
		return value, false, nil
	}
	if value, err = make(); err != nil {
		return nil, false, err
	}
	if err := b.change(ctx, map[string][]byte{key: value}, nil); err != nil {
		return nil, false, err
	}
	return slices.Clone(value), true, nil
}

func (b *Bucket) change(ctx context.Context, put map[string][]byte, remove []string) error {
	if b.unsure {
		if err := b.load(ctx); err != nil {
			return err
		}
		b.unsure = false
	}
	c := change{Version: 1, Put: put, Delete: b.present(remove)}
	if len(c.Put) == 0 && len(c.Delete) == 0 {
		return nil
	}
	if err := b.allowed(put); err != nil {
		return err
	}
	record, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := b.log.Append(ctx, record); err != nil {
		b.unsure = true
		return err
	}
	b.apply(c)
	first, last := b.log.Bounds()
	if outdated := int(last-first) - len(b.values); outdated > len(b.values)+compactSlack {
		if err := b.compact(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, ErrClosed) {
			// The change itself is safe; the next change tries again.
			b.log.logf("store: bucket %s could not be rewritten: %v", b.log.stream, err)
		}
	}
	return nil
}

func (b *Bucket) present(keys []string) []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var present []string
	for _, key := range keys {
		if _, found := b.values[key]; found {
			present = append(present, key)
		}
	}
	return present
}

func (b *Bucket) allowed(put map[string][]byte) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	keys, bytes := len(b.values), b.bytes
	for key, value := range put {
		if key == "" || len(key) > 1024 {
			return fmt.Errorf("%w: a key must have 1 to 1024 bytes, not %d", ErrTooLarge, len(key))
		}
		old, found := b.values[key]
		if !found {
			keys++
		}
		bytes += len(key) + len(value) - len(old)
	}
	if keys > MaxBucketKeys || bytes > MaxBucketBytes {
		return fmt.Errorf("%w: bucket %s would hold %d keys and %d bytes, the limits are %d and %d",
			ErrTooLarge, b.log.stream, keys, bytes, MaxBucketKeys, MaxBucketBytes)
	}
	return nil
}

// apply changes the map only: it puts, then deletes.
func (b *Bucket) apply(c change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, value := range c.Put {
		b.remove(key)
		b.values[key] = slices.Clone(value)
		b.bytes += len(key) + len(value)
	}
	for _, key := range c.Delete {
		b.remove(key)
	}
}

func (b *Bucket) remove(key string) {
	if old, found := b.values[key]; found {
		b.bytes -= len(key) + len(old)
		delete(b.values, key)
	}
}

// compact appends all values to the log again and then drops what came before. After
// an interruption in between, the same values are there twice.
func (b *Bucket) compact(ctx context.Context) error {
	all := b.All()
	var records [][]byte
	part, size := map[string][]byte{}, 0
	flush := func() error {
		record, err := json.Marshal(change{Version: 1, Put: part})
		records = append(records, record)
		part, size = map[string][]byte{}, 0
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		grown := size + len(key) + len(all[key])
		if size > 0 && grown > compactPart {
			if err := flush(); err != nil {
				return err
			}
			grown = len(key) + len(all[key])
		}
		part[key], size = all[key], grown
	}
	if err := flush(); err != nil { // also when empty: one record always stays
		return err
	}
	first, err := b.log.Append(ctx, records...)
	if err != nil {
		return err
	}
	return b.log.dropBefore(ctx, first)
}
