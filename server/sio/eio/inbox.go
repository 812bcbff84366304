package eio

import (
	"runtime/debug"
	"sync"
)

// task is one thing for the handler: a message or a function.
type task struct {
	message Message
	call    func()
}

// inbox is the queue between the transport and the handler. The session's
// mutex guards it.
type inbox struct {
	tasks   []task
	bytes   int // of the messages that wait
	count   int // of the messages that wait
	running bool
	ended   bool
	told    bool
	reason  string
	room    sync.Cond // signalled when space appears or the session ends
	paused  bool      // the transport waits for space
}

// end appends the close call. Without drain it drops the waiting messages.
func (q *inbox) end(reason string, drain bool) {
	if !drain {
		kept := q.tasks[:0]
		for _, t := range q.tasks {
			if t.call != nil {
				kept = append(kept, t)
			}
		}
		q.tasks = kept
		q.bytes, q.count = 0, 0
	}
	q.ended, q.reason = true, reason
}

// deliver queues a message for the handler. It waits while the queue is full,
// so a peer that floods stops only its own reading. It reports whether the
// session is still open.
func (s *Session) deliver(m Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.server.opts
	for s.state == open && s.inbox.count > 0 &&
		(s.inbox.count >= o.InboundMessages || s.inbox.bytes+len(m.Data) > o.InboundBytes) {
		s.inbox.paused = true
		s.inbox.room.Wait()
	}
	s.inbox.paused = false
	if s.state != open {
		return false
	}
	if s.quickLocked(m) {
		return true
	}
	s.inbox.tasks = append(s.inbox.tasks, task{message: m})
	s.inbox.bytes += len(m.Data)
	s.inbox.count++
	s.runInboxLocked()
	return true
}

// quickLocked handles a message here and now, unlocked, if its handler does not wait: a
// goroutine for it, on another core, would cost more than handling it often does.
func (s *Session) quickLocked(m Message) bool {
	q := &s.inbox
	if h, ok := s.handler.(Quick); !ok || q.running || q.ended || len(q.tasks) > 0 || !h.Quick(m) {
		return false
	}
	q.running = true
	s.mu.Unlock()
	s.run(task{message: m})
	s.mu.Lock()
	q.running = false
	s.runInboxLocked() // what came meanwhile
	return true
}

// Do runs f on the handler's goroutine after what is queued. It reports false,
// and does not run f, when the session has ended.
func (s *Session) Do(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inbox.ended {
		return false
	}
	s.inbox.tasks = append(s.inbox.tasks, task{call: f})
	s.runInboxLocked()
	return true
}

// runInboxLocked starts the handler's goroutine if there is work and none is running:
// an idle session has none.
func (s *Session) runInboxLocked() {
	if s.inbox.running || s.inbox.told || len(s.inbox.tasks) == 0 && !s.inbox.ended {
		return
	}
	s.inbox.running = true
	go s.runInbox()
}

func (s *Session) runInbox() {
	for {
		s.mu.Lock()
		q := &s.inbox
		if len(q.tasks) == 0 {
			q.tasks = nil
			if !q.ended || q.told {
				q.running = false
				s.mu.Unlock()
				return
			}
			q.told = true
			reason := q.reason
			s.mu.Unlock()
			s.guard(func() { s.handler.Close(reason) })
			s.server.running.Done()
			continue
		}
		t := q.tasks[0]
		q.tasks[0] = task{}
		q.tasks = q.tasks[1:]
		if t.call == nil {
			q.bytes -= len(t.message.Data)
			q.count--
			q.room.Signal()
		}
		s.mu.Unlock()
		s.run(t)
	}
}

func (s *Session) run(t task) {
	defer s.recovered()
	if t.call != nil {
		t.call()
		return
	}
	s.handler.Message(t.message)
}

// guard calls the handler; a panic there ends neither the process nor the session.
func (s *Session) guard(f func()) {
	defer s.recovered()
	f()
}

func (s *Session) recovered() {
	if p := recover(); p != nil {
		s.server.stats.panics.Add(1)
		s.server.Logf("handler of session %s panicked: %v\n%s", s.id, p, debug.Stack())
	}
}
