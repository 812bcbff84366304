package recorder

import (
	"sync"
	"sync/atomic"
)

// trouble is why nothing is recorded, in one sentence: the disk fails, or does not answer.
type trouble struct {
	tell func(reason string)

	mu        sync.Mutex // held while somebody is told, so that news come in order
	fails     string
	stuck     string
	published atomic.Pointer[string]
}

// reason is what is wrong now; "": nothing.
func (t *trouble) reason() string {
	if p := t.published.Load(); p != nil {
		return *p
	}
	return ""
}

// set changes what is wrong, and tells it if that is news.
func (t *trouble) set(change func(*trouble)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t)
	reason := t.fails
	if reason == "" {
		reason = t.stuck
	}
	if reason == t.reason() {
		return
	}
	t.published.Store(&reason)
	if t.tell != nil {
		t.tell(reason)
	}
}
