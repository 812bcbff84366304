package keeper

import (
	"squelch/core"
	"squelch/server/audit"
)

// entry turns a core record into an entry of the audit log.
func entry(r core.Record) audit.Entry {
	e := audit.Entry{Time: r.At, Actor: audit.Actor{ID: int(r.By.User), Name: r.By.Name}, Surface: audit.Surface(r.By.Surface),
		Action: r.Action, Frequency: r.Frequency.String()}
	if r.Target != 0 {
		e.Target = r.Target.String()
	}
	if r.Detail != "" {
		e.Detail = map[string]any{"text": r.Detail}
	}
	return e
}
