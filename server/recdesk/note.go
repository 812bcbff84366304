package recdesk

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"squelch/core"
	"squelch/server/address"
	"squelch/server/audit"
)

// asker is who asks, for the audit log.
type asker struct {
	by   core.Actor
	from string // address
}

func askerOf(r *http.Request, by core.Actor) asker { return asker{by, address.Host(r.RemoteAddr)} }

// note adds to the audit log. It returns a function that waits until that is done, so
// that an answer need not wait for it to begin.
func (d *Desk) note(who asker, action, frequency, target string, detail map[string]any) (wait func()) {
	if d.o.Audit == nil {
		return func() {}
	}
	all := map[string]any{"address": who.from}
	maps.Copy(all, detail)
	e := audit.Entry{Time: d.o.Now().UnixMilli(), Actor: audit.Actor{ID: int(who.by.User), Name: who.by.Name},
		Surface: audit.Surface(who.by.Surface), Action: action, Frequency: frequency, Target: target, Detail: all}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), noteTime)
		defer cancel()
		d.o.Audit.Note(ctx, e)
	}()
	return func() { <-done }
}

// noted remembers what was audited lately.
type noted struct {
	mu   sync.Mutex
	when map[request]time.Time
}

// request is what somebody asked for.
type request struct {
	who  asker
	what string
}

// due says whether a request is to be audited now. One that goes on with an earlier one is
// not, for as long as one listens. When too many are remembered, everything is audited.
func (n *noted) due(q request, now time.Time, continued bool) bool {
	within := noteEvery
	if continued {
		within = goOn
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if at, known := n.when[q]; known && now.Sub(at) < within && !now.Before(at) {
		return false
	}
	if n.when == nil {
		n.when = map[request]time.Time{}
	}
	if len(n.when) >= maxNoted {
		maps.DeleteFunc(n.when, func(_ request, at time.Time) bool { return now.Sub(at) >= noteEvery || now.Before(at) })
	}
	if len(n.when) < maxNoted {
		n.when[q] = now
	}
	return true
}
