package keeper

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/store"
)

// Reason returns why nothing can be stored; "": it can.
func (k *Keeper) Reason() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.broken
}

// Err returns the refusal for what needs storage; nil: it is not refused.
func (k *Keeper) Err() error {
	if reason := k.Reason(); reason != "" {
		return core.ErrStorage(reason)
	}
	return nil
}

// Probe finds out whether the disk takes what a change needs. When it returns, the
// core knows. A look by another caller that began after the call counts for this one
// too.
func (k *Keeper) Probe(ctx context.Context) {
	if k.Reason() == "" {
		if err := k.look(ctx, probeBytes); err != nil && ctx.Err() == nil {
			k.failed(err)
		}
	}
	k.telling.Lock() // whoever is telling the core has finished now
	defer k.telling.Unlock()
}

// look finds out whether the disk takes this many bytes; from probeBytes on it also
// asks for the room of two snapshots.
func (k *Keeper) look(ctx context.Context, bytes int) error {
	arrived := k.Now()
	k.probing.Lock()
	defer k.probing.Unlock()
	whole := bytes >= probeBytes
	if k.probed.After(arrived) {
		return nil
	}
	began := k.Now()
	if whole {
		bytes = max(bytes, 2*k.size)
	}
	if err := k.Store.Probe(ctx, bytes); err != nil {
		return err
	}
	if whole {
		k.probed = began
	}
	return nil
}

// failed notes that the disk did not take something. From now on what needs storage
// is refused, and nobody waits.
func (k *Keeper) failed(err error) {
	k.telling.Lock()
	defer k.telling.Unlock()
	k.mu.Lock()
	reason := reasonOf(err)
	first := k.broken == ""
	if !first && reason == unknownReason {
		reason = k.broken
	}
	changed := reason != k.broken
	k.broken = reason
	if first {
		k.since = k.Now()
		k.behind.add(k.event("storage.failed", map[string]any{"reason": reason}))
	}
	left := append(k.flying, k.waiting...)
	k.flying, k.waiting = nil, nil
	k.mu.Unlock()
	if first {
		k.Logf("storage unavailable: %s (%v): patches, callsigns, configuration and logins are refused; everything else goes on", reason, err)
	}
	if changed {
		k.tell(reason)
	}
	for _, done := range left {
		done(kept(reason))
	}
	if first {
		k.nudge()
	}
}

// restored ends the trouble, unless something more has happened meanwhile.
func (k *Keeper) restored(ctx context.Context, merged int) error {
	k.telling.Lock()
	defer k.telling.Unlock()
	k.mu.Lock()
	more, since := !k.behind.empty(), k.since
	k.mu.Unlock()
	if more { // it has to be written first
		return nil
	}
	took := k.Now().Sub(since).Round(time.Second)
	if err := k.Log.Append(ctx, k.event("storage.restored", map[string]any{"since": since.UnixMilli(), "merged": merged})); err != nil {
		return err
	}
	k.tell("") // before broken is cleared: nobody waits for what the core records of it
	k.mu.Lock()
	k.broken = ""
	k.mu.Unlock()
	k.Logf("storage is available again after %v; what happened meanwhile is stored", took)
	return nil
}

// event makes an entry of the service itself.
func (k *Keeper) event(action string, detail map[string]any) audit.Entry {
	return audit.Entry{Time: k.Now().UnixMilli(), Surface: audit.Core, Action: action, Detail: detail}
}

// temporary tells a failure of the disk from something that no disk would take.
func temporary(err error) bool {
	switch {
	case errors.Is(err, store.ErrTooLarge), errors.Is(err, store.ErrClosed):
		return false
	case errors.Is(err, audit.ErrStream), errors.Is(err, audit.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return false
}

// errSlow: a write takes longer than slowWrite, so nobody waits for it any more.
var errSlow = errors.New("a write takes more than " + slowWrite.String())

const unknownReason = "writing fails"

// reasonOf says in words what is wrong with the disk. Clients read it, so it names no
// paths; the log has the whole error. NATS passes on the system's errors only as
// text.
func reasonOf(err error) string {
	text := strings.ToLower(err.Error())
	for _, known := range []struct {
		is     error
		says   string
		reason string
	}{
		{syscall.ENOSPC, "no space left", "the disk is full"},
		{syscall.ENOSPC, "not enough space", "the disk is full"}, // Windows
		{syscall.EDQUOT, "quota exceeded", "the disk quota is used up"},
		{syscall.EFBIG, "file too large", "a file has reached the size limit"},
		{syscall.EROFS, "read-only file system", "the file system is read-only"},
		{syscall.EIO, "input/output error", "the disk reports errors"},
		{syscall.EACCES, "permission denied", "no permission to write to the data folder"},
		{errSlow, errSlow.Error(), "the disk does not answer"},
		{context.DeadlineExceeded, "deadline exceeded", "the disk does not answer"},
	} {
		if errors.Is(err, known.is) || strings.Contains(text, known.says) {
			return known.reason
		}
	}
	return unknownReason
}
