package sfu

import "sync"

// news is what the owners of peers are told, off every other goroutine. Of the
// slots only the newest state counts, so a slow owner is told less, not later.
type news struct {
	mu    sync.Mutex
	slots map[*peer]bool
	calls []func()
	some  chan struct{}
}

func (s *SFU) tellSlots(p *peer) {
	s.news.mu.Lock()
	if s.news.slots == nil {
		s.news.slots = map[*peer]bool{}
	}
	s.news.slots[p] = true
	s.news.mu.Unlock()
	s.wakeNews()
}

// tell runs something once, on the goroutine that tells the owners.
func (s *SFU) tell(call func()) {
	s.news.mu.Lock()
	s.news.calls = append(s.news.calls, call)
	s.news.mu.Unlock()
	s.wakeNews()
}

func (s *SFU) wakeNews() {
	select {
	case s.news.some <- struct{}{}:
	default:
	}
}

func (s *SFU) tellNews() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.news.some:
		}
		s.news.mu.Lock()
		slots, calls := s.news.slots, s.news.calls
		s.news.slots, s.news.calls = nil, nil
		s.news.mu.Unlock()
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
