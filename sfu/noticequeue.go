package sfu

import "sync"

// noticeQueue holds what the owners of peers have yet to be told. One goroutine
// empties it, so no other one waits for an owner. Of a peer's slots only the newest
// state counts: a slow owner gets fewer notices, not old ones.
type noticeQueue struct {
	mu    sync.Mutex
	slots map[*peer]bool // whose slots have changed
	calls []func()
	some  chan struct{} // holds one: the queue is not empty
}

func newNoticeQueue() noticeQueue {
	return noticeQueue{slots: map[*peer]bool{}, some: make(chan struct{}, 1)}
}

// slotsChanged queues a notice to the owner of a peer: what its slots carry has
// changed.
func (q *noticeQueue) slotsChanged(p *peer) {
	q.mu.Lock()
	q.slots[p] = true
	q.mu.Unlock()
	q.wake()
}

// call queues a function to run once, on the goroutine that tells the owners.
func (q *noticeQueue) call(do func()) {
	q.mu.Lock()
	q.calls = append(q.calls, do)
	q.mu.Unlock()
	q.wake()
}

func (q *noticeQueue) wake() {
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *noticeQueue) take() (slots map[*peer]bool, calls []func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	slots, calls = q.slots, q.calls
	q.slots, q.calls = map[*peer]bool{}, nil
	return slots, calls
}

// notify empties the queue and tells the owners, until the SFU closes.
func (s *SFU) notify() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.notices.some:
		}
		slots, calls := s.notices.take()
		for p := range slots {
			if u := (*s.users.Load())[p.user]; u != nil && u.peer == p && p.events.Slots != nil {
				p.events.Slots(*p.view.Load())
			}
		}
		for _, call := range calls {
			call()
		}
	}
}
