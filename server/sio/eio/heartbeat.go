package eio

import "time"

// heartbeat sends pings and notices silence. The session's mutex guards it.
type heartbeat struct {
	timer    *time.Timer
	awaiting bool // a ping is out
	stopped  bool
	probes   []*probe
}

type probe struct {
	timer  *time.Timer
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
	s.sendLocked(framePing, false)
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
	p := &probe{result: result}
	p.timer = time.AfterFunc(timeout, func() { s.endProbe(p) })
	s.heart.probes = append(s.heart.probes, p)
	s.pingLocked()
}

func (s *Session) endProbe(p *probe) {
	s.mu.Lock()
	found := false
	for i, q := range s.heart.probes {
		if q == p {
			s.heart.probes = append(s.heart.probes[:i], s.heart.probes[i+1:]...)
			found = true
			break
		}
	}
	s.mu.Unlock()
	if found {
		p.result(false)
	}
}

// heard answers the probes: something came in.
func (s *Session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heart.answer(true)
}

func (h *heartbeat) answer(alive bool) {
	for _, p := range h.probes {
		p.timer.Stop()
		go p.result(alive)
	}
	h.probes = nil
}

func (h *heartbeat) stop() {
	h.stopped = true
	if h.timer != nil {
		h.timer.Stop()
	}
	h.answer(false)
}
