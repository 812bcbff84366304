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
	if r.Detail != "" || r.Whom != "" {
		e.Detail = map[string]any{}
	}
	if r.Detail != "" {
		e.Detail["text"] = r.Detail
	}
	if r.Whom != "" {
		e.Detail["whom"] = r.Whom
	}
	return e
}
