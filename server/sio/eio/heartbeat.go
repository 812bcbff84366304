package eio

import "time"

// heartbeat sends pings and notices silence. The session's mutex guards it.
type heartbeat struct {
	timer    *time.Timer
	awaiting bool // a ping is out
	owed     int  // pings without an answer
	stopped  bool
	probes   []*probe
}

type probe struct {
	timer  *time.Timer
	pongs  int // how many must come in; 0: any message will do
	result func(alive bool)
}

func (s *Session) startHeartbeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.heart.timer = time.AfterFunc(s.server.opts.PingInterval, s.beat)
	}
}

// beat runs when the timer fires: a ping is due, or a pong did not come.
func (s *Session) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.heart
	switch {
	case h.stopped:
	case h.awaiting && s.inbox.paused:
		// A peer that floods is alive; its pong is behind what has not been read yet.
		h.timer.Reset(s.server.opts.PingTimeout)
	case h.awaiting:
		s.failLocked("ping timeout")
	default:
		s.pingLocked()
	}
}

func (s *Session) pingLocked() {
	if !s.heart.awaiting {
		s.heart.awaiting = true
		if s.heart.timer != nil {
			s.heart.timer.Reset(s.server.opts.PingTimeout) // the ping of a probe may come shortly before the heartbeat's
		}
		if s.handlerMark() != nil {
			s.handlerMark().PingSent()
		}
	}
	if s.sendLocked(framePing, false) {
		s.heart.owed++
	}
}

// Marker is implemented by handlers that want to know what has arrived for certain.
type Marker interface {
	// PingSent and PongReceived are called with the session locked and must not call
	// it. What was sent before PingSent has arrived at PongReceived.
	PingSent()
	PongReceived()
}

func (s *Session) handlerMark() Marker {
	m, _ := s.handler.(Marker)
	return m
}

// pong is called for every pong of the peer.
func (s *Session) pong() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.heart.timer == nil {
		return
	}
	s.heart.owed = max(s.heart.owed-1, 0)
	s.heart.settle()
	if s.heart.awaiting {
		s.heart.awaiting = false
		if m := s.handlerMark(); m != nil {
			m.PongReceived()
		}
	}
	s.heart.timer.Reset(s.server.opts.PingInterval)
}

// Probe pings the peer at once and says whether anything came back within the
// timeout. result is called exactly once, on its own goroutine.
func (s *Session) Probe(timeout time.Duration, result func(alive bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		go result(false)
		return
	}
	if len(s.heart.probes) >= maxProbes {
		go result(true) // too many are under way; the heartbeat decides
		return
	}
	s.probeLocked(&probe{result: result}, timeout, func() bool { return false })
	s.pingLocked()
}

// Settle calls result when the handler has everything that the peer has sent so far:
// after the answer to a ping, or when the session ends. A peer that has not answered
// by the timeout is taken for dead; result then gets false if reading has paused,
// because something may be unread. result runs on its own goroutine.
func (s *Session) Settle(timeout time.Duration, result func(all bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || len(s.heart.probes) >= maxProbes {
		go result(s.state != open)
		return
	}
	s.pingLocked()
	s.probeLocked(&probe{pongs: max(s.heart.owed, 1), result: result}, timeout, func() bool { return !s.inbox.paused })
}

func (s *Session) probeLocked(p *probe, timeout time.Duration, late func() bool) {
	p.timer = time.AfterFunc(timeout, func() { s.endProbe(p, late) })
	s.heart.probes = append(s.heart.probes, p)
}

func (s *Session) endProbe(p *probe, late func() bool) {
	s.mu.Lock()
	found := false
	for i, q := range s.heart.probes {
		if q == p {
			s.heart.probes = append(s.heart.probes[:i], s.heart.probes[i+1:]...)
			found = true
			break
		}
	}
	alive := late()
	s.mu.Unlock()
	if found {
		p.result(alive)
	}
}

// heard answers the probes that any message answers.
func (s *Session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.heart
	waiting := h.probes[:0]
	for _, p := range h.probes {
		if p.pongs > 0 {
			waiting = append(waiting, p)
			continue
		}
		p.end(true)
	}
	h.keep(waiting)
}

// settle counts a pong for the probes.
func (h *heartbeat) settle() {
	waiting := h.probes[:0]
	for _, p := range h.probes {
		if p.pongs == 1 {
			p.end(true)
			continue
		}
		p.pongs = max(p.pongs-1, 0)
		waiting = append(waiting, p)
	}
	h.keep(waiting)
}

// keep replaces the probes by those that still wait, which share the array.
func (h *heartbeat) keep(waiting []*probe) {
	clear(h.probes[len(waiting):])
	h.probes = waiting
}

func (p *probe) end(yes bool) {
	p.timer.Stop()
	go p.result(yes)
}

func (h *heartbeat) stop() {
	h.stopped = true
	if h.timer != nil {
		h.timer.Stop()
	}
	for _, p := range h.probes {
		p.end(p.pongs > 0)
	}
	h.probes = nil
}
