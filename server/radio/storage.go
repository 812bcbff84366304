package radio

import (
	"context"

	"squelch/server/cluster/keep"
	"squelch/server/store"
)

// Bucket is a small durable map, see store.Bucket.
type Bucket interface {
	Get(key string) (value []byte, found bool)
	All() map[string][]byte
	Put(ctx context.Context, key string, value []byte) error
	Change(ctx context.Context, put map[string][]byte, remove []string) error
	Ensure(ctx context.Context, key string, make func() ([]byte, error)) (value []byte, created bool, err error)
}

// Log is an append-only list of records, see store.Log.
type Log interface {
	AppendAt(ctx context.Context, at uint64, records ...[]byte) error
	Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error)
	Bounds() (first, last uint64)
}

// State keeps the newest snapshot of a radio.
type State interface {
	SaveSnapshot(ctx context.Context, snapshot store.Snapshot) error
	LatestSnapshot(ctx context.Context) (snapshot store.Snapshot, found bool, err error)
	// Probe finds out whether so many bytes can be stored.
	Probe(ctx context.Context, bytes int) error
}

// Storage is where a radio keeps what outlives it: a data folder (OnStore), or what the
// nodes of a cluster share. It stays open when the radio ends.
type Storage struct {
	State
	Sessions, Secrets, Config, Webhooks, DeadLetters, Accounts Bucket
	Audit, Timeline                                            Log

	kept *keep.Radio // of a cluster
}

// OnStore is the storage in a data folder.
func OnStore(s *store.Store) *Storage {
	return &Storage{State: s, Sessions: s.Sessions(), Secrets: s.Secrets(), Config: s.Config(), Webhooks: s.Webhooks(), DeadLetters: s.DeadLetters(),
		Accounts: s.Accounts(), Audit: s.Audit(), Timeline: s.Timeline()}
}
