package keeper

import (
	"context"
	"errors"
	"slices"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/store"
)

// Bucket is a durable map; *store.Bucket is one.
type Bucket interface {
	Get(key string) (value []byte, found bool)
	All() map[string][]byte
	Change(ctx context.Context, put map[string][]byte, remove []string) error
}

// Guarded is a Bucket that is not written to while nothing can be stored. New values
// are refused then. What is removed counts as ended at once, and is removed from the
// disk when that is back.
type Guarded struct {
	bucket Bucket
	keeper *Keeper
}

// Guard puts a Guarded before a Bucket.
func (k *Keeper) Guard(b Bucket) *Guarded { return &Guarded{b, k} }

// Get returns the value of key.
func (g *Guarded) Get(key string) (value []byte, found bool) { return g.bucket.Get(key) }

// All returns everything kept.
func (g *Guarded) All() map[string][]byte { return g.bucket.All() }

// Put sets one key. See Change.
func (g *Guarded) Put(ctx context.Context, key string, value []byte) error {
	return g.Change(ctx, map[string][]byte{key: value}, nil)
}

// Change sets and removes keys at once. Without storage it is refused and has changed
// nothing, unless it only removes.
func (g *Guarded) Change(ctx context.Context, put map[string][]byte, remove []string) error {
	if len(put) == 0 {
		return g.remove(ctx, remove)
	}
	g.keeper.Probe(ctx)
	if err := g.keeper.Err(); err != nil {
		return err
	}
	err := g.bucket.Change(ctx, put, remove)
	if broken(err) {
		g.keeper.failed(err)
		return core.ErrStorage(reasonOf(err))
	}
	return err
}

func (g *Guarded) remove(ctx context.Context, keys []string) error {
	var there []string
	for _, key := range keys {
		if _, found := g.bucket.Get(key); found {
			there = append(there, key)
		}
	}
	if len(there) == 0 {
		return nil
	}
	if g.keeper.Reason() == "" {
		err := g.bucket.Change(ctx, nil, there)
		if !broken(err) {
			return err
		}
		g.keeper.failed(err)
	}
	g.keeper.take(backlog{removed: []removal{{g.bucket, there}}}, nil, func(error) {})
	return nil
}

// broken tells a failure of the disk from a refusal.
func broken(err error) bool {
	return err != nil && !errors.Is(err, store.ErrTooLarge) && !errors.Is(err, store.ErrClosed) && !errors.Is(err, context.Canceled)
}

// Audit is the audit log as the surfaces use it.
type Audit struct {
	*audit.Log
	keeper *Keeper
}

// Audit returns the audit log for the surfaces.
func (k *Keeper) Audit(log *audit.Log) *Audit { return &Audit{log, k} }

// Append adds entries for what happens only if it can be audited. Without storage it
// is refused.
func (a *Audit) Append(ctx context.Context, entries ...audit.Entry) error {
	if err := a.keeper.Err(); err != nil {
		return err
	}
	err := a.Log.Append(ctx, entries...)
	if err != nil && temporary(err) && !errors.Is(err, audit.ErrBusy) && ctx.Err() == nil {
		a.keeper.failed(err)
		return core.ErrStorage(reasonOf(err))
	}
	return err
}

// Note adds entries for what has already happened. It waits for the disk; while
// nothing can be stored, they are kept in memory.
func (a *Audit) Note(ctx context.Context, entries ...audit.Entry) {
	for i := range entries {
		if entries[i].Time == 0 {
			entries[i].Time = a.keeper.Now().UnixMilli()
		}
	}
	done := make(chan struct{})
	a.keeper.take(backlog{}, entries, func(error) { close(done) })
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Inherit adds records that somebody else may have stored already: those that are not among
// the newest entries.
func (a *Audit) Inherit(ctx context.Context, records []core.Record) error {
	if len(records) == 0 {
		return nil
	}
	there, err := a.Log.Tail(ctx, 2*len(records)+chunk)
	if err != nil {
		return err
	}
	var missing []audit.Entry
	for _, r := range records {
		if e := entry(r); !slices.ContainsFunc(there, func(old audit.Entry) bool { return alike(old, e) }) {
			missing = append(missing, e)
		}
	}
	if len(missing) > 0 {
		a.Note(ctx, missing...)
	}
	return nil
}
