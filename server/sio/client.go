package sio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"squelch/server/sio/eio"
	"squelch/server/sio/packet"
)

// client is one Engine.IO session with its sockets, one per namespace. Message
// and Close run on the session's handler goroutine, one at a time.
type client struct {
	server  *Server
	session *eio.Session
	lonely  *time.Timer // ends a session without any socket

	mu      sync.Mutex
	sockets map[string]*Socket // by namespace
	ended   bool
	quick   []byte // how events begin whose handler does not wait; nil: none

	// Of the binary event that is being put together; handler goroutine only.
	partial         *packet.Packet
	attachments     [][]byte
	attachmentBytes int
}

var (
	errNotConnected = errors.New("sio: event for a namespace that is not connected")
	errTwice        = errors.New("sio: namespace connected twice")
	errStrayBinary  = errors.New("sio: binary data without a packet")
	errMissing      = errors.New("sio: packet while attachments are missing")
	errTooBig       = errors.New("sio: attachments too large")
	errDirection    = errors.New("sio: connect error from the client")
)

func newClient(server *Server, session *eio.Session) *client {
	c := &client{server: server, session: session}
	c.lonely = time.AfterFunc(server.opts.ConnectTimeout, c.checkLonely)
	session.GiveWay(true)
	return c
}

func (c *client) checkLonely() {
	c.mu.Lock()
	alone := len(c.sockets) == 0
	c.mu.Unlock()
	if alone {
		c.session.Close()
	}
}

// Message takes one message of the peer.
func (c *client) Message(m eio.Message) {
	if err := c.take(m); err != nil {
		c.session.Malformed(err)
	}
}

// Quick says whether a message is an event of which Socket.Quick was told.
func (c *client) Quick(m eio.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.quick != nil && !m.Binary && bytes.HasPrefix(m.Data, c.quick) && c.partial == nil
}

func (c *client) take(m eio.Message) error {
	if m.Binary {
		return c.takeAttachment(m.Data)
	}
	if c.partial != nil {
		return errMissing
	}
	p, err := packet.Parse(m.Data)
	if err != nil {
		return err
	}
	if p.Attachments > 0 {
		c.partial = &p
		return nil
	}
	return c.dispatch(&p, nil)
}

func (c *client) takeAttachment(data []byte) error {
	if c.partial == nil {
		return errStrayBinary
	}
	if c.attachmentBytes += len(data); c.attachmentBytes > attachmentPayloads*c.server.opts.MaxPayload {
		return errTooBig
	}
	c.attachments = append(c.attachments, data)
	if len(c.attachments) < c.partial.Attachments {
		return nil
	}
	p, attachments := c.partial, c.attachments
	c.partial, c.attachments, c.attachmentBytes = nil, nil, 0
	if err := packet.CheckPlaceholders(p.Payload, len(attachments)); err != nil {
		return err
	}
	return c.dispatch(p, attachments)
}

func (c *client) dispatch(p *packet.Packet, attachments [][]byte) error {
	if p.Kind == packet.Connect {
		return c.connect(p)
	}
	s := c.socket(p.Namespace)
	if s == nil {
		return errNotConnected
	}
	switch p.Kind {
	case packet.Disconnect:
		s.end("client namespace disconnect", false)
	case packet.Event, packet.BinaryEvent:
		s.event(p, attachments)
	case packet.Ack, packet.BinaryAck:
		s.acknowledged(p, attachments)
	default:
		return errDirection
	}
	return nil
}

func (c *client) socket(namespace string) *Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sockets[namespace]
}

// all returns the sockets at this moment.
func (c *client) all() []*Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*Socket, 0, len(c.sockets))
	for _, s := range c.sockets {
		all = append(all, s)
	}
	return all
}

