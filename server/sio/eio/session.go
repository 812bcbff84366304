package eio

import (
	"container/list"
	"sync"
	"time"
)

// state of a session; it only grows.
type state uint8

const (
	open    state = iota
	closing       // the handler is closed; the transport still delivers what waits
	closed
)

// Session is one client. Its methods may be called from any goroutine and
// never block.
type Session struct {
	// What every frame needs comes first: with many sessions, each cache line is fetched
	// anew for each frame.
	mu       sync.Mutex
	state    state
	deaf     bool    // nothing can be sent any more; see deafLocked
	flushing bool    // the writer goroutine runs
	ws       *wsConn // nil while polling
	server   *Server
	sent     int64
	dropped  int64

	inbox     inbox
	out       outQueue
	heart     heartbeat
	polls     pollState
	upgrading *wsConn     // a probe is under way
	linger    *time.Timer // ends the closing state

	done chan struct{} // closed when state becomes closed

	// Never changed.
	id      string
	request *Request
	handler Handler

	// Guarded by the server's lock.
	gives bool          // see GiveWay
	place *list.Element // in the server's list of those that give way
}

func newSession(server *Server, request *Request) *Session {
	s := &Session{server: server, id: NewID(), request: request, done: make(chan struct{})}
	s.inbox.room.L = &s.mu
	return s
}

// refuse silences a session that was never admitted, and closes its handler.
func (s *Session) refuse() {
	s.mu.Lock()
	s.state = closed
	close(s.done)
	s.mu.Unlock()
	s.guard(func() { s.handler.Close("refused") })
}

// ID is the Engine.IO session id.
func (s *Session) ID() string { return s.id }

// Request is the opening request. It must not be changed.
func (s *Session) Request() *Request { return s.request }

// Counters are the frames sent and dropped and the bytes that wait for the peer.
func (s *Session) Counters() (sent, dropped int64, backlog int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.dropped, s.out.bytes()
}

func (s *Session) isPolling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ws == nil
}

// Transport is "polling" or "websocket".
func (s *Session) Transport() string {
	if s.isPolling() {
		return "polling"
	}
	return "websocket"
}

// Close ends the session from this side, after delivering everything accepted so far,
// as far as the peer takes it within a few seconds. The handler is closed at once.
func (s *Session) Close() { s.finish("forced close") }

// finish closes gracefully with the given reason. Messages that wait for the
// handler are dropped.
func (s *Session) finish(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return
	}
	s.endLocked(reason, false)
	s.out.dropVolatile(s)
	if s.ws != nil {
		s.ws.goodbye = true
		s.sendWSLocked(closeFrame(0), false)
	} else {
		s.polls.last = payloadClose
		s.wakePollLocked()
	}
	s.lingerLocked(closeLinger)
}

// endLocked leaves the state open: the handler is closed after what it is doing or,
// with drain, after all messages that arrived before.
func (s *Session) endLocked(reason string, drain bool) {
	s.state = closing
	s.heart.stop()
	s.inbox.end(reason, drain)
	s.inbox.room.Broadcast()
	s.runInboxLocked()
}

// lingerLocked gives the transport some time to deliver what waits.
func (s *Session) lingerLocked(d time.Duration) {
	if s.state == closing && s.linger == nil {
		s.linger = time.AfterFunc(d, s.release)
	}
}

func (s *Session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked()
}

// Open says whether the session still handles what the peer sends.
func (s *Session) Open() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == open
}

// nothingLeft says whether a polling session has nothing to deliver and no request
// waiting.
func (s *Session) nothingLeft() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ws == nil && s.out.empty() && !s.polls.polling
}

// Fail ends the session at once, for example because of malformed input. What
// waits for the peer is lost.
func (s *Session) Fail(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(reason)
}

func (s *Session) failLocked(reason string) {
	if s.state == closed {
		return
	}
	if s.state == open {
		s.endLocked(reason, true)
	}
	s.releaseLocked()
}

// releaseLocked releases the transport.
func (s *Session) releaseLocked() {
	if s.state == closed {
		return
	}
	s.state = closed
	close(s.done)
	if s.linger != nil {
		s.linger.Stop()
	}
	if s.ws != nil {
		s.goodbyeLocked(s.ws, 0)
		s.ws.close()
	}
	s.out.clear(s)
	if s.upgrading != nil {
		s.upgrading.close()
	}
	if s.polls.posting != nil {
		_ = s.polls.posting.SetReadDeadline(time.Now()) // nobody needs the rest of the body
	}
	s.wakePollLocked()
	s.server.forget(s)
}

// Malformed closes the session because the peer broke the protocol of this or
// the next layer: no further message is handled.
func (s *Session) Malformed(err error) {
	s.server.stats.malformed.Add(1)
	s.server.Logf("session %s of %s closed: %v", s.id, s.request.RemoteAddr, err)
	s.finish("parse error")
}

// broken closes the session because a packet of this layer was malformed. A polling
// client learns of it by the status of its request, not by its next poll.
func (s *Session) broken(err error) {
	if !s.isPolling() {
		s.Malformed(err)
		return
	}
	s.server.stats.malformed.Add(1)
	s.server.Logf("session %s of %s closed: %v", s.id, s.request.RemoteAddr, err)
	s.Fail("parse error")
}
