package recorder

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// trouble is why nothing is recorded, in one sentence: the disk fails, or does not answer.
type trouble struct {
	tell func(reason string)
	logf func(format string, args ...any)

	mu        sync.Mutex // held while somebody is told, so that news come in order
	fails     string     // "": the disk does not fail
	detail    string     // of fails, for the log
	stuck     string     // "": it answers
	told      bool       // that something is wrong
	published atomic.Pointer[string]
}

// reason is what is wrong now; "": nothing.
func (t *trouble) reason() string {
	if p := t.published.Load(); p != nil {
		return *p
	}
	return ""
}

// set changes what is wrong. That something is, and that all is well, is told once.
func (t *trouble) set(change func(*trouble)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t)
	reason := cmp.Or(t.fails, t.stuck)
	t.published.Store(&reason)
	if t.told == (reason != "") {
		return
	}
	t.told = reason != ""
	switch {
	case t.fails != "":
		t.logf("recorder: nothing is recorded: %s", t.detail)
	case reason != "":
		t.logf("recorder: nothing is recorded: %s", reason)
	default:
		t.logf("recorder: recording again")
	}
	if t.tell != nil {
		t.tell(reason)
	}
}
