package client

import "sync"

// queue runs functions one after the other.
type queue struct {
	mu    sync.Mutex
	space sync.Cond
	work  sync.Cond
	calls []func()
	ended bool
}

func (q *queue) init() { q.space.L, q.work.L = &q.mu, &q.mu }

// push waits while the queue is full.
func (q *queue) push(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.calls) >= maxQueued && !q.ended {
		q.space.Wait()
	}
	q.calls = append(q.calls, f)
	q.work.Signal()
}

// end lets run return after what is queued.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.work.Signal()
	q.space.Broadcast()
}

func (q *queue) run() {
	for {
		q.mu.Lock()
		for len(q.calls) == 0 && !q.ended {
			q.work.Wait()
		}
		calls := q.calls
		q.calls = nil
		q.space.Broadcast()
		q.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		for _, f := range calls {
			f()
		}
	}
}
