package eio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// wsConn is one websocket. gorilla does the handshake and reads; after the handshake
// only the session writes.
type wsConn struct {
	raw   rawWriter // not ready: only flush writes
	conn  *websocket.Conn
	net   net.Conn
	flush func() // made once, because go with a method value would allocate

	goodbye bool // the close frame was sent; guarded by the session's mutex
}

// close may be called more than once.
func (c *wsConn) close() {
	if c.raw.ready() {
		_ = c.net.Close()
		return
	}
	go c.net.Close() // TLS tries to say goodbye, which can block
}

// mutedConn keeps gorilla from writing after the handshake: its close and pong
// frames would come between parts of a frame of ours, and could block.
type mutedConn struct {
	net.Conn
	muted atomic.Bool
}

func (c *mutedConn) Write(b []byte) (int, error) {
	if c.muted.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *mutedConn) SetWriteDeadline(t time.Time) error {
	if c.muted.Load() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// mutingWriter hands out the connection as a mutedConn.
type mutingWriter struct {
	http.ResponseWriter
	conn *mutedConn
}

func (w *mutingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.conn = &mutedConn{Conn: conn}
	return w.conn, rw, nil
}

// writeBuffers are used during handshakes only.
var writeBuffers sync.Pool

func (s *Server) accept(w http.ResponseWriter, r *http.Request) *wsConn {
	upgrader := websocket.Upgrader{
		HandshakeTimeout: s.opts.WriteTimeout,
		ReadBufferSize:   readBuffer,
		WriteBufferSize:  readBuffer,
		WriteBufferPool:  &writeBuffers,
		CheckOrigin:      func(*http.Request) bool { return true }, // ServeHTTP has checked it
	}
	muting := &mutingWriter{ResponseWriter: w}
	conn, err := upgrader.Upgrade(muting, r, nil)
	if err != nil {
		return nil
	}
	muting.conn.muted.Store(true)
	conn.SetReadLimit(int64(s.opts.MaxPayload))
	c := &wsConn{conn: conn, net: muting.conn.Conn}
	c.raw.open(c.net)
	return c
}

func isUpgrade(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

func (s *Server) serveWebsocket(w http.ResponseWriter, r *http.Request, query url.Values, session *Session) {
	if session != nil {
		if c := s.accept(w, r); c != nil {
			go session.probe(c)
		}
		return
	}
	session = newSession(s, s.keepRequest(r, query))
	session.handler = s.onSession(session)
	if fault := s.admit(session); fault != nil {
		session.refuse()
		s.stats.refused.Add(1)
		fault.answer(w, r)
		return
	}
	c := s.accept(w, r)
	if c == nil {
		session.Fail("transport error")
		return
	}
	c.flush = session.flush
	session.mu.Lock()
	if session.state != open {
		session.mu.Unlock()
		c.close()
		return
	}
	session.ws = c
	session.sendLocked(s.openPacket(session, []string{}), false)
	session.mu.Unlock()
	session.startHeartbeat()
	go session.read(c) // a goroutine of its own, so that the request's stack and buffers are freed
}

// scratch has the buffers in which messages are put together.
var scratch = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxScratch is the largest buffer that goes back to the pool, in bytes.
const maxScratch = 64 << 10

// next reads one message.
func (c *wsConn) next() (binary bool, data []byte, err error) {
	kind, r, err := c.conn.NextReader()
	if err != nil {
		return false, nil, err
	}
	buf := scratch.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= maxScratch {
			buf.Reset()
			scratch.Put(buf)
		}
	}()
	if _, err := io.Copy(buf, r); err != nil {
		return false, nil, err
	}
	return kind == websocket.BinaryMessage, bytes.Clone(buf.Bytes()), nil
}

// read takes what the peer sends until the connection ends.
func (s *Session) read(c *wsConn) {
	c.conn.SetPingHandler(func(data string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.state == open && s.ws == c {
			s.sendWSLocked(wsPong(data), false)
		}
		return nil
	})
	c.conn.SetCloseHandler(func(int, string) error { return nil })
	for {
		binary, data, err := c.next()
		if err != nil {
			s.readEnded(c, err)
			return
		}
		s.heard()
		if binary {
			s.deliver(Message{Binary: true, Data: data})
			continue
		}
		if !utf8.Valid(data) {
			s.server.stats.malformed.Add(1)
			s.closeWith(c, websocket.CloseInvalidFramePayloadData)
			s.Fail("transport error")
			return
		}
		p, err := decodePacket(data)
		if err == nil {
			err = s.take(p)
		}
		if err != nil {
			s.broken(err) // reading goes on until the peer has taken the close
		}
	}
}

// readEnded closes the session because of the error that ended reading.
func (s *Session) readEnded(c *wsConn, err error) {
	var closeErr *websocket.CloseError
	var netErr net.Error
	s.mu.Lock()
	deaf := s.deaf
	s.mu.Unlock()
	switch {
	case deaf:
		s.Fail("transport error")
	case errors.As(err, &closeErr) && closeErr.Code == websocket.CloseNoStatusReceived:
		s.Fail("transport close")
	case errors.As(err, &closeErr) && closeErr.Code != websocket.CloseAbnormalClosure:
		s.closeWith(c, closeErr.Code)
		s.Fail("transport close")
	case errors.Is(err, websocket.ErrReadLimit):
		s.server.stats.malformed.Add(1)
		s.closeWith(c, websocket.CloseMessageTooBig)
		s.Fail("transport error")
	case errors.As(err, &closeErr), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.As(err, &netErr):
		s.Fail("transport close")
	default:
		s.server.stats.malformed.Add(1)
		s.closeWith(c, websocket.CloseProtocolError)
		s.Fail("transport error")
	}
}

// closeWith sends a websocket close frame if it fits at once.
func (s *Session) closeWith(c *wsConn, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != closed {
		s.goodbyeLocked(c, code)
	}
}

func (s *Session) goodbyeLocked(c *wsConn, code int) {
	if c.raw.ready() && !c.goodbye && !s.flushing {
		c.goodbye = true
		_, _ = c.raw.try(closeFrame(code).ws)
	}
}

var errHeartbeatDirection = errors.New("eio: ping from the client")

// take handles one packet of the peer. An error means that the session must end.
func (s *Session) take(p packet) error {
	switch p.kind {
	case packetMessage:
		s.deliver(Message{Binary: p.binary, Data: p.data})
	case packetPong:
		s.pong()
	case packetPing:
		return errHeartbeatDirection
	case packetClose:
		s.farewell()
	}
	return nil
}

// probe runs the upgrade handshake (protocol revision 4, "Upgrade") on a
// second connection.
func (s *Session) probe(c *wsConn) {
	c.flush = s.flush
	_ = c.conn.SetReadDeadline(time.Now().Add(s.server.opts.UpgradeTimeout))
	c.conn.SetPingHandler(func(string) error { return nil })
	c.conn.SetCloseHandler(func(int, string) error { return nil })
	if !s.beginUpgrade(c) {
		s.abandon(c)
		return
	}
	if s.awaitUpgrade(c) {
		_ = c.conn.SetReadDeadline(time.Time{})
		if s.finishUpgrade(c) {
			s.read(c)
			return
		}
	}
	s.mu.Lock()
	if s.upgrading == c {
		s.upgrading = nil
		s.polls.probed = false
	}
	s.mu.Unlock()
	s.abandon(c)
}

// abandon closes a connection that did not become the session's.
func (s *Session) abandon(c *wsConn) {
	_ = c.net.SetWriteDeadline(time.Now().Add(s.server.opts.WriteTimeout))
	_, _ = c.net.Write(closeFrame(0).ws)
	c.close()
}

// awaitUpgrade answers probes until the client switches.
func (s *Session) awaitUpgrade(c *wsConn) bool {
	for {
		binary, data, err := c.next()
		switch {
		case err != nil || binary:
			return false
		case string(data) == "5":
			return true
		case string(data) != "2probe" || !s.answerProbe(c):
			return false
		}
	}
}

func (s *Session) beginUpgrade(c *wsConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.ws != nil || s.upgrading != nil {
		return false
	}
	s.upgrading = c
	return true
}

// answerProbe confirms the probe and ends a waiting poll, because the client pauses
// polling before it switches.
func (s *Session) answerProbe(c *wsConn) bool {
	_ = c.net.SetWriteDeadline(time.Now().Add(s.server.opts.WriteTimeout))
	_, err := c.net.Write(frameProbePong.ws)
	_ = c.net.SetWriteDeadline(time.Time{})
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls.probed = true
	s.wakePollLocked()
	return s.state == open
}

func (s *Session) finishUpgrade(c *wsConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return false
	}
	s.ws, s.upgrading = c, nil
	s.polls.probed = false
	s.wakePollLocked()
	if !s.out.empty() {
		s.startFlushLocked()
	}
	return true
}
