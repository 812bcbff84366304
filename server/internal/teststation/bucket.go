package teststation

import (
	"context"
	"maps"
	"sync"
)

// Bucket is storage in memory, as *store.Bucket is on a disk. The zero Bucket
// is empty.
type Bucket struct {
	mu     sync.Mutex
	values map[string][]byte
	broken error
	writes int
}

// Changes is how many changes were stored.
func (b *Bucket) Changes() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.writes
}

// Holding returns a bucket with one value.
func Holding(key, value string) *Bucket {
	return &Bucket{values: map[string][]byte{key: []byte(value)}}
}

// Break makes every later change fail with err.
func (b *Bucket) Break(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = err
}

// Get returns the value of a key.
func (b *Bucket) Get(key string) (value []byte, found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	value, found = b.values[key]
	return value, found
}

// All returns the values by their keys.
func (b *Bucket) All() map[string][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.values)
}

// Put stores one value.
func (b *Bucket) Put(ctx context.Context, key string, value []byte) error {
	return b.Change(ctx, map[string][]byte{key: value}, nil)
}

// Change stores and removes values together.
func (b *Bucket) Change(_ context.Context, put map[string][]byte, remove []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		return b.broken
	}
	if b.values == nil {
		b.values = map[string][]byte{}
	}
	b.writes++
	maps.Copy(b.values, put)
	for _, key := range remove {
		delete(b.values, key)
	}
	return nil
}
