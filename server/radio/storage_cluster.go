package radio

import (
	"context"
	"errors"

	"squelch/server/audit"
	"squelch/server/cluster/keep"
	"squelch/server/timeline"
)

// OnKeep is the storage that the nodes of a cluster share.
func OnKeep(k *keep.Radio) *Storage {
	return &Storage{State: k, Sessions: k.Sessions, Secrets: k.Secrets, Config: k.Config, Webhooks: k.Webhooks, DeadLetters: k.DeadLetters,
		Accounts: k.Accounts, Audit: sharedLog{k.Audit, audit.ErrMoved}, Timeline: sharedLog{k.Timeline, timeline.ErrMoved}, kept: k}
}

// sharedLog is a log that several nodes append to.
type sharedLog struct {
	*keep.Log
	moved error // what its writer calls it if another node was faster
}

// AppendAt is keep.Log.AppendAt.
func (l sharedLog) AppendAt(ctx context.Context, at uint64, records ...[]byte) error {
	err := l.Log.AppendAt(ctx, at, records...)
	if errors.Is(err, keep.ErrFenced) {
		return errors.Join(l.moved, err)
	}
	return err
}
