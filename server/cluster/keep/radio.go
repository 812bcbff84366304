package keep

import (
	"context"
	"errors"

	"squelch/server/store"
)

// Radio is what the nodes keep of one radio.
type Radio struct {
	Sessions, Secrets, Config, Webhooks, DeadLetters, Accounts *Bucket
	Audit, Timeline                                            *Log

	keep      *Keep
	snapshots *Snapshots
}

// Radio opens what is kept of a radio; it may be new. timeline is how many records its
// timeline keeps; 0: no limit.
func (k *Keep) Radio(ctx context.Context, name string, timeline int) (*Radio, error) {
	r := &Radio{keep: k}
	var err error
	for bucket, at := range map[string]**Bucket{"sessions": &r.Sessions, "secrets": &r.Secrets, "config": &r.Config,
		"webhooks": &r.Webhooks, "letters": &r.DeadLetters, "accounts": &r.Accounts} {
		var failed error
		*at, failed = k.Bucket(ctx, name, bucket)
		err = errors.Join(err, failed)
	}
	for log, at := range map[string]struct {
		log  **Log
		most int
	}{"audit": {&r.Audit, 0}, "timeline": {&r.Timeline, timeline}} {
		var failed error
		*at.log, failed = k.Log(ctx, name, log, at.most)
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	r.snapshots, err = k.Snapshots(ctx, name)
	return r, err
}

// Own prepares this node for writing what another one has written until now.
func (r *Radio) Own(ctx context.Context) error {
	_, err := r.snapshots.Latest(ctx)
	return errors.Join(err, r.Audit.Refresh(ctx), r.Timeline.Refresh(ctx))
}

// SaveSnapshot makes a snapshot durable. ErrFenced: an owner after the one that saves it has
// saved one.
func (r *Radio) SaveSnapshot(ctx context.Context, s store.Snapshot) error {
	return r.snapshots.Save(ctx, s)
}

// Claim is Snapshots.Claim.
func (r *Radio) Claim(ctx context.Context, owner uint64) (store.Snapshot, error) {
	return r.snapshots.Claim(ctx, owner)
}

// LatestSnapshot returns the newest snapshot; found is false when none was ever saved.
func (r *Radio) LatestSnapshot(ctx context.Context) (s store.Snapshot, found bool, err error) {
	s, err = r.snapshots.Latest(ctx)
	return s, s.Data != nil, err
}

// Probe finds out whether anything can be stored.
func (r *Radio) Probe(ctx context.Context, bytes int) error { return r.keep.Probe(ctx, bytes) }

// CatchUp reads what other nodes have changed and this one has not heard of.
func (r *Radio) CatchUp(ctx context.Context) error {
	err := errors.Join(r.Audit.Refresh(ctx), r.Timeline.Refresh(ctx))
	for _, b := range r.Buckets() {
		err = errors.Join(err, b.CatchUp(ctx))
	}
	return err
}

// Buckets are those of the radio by their names.
func (r *Radio) Buckets() map[string]*Bucket {
	return map[string]*Bucket{"sessions": r.Sessions, "secrets": r.Secrets, "config": r.Config, "webhooks": r.Webhooks, "letters": r.DeadLetters, "accounts": r.Accounts}
}

// Reader reads the snapshots apart from the radio: what it reads does not allow this node to
// save one over them.
func (r *Radio) Reader() *Snapshots { return &Snapshots{keep: r.keep, prefix: r.snapshots.prefix} }
