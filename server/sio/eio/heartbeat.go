package eio

import "time"

// heartbeat sends pings and notices silence. The session's mutex guards it.
type heartbeat struct {
	timer    *time.Timer
	awaiting bool // a ping is out
	owed     int  // pings that were not answered
	stopped  bool
	probes   []*probe
}

type probe struct {
	timer  *time.Timer
	pongs  int // that must come in; 0: anything will do
	result func(alive bool)
}

func (s *Session) startHeartbeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.heart.timer = time.AfterFunc(s.server.opts.PingInterval, s.beat)
	}
}

// beat is the timer: time for a ping, or the pong did not come.
func (s *Session) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.heart
	switch {
	case h.stopped:
		return
	case h.awaiting && s.inbox.paused:
		// It floods, so it lives; its pong is behind what is not read yet.
	case h.awaiting:
		s.failLocked("ping timeout")
		return
	default:
		s.pingLocked()
	}
	if s.state == open {
		h.timer.Reset(s.server.opts.PingTimeout)
	}
}

func (s *Session) pingLocked() {
	if !s.heart.awaiting {
		s.heart.awaiting = true
		if s.handlerMark() != nil {
			s.handlerMark().PingSent()
		}
	}
	if s.sendLocked(framePing, false) {
		s.heart.owed++
	}
}

// Marker is implemented by handlers that want to know what has surely arrived.
type Marker interface {
	// PingSent and PongReceived are called with the session locked and must not
	// call it: whatever was sent before PingSent has arrived at PongReceived.
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

// Probe pings the peer at once and tells whether anything came back in time.
// result is called exactly once, on its own goroutine.
func (s *Session) Probe(timeout time.Duration, result func(alive bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		go result(false)
		return
	}
	if len(s.heart.probes) >= maxProbes {
		go result(true) // somebody asks without pause; the heartbeat decides
		return
	}
	s.probeLocked(&probe{result: result}, timeout, func() bool { return false })
	s.pingLocked()
}

// Settle calls result when everything that the peer has sent until now is with
// the handler: after the answer to a ping, or when the session ends. After the
// timeout a peer that does not answer is taken for dead; result is then told
// false if reading from it has paused, so that something may be unread. It runs
// on its own goroutine.
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

// heard answers the probes: something came in.
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

// settle counts a pong.
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

// keep takes what was kept of the probes, in their own array.
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
