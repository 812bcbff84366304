package radio

import (
	"context"
	"errors"

	"squelch/server/audit"
	"squelch/server/cluster/keep"
)

// OnKeep is the storage that the nodes of a cluster share.
func OnKeep(k *keep.Radio) *Storage {
	return &Storage{State: k, Sessions: k.Sessions, Secrets: k.Secrets, Config: k.Config, Webhooks: k.Webhooks, DeadLetters: k.DeadLetters,
		Accounts: k.Accounts, Audit: sharedLog{k.Audit}, Timeline: k.Timeline}
}

// sharedLog is the audit log of several nodes, each of which appends what was done there.
type sharedLog struct{ *keep.Log }

// AppendAt is keep.Log.AppendAt; audit.ErrMoved: another node was faster.
func (l sharedLog) AppendAt(ctx context.Context, at uint64, records ...[]byte) error {
	err := l.Log.AppendAt(ctx, at, records...)
	if errors.Is(err, keep.ErrFenced) {
		return errors.Join(audit.ErrMoved, err)
	}
	return err
}