// connect handles a CONNECT packet.
func (c *client) connect(p *packet.Packet) error {
	if c.socket(p.Namespace) != nil {
		return errTwice
	}
	n := c.server.namespace(p.Namespace)
	if n == nil {
		c.refuse(p.Namespace, &ConnectError{Message: "Invalid namespace"})
		return nil
	}
	s := newSocket(c, n, p.Payload)
	if err := c.admit(n, s); err != nil {
		c.refuse(p.Namespace, err) // its session stays among those that give way
		return nil
	}
	c.session.GiveWay(false) // the client has said who it is
	offset := c.takeUp(n, s)
	c.enter(n, s)
	if !s.outlet.attach(s, s.greeting(), offset) {
		// The socket ended while it was being recovered: the client tries again, as a new
		// one.
		c.session.Fail("transport close")
		return nil
	}
	n.connected(s)
	return nil
}

// enter adds an admitted socket to the client's.
func (c *client) enter(n *Namespace, s *Socket) {
	c.server.sockets.Add(1)
	c.mu.Lock()
	if c.sockets == nil {
		c.sockets = map[string]*Socket{}
	}
	c.sockets[n.name] = s
	c.lonely.Stop()
	c.mu.Unlock()
	if !s.recovered {
		s.outlet.log = c.server.newLog()
		n.rooms.add(s.outlet)
		n.rememberPID(s.outlet)
	}
}

// admit runs the middleware; a panic there refuses the socket.
func (c *client) admit(n *Namespace, s *Socket) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.server.engine.CountPanic()
			c.server.engine.Logf("middleware of namespace %q panicked: %v", n.name, p)
			err = errors.New("internal error")
		}
	}()
	return n.admit(s)
}

// refuse answers with a CONNECT_ERROR packet.
func (c *client) refuse(namespace string, err error) {
	var refusal *ConnectError
	if !errors.As(err, &refusal) {
		refusal = &ConnectError{Message: err.Error()}
	}
	body, jsonErr := packet.AppendJSON(nil, struct {
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{refusal.Message, refusal.Data})
	if jsonErr != nil {
		c.server.engine.Logf("connect error of namespace %q: %v", namespace, jsonErr)
		body = fmt.Appendf(nil, `{"message":%q}`, "refused")
	}
	c.session.Send(eio.NewFrame(append(packet.AppendPrefix(nil, packet.ConnectError, 0, namespace, -1), body...)), false)
}

// forget removes a socket; a session without any may not stay forever.
func (c *client) forget(s *Socket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sockets[s.outlet.namespace.name] == s {
		delete(c.sockets, s.outlet.namespace.name)
	}
	if len(c.sockets) == 0 && !c.ended {
		c.lonely.Reset(c.server.opts.ConnectTimeout)
		c.session.GiveWay(true)
	}
}

// Close is called at the end of the session.
func (c *client) Close(reason string) {
	c.mu.Lock()
	c.ended = true
	c.lonely.Stop()
	c.mu.Unlock()
	c.partial, c.attachments = nil, nil
	// What follows a packet that cannot be parsed is not read, and may be a goodbye.
	recoverable := reason != reasonShutdown && reason != "parse error"
	for _, s := range c.all() {
		s.end(reason, recoverable)
	}
}

// PingSent and PongReceived tell the replay logs what has arrived (see eio.Marker).
func (c *client) PingSent() {
	c.eachLog((*replayLog).pingSent)
}

// PongReceived drops what has arrived from the replay logs.
func (c *client) PongReceived() {
	c.eachLog((*replayLog).pongReceived)
}

func (c *client) eachLog(f func(*replayLog)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sockets {
		if s.outlet.log != nil {
			f(s.outlet.log)
		}
	}
}

func (s *Server) newLog() *replayLog {
	if s.opts.RecoveryWindow <= 0 {
		return nil
	}
	return &replayLog{maxEvents: s.opts.ReplayEvents, maxBytes: s.opts.ReplayBytes}
}

// greeting is the answer to CONNECT.
func (s *Socket) greeting() *eio.Frame {
	l := s.outlet
	body, _ := json.Marshal(struct {
		SID string `json:"sid"`
		PID string `json:"pid,omitempty"`
	}{l.id, l.pid})
	return eio.NewFrame(append(packet.AppendPrefix(nil, packet.Connect, 0, l.namespace.name, -1), body...))
}
