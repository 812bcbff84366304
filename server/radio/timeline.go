package radio

import (
	"context"
	"log/slog"
	"time"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/cluster"
	"squelch/server/keeper"
	"squelch/server/metrics"
	"squelch/server/timeline"
)

// keep makes durable what orders have changed: the keeper its records and the radio's
// state, the timeline its moments, side by side. It waits for both, but not for moments
// alone.
func (r *Radio) keep(ctx context.Context, snap *keeper.State, log []core.Record, moments []core.Moment) error {
	last := r.timeline.Add(moments...)
	if snap == nil && len(log) == 0 {
		return nil
	}
	entered := r.timeline.Written(last)
	began := time.Now()
	err := r.keeper.Durable(ctx, snap, log)
	if err == nil {
		r.metrics.Stored(time.Since(began))
	}
	if err != nil || len(moments) == 0 {
		return err
	}
	select {
	case err := <-entered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keepAlone is keep where there is one node.
func (r *Radio) keepAlone(ctx context.Context, snap *core.Data, log []core.Record, moments []core.Moment) error {
	return r.keep(ctx, stateAfter(0, cluster.Place{}, snap), log, moments)
}

// auditor is the audit log as REST and the administration use it: what it is told of
// logins is on the timeline too, and all of it in the log.
type auditor struct {
	*keeper.Audit
	timeline *timeline.Timeline
	log      *slog.Logger
	metrics  *metrics.Metrics
}

func (r *Radio) auditor() auditor {
	return auditor{r.keeper.Audit(r.audit), r.timeline, r.log, r.metrics}
}

// Append is keeper.Audit.Append. What it refuses has not happened, so it is on no
// timeline.
func (a auditor) Append(ctx context.Context, entries ...audit.Entry) error {
	if err := a.Audit.Append(ctx, entries...); err != nil {
		return err
	}
	a.tell(ctx, entries)
	return nil
}

// Note is keeper.Audit.Note.
func (a auditor) Note(ctx context.Context, entries ...audit.Entry) {
	a.Audit.Note(ctx, entries...)
	a.tell(ctx, entries)
}

// loginResults are the actions of the audit log that the metrics count.
var loginResults = map[string]struct{ surface, result string }{
	"login":                 {"dispatch", "accepted"},
	"login.refused":         {"dispatch", "refused"},
	"login.lockedOut":       {"dispatch", "locked_out"},
	"token.lockedOut":       {"dispatch", "locked_out"},
	"admin.login":           {"admin", "accepted"},
	"admin.login.refused":   {"admin", "refused"},
	"admin.login.lockedOut": {"admin", "locked_out"},
}

// logins are the actions of the audit log that are on the timeline.
var logins = map[string]core.Moment{
	"login":                 {Kind: core.MomentLogin},
	"logout":                {Kind: core.MomentLogout},
	"login.refused":         {Kind: core.MomentLoginRefused},
	"login.lockedOut":       {Kind: core.MomentLoginRefused, Reason: "lockedOut"},
	"admin.login":           {Kind: core.MomentLogin, Detail: "admin"},
	"admin.logout":          {Kind: core.MomentLogout, Detail: "admin"},
	"admin.login.refused":   {Kind: core.MomentLoginRefused, Detail: "admin"},
	"admin.login.lockedOut": {Kind: core.MomentLoginRefused, Detail: "admin", Reason: "lockedOut"},
}

// tell enters logins, and waits for the disk as the audit log has. While the disk fails
// they wait in memory.
func (a auditor) tell(ctx context.Context, entries []audit.Entry) {
	var last uint64
	for _, e := range entries {
		logEntry(a.log, e)
		if l, is := loginResults[e.Action]; is {
			a.metrics.Login(l.surface, l.result)
		}
		if m, is := logins[e.Action]; is {
			m.At, m.ByName, m.Surface = e.Time, e.Actor.Name, core.Surface(e.Surface)
			last = a.timeline.Add(m)
		}
	}
	if last == 0 {
		return
	}
	select {
	case <-a.timeline.Written(last):
	case <-ctx.Done():
	}
}
