package engine

import (
	"context"

	"squelch/core"
)

// kept is what of one or more steps has to outlive the service.
type kept struct {
	epoch, seq uint64     // of the newest step that changed snap or log, or else moments
	snap       *core.Data // the newest; nil: it has not changed
	log        []core.Record
	moments    []core.Moment
	replaced   bool // the radio was replaced by a snapshot
	lost       bool // by one of another epoch, after changes whose callers wait
}

// durable is the follower behind Source.Durable. Nothing is lost to a full
// queue: of several states the newest is enough, and records and moments are all kept.
// A caller whose step has only moments, such as a key-up, does not wait.
func durable(s Source, state func() core.Data) *Queue[kept] {
	return &Queue[kept]{Name: "keeper", Most: durableLength, errs: true,
		waits: func(k kept) bool { return k.snap != nil || len(k.log) > 0 },
		Prepare: func(step *Step) (kept, bool) {
			k := kept{epoch: step.Epoch, seq: step.Seq, moments: core.Moments(step.Output, step.View), replaced: step.Snapshot != nil}
			for _, e := range step.Output.Events {
				if r, audited := core.Audit(e); audited {
					if r.Whom == "" {
						r.Whom = nameOf(step, r.Target)
					}
					k.log = append(k.log, r)
				}
			}
			if step.Output.Save || step.Store || step.Snapshot != nil {
				d := state()
				k.snap = &d
			}
			return k, k.snap != nil || len(k.log) > 0 || len(k.moments) > 0
		},
		Merge: merge,
		Deliver: func(ctx context.Context, batch []kept) error {
			all := batch[0]
			for _, k := range batch[1:] {
				all = merge(all, k)
			}
			err := s.Durable(ctx, all.epoch, all.seq, all.snap, all.log, all.moments)
			if err == nil && all.lost {
				return ErrResync
			}
			return err
		},
	}
}

// nameOf is what a user was called when the step happened: ids are given away again.
func nameOf(step *Step, id core.UserID) string {
	if id == 0 {
		return ""
	}
	if u, known := step.View.User(id); known {
		return u.Name
	}
	for _, e := range step.Output.Events {
		if left, is := e.Fact.(core.UserLeft); is && left.User == id {
			return left.Name
		}
	}
	return ""
}

// merge joins two. What is waited for is the newest change of the state or the audit log:
// moments that come after it move nothing. What came before a snapshot of another epoch may
// not have happened there, so it is not stored, and its callers are not told that it is.
func merge(older, newer kept) kept {
	if newer.replaced && newer.epoch != older.epoch {
		newer.lost = older.lost || older.snap != nil || len(older.log) > 0
		return newer
	}
	newer.replaced, newer.lost = older.replaced || newer.replaced, older.lost || newer.lost
	if newer.snap == nil && len(newer.log) == 0 && (older.snap != nil || len(older.log) > 0) {
		newer.epoch, newer.seq = older.epoch, older.seq
	}
	newer.log, newer.moments = append(older.log, newer.log...), append(older.moments, newer.moments...)
	if newer.snap == nil {
		newer.snap = older.snap
	}
	return newer
}
