package mirror

import (
	"context"

	"squelch/server/cluster/keep"
	"squelch/server/store"
)

// bucket is a small map, see store.Bucket and keep.Bucket.
type bucket interface {
	All() map[string][]byte
	Change(ctx context.Context, put map[string][]byte, remove []string) error
}

// log is a list of records, see store.Log and keep.Log.
type log interface {
	Bounds() (first, last uint64)
	Read(ctx context.Context, from uint64, limit int) (first uint64, records [][]byte, err error)
	AppendAt(ctx context.Context, at uint64, records ...[]byte) error
	BeginAt(ctx context.Context, first uint64) error
}

// Place is where a radio is kept: a data folder (OnStore), or what nodes share (OnKeep).
type Place struct {
	buckets map[string]bucket
	logs    map[string]log
	save    func(ctx context.Context, s store.Snapshot) error
	latest  func(ctx context.Context) (store.Snapshot, bool, error)

	catchUp func(ctx context.Context) error           // nil: it is always up to date
	version func(ctx context.Context) (uint64, error) // of the snapshot; nil: unknown
	probe   func(ctx context.Context, bytes int) error
}

// OnStore is a radio in a data folder of its own.
func OnStore(s *store.Store) *Place {
	return &Place{
		buckets: map[string]bucket{"sessions": s.Sessions(), "secrets": s.Secrets(), "config": s.Config(), "webhooks": s.Webhooks(),
			"letters": s.DeadLetters(), "accounts": s.Accounts()},
		logs: map[string]log{"audit": s.Audit(), "timeline": s.Timeline()},
		save: s.SaveSnapshot, latest: s.LatestSnapshot, probe: s.Probe,
	}
}

// OnKeep is a radio of those in a keep.
func OnKeep(r *keep.Radio) *Place {
	p := &Place{buckets: map[string]bucket{}, logs: map[string]log{"audit": r.Audit, "timeline": r.Timeline},
		save: r.SaveSnapshot, catchUp: r.CatchUp, probe: r.Probe}
	for name, b := range r.Buckets() {
		p.buckets[name] = b
	}
	// What is read here must not tell the radio's writer that it has seen it.
	reader := r.Reader()
	p.version = reader.Version
	p.latest = func(ctx context.Context) (s store.Snapshot, found bool, err error) {
		s, err = reader.Latest(ctx)
		return s, s.Data != nil, err
	}
	return p
}

// Amount is how much a place holds.
type Amount struct {
	Audit    uint64 `json:"audit"`    // number of the newest record
	Timeline uint64 `json:"timeline"` // the same
	Keys     int    `json:"keys"`     // of all buckets
	Snapshot bool   `json:"snapshot"`
}

// Empty says that no radio was ever kept.
func (a Amount) Empty() bool { return a == Amount{} }

// Amount counts.
func (p *Place) Amount(ctx context.Context) (a Amount, err error) {
	_, a.Audit = p.logs["audit"].Bounds()
	_, a.Timeline = p.logs["timeline"].Bounds()
	for _, b := range p.buckets {
		a.Keys += len(b.All())
	}
	_, a.Snapshot, err = p.latest(ctx)
	return a, err
}

// less says whether b is the longer history. Of the same radio both numbers only grow; of two
// radios, the one that was used more is the one that people know.
func (a Amount) less(b Amount) bool {
	if x, y := a.Audit+a.Timeline, b.Audit+b.Timeline; x != y {
		return x < y
	}
	if a.Snapshot != b.Snapshot {
		return b.Snapshot
	}
	return a.Keys < b.Keys
}
