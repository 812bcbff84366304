package sio

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"squelch/server/sio/eio"
	"squelch/server/sio/packet"
)

// Reasons given to OnDisconnect besides those of the transport ("transport
// close", "transport error", "ping timeout", "parse error", "forced close").
const (
	reasonShutdown  = "server shutting down"
	reasonNamespace = "server namespace disconnect"
)

// Handshake is what the client sent when it connected.
type Handshake struct {
	Auth json.RawMessage // the auth object of CONNECT; nil: none
	*eio.Request
}

// EventHandler takes one event of a client. ack is nil if the client asked for no
// answer, and is used at most once; it may be called later and from any goroutine.
type EventHandler func(name string, args []json.RawMessage, ack func(args ...any))

// Socket is one client in one namespace. Its methods may be called from any goroutine
// and, except Ended, never block.
type Socket struct {
	// Data is the owner's. Set it in the middleware; if it is not set there, a
	// recovered socket has that of the lost one.
	Data any

	client    *client
	outlet    *outlet
	handshake Handshake
	recovered bool
	over      chan struct{} // closed when OnDisconnect has returned

	mu           sync.Mutex
	ended        bool
	onEvent      EventHandler
	onDisconnect func(reason string)
	acks         map[uint64]*pendingAck
	nextAck      uint64

	attachments [][]byte // of the event that is being handled; handler goroutine only
}

// newSocket makes a socket with an outlet of its own.
func newSocket(c *client, n *Namespace, auth []byte) *Socket {
	if len(auth) == 0 {
		auth = nil
	}
	return &Socket{
		client: c, outlet: newOutlet(n), over: make(chan struct{}),
		handshake: Handshake{Auth: auth, Request: c.session.Request()},
	}
}

func newOutlet(n *Namespace) *outlet {
	l := &outlet{namespace: n, id: eio.NewID()}
	if n.server.opts.RecoveryWindow > 0 {
		l.pid = eio.NewID()
	}
	return l
}

// ID returns the socket's id; a recovered socket has that of the lost one.
func (s *Socket) ID() string { return s.outlet.id }

// Recovered says whether the socket continues a lost one.
func (s *Socket) Recovered() bool { return s.recovered }

// Handshake returns what the client sent when it connected. It must not be changed.
func (s *Socket) Handshake() Handshake { return s.handshake }

// Namespace is the socket's namespace.
func (s *Socket) Namespace() *Namespace { return s.outlet.namespace }

// Transport is "polling" or "websocket".
func (s *Socket) Transport() string { return s.client.session.Transport() }

// Connected says whether the socket is connected: neither side has ended it.
func (s *Socket) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended
}

// Ended says whether the socket is over and OnDisconnect has returned. If the socket
// or its connection is just ending, it waits for that, at most for the timeout.
func (s *Socket) Ended(timeout time.Duration) bool {
	if s.Connected() && s.client.session.Open() {
		return false
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case <-s.over:
		return true
	case <-late.C:
		return false
	}
}

// Counters returns the frames sent to and dropped for this client, and the bytes that
// wait for it.
func (s *Socket) Counters() (sent, dropped int64, backlog int) { return s.client.session.Counters() }

// OnEvent sets the one handler for all events. Set it in OnConnection.
func (s *Socket) OnEvent(handler EventHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEvent = handler
}

// Quick says that the handler of an event returns without waiting for anything. It is then
// called on the goroutine that reads, if the client asks for no answer: still one event
// after the other and in order. Of all sockets of a connection, one event can be quick.
func (s *Socket) Quick(event string) {
	prefix := packet.AppendPrefix(nil, packet.Event, 0, s.outlet.namespace.name, -1)
	prefix = append(packet.AppendName(prefix, event), ',')
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.client.quick = prefix
}

// OnDisconnect sets the function that is called exactly once, after the handler that
// is running, when the socket has ended for whatever reason.
func (s *Socket) OnDisconnect(f func(reason string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onDisconnect = f
}

// Attachments returns the binary attachments of the event or acknowledgement that is
// being handled. Use it only within the handler.
func (s *Socket) Attachments() [][]byte { return s.attachments }

// Emit sends a reliable event. It fails if an argument cannot be JSON; an event to a
// socket that has ended is lost without error.
func (s *Socket) Emit(event string, args ...any) error {
	p, err := s.outlet.namespace.Prepare(event, args...)
	if err == nil {
		s.SendPrepared(p)
	}
	return err
}

// SendPrepared sends a reliable event and reports whether it was accepted. A
// peer whose backlog is full is closed.
func (s *Socket) SendPrepared(p *Prepared) bool {
	return p.namespace == s.outlet.namespace.name && s.outlet.send(p, false)
}

// SendVolatile sends an event that may be lost and reports whether it was accepted:
// if the peer does not keep up, the oldest volatile events are dropped. It never
// delays reliable events and is not replayed.
func (s *Socket) SendVolatile(p *Prepared) bool {
	return p.namespace == s.outlet.namespace.name && s.outlet.send(p, true)
}

// Join enters rooms; it has no effect on a socket that has ended.
func (s *Socket) Join(rooms ...string) { s.outlet.namespace.rooms.join(s.outlet, rooms) }

// Leave leaves rooms.
func (s *Socket) Leave(rooms ...string) { s.outlet.namespace.rooms.leave(s.outlet, rooms) }

// Rooms returns the rooms that the socket is in, sorted.
func (s *Socket) Rooms() []string { return s.outlet.namespace.rooms.of(s.outlet) }

// Probe pings the client at once and says whether anything came back within the
// timeout. result is called exactly once, on a goroutine of its own.
func (s *Socket) Probe(timeout time.Duration, result func(alive bool)) {
	s.client.session.Probe(timeout, result)
}

// Disconnect ends the socket, after what was sent so far; the client's reason is "io
// server disconnect". With closeTransport every socket of the client and the
// connection end too. Later events of the client are not handled. The socket cannot
// be recovered, even if it was lost before.
func (s *Socket) Disconnect(closeTransport bool) {
	if !closeTransport {
		s.leave()
		return
	}
	for _, one := range s.client.all() {
		one.leave()
	}
	s.leave()
	s.client.session.Close()
}

// Break cuts the connection as if it had been lost, so that the client reconnects by
// itself. It reconnects as a new client, because the socket cannot be recovered.
func (s *Socket) Break() {
	s.outlet.end()
	s.client.session.Fail("transport close")
}

// leave sends a DISCONNECT packet and ends the socket on the handler goroutine.
func (s *Socket) leave() {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if ended {
		s.outlet.forsake(s)
		return
	}
	name := s.outlet.namespace.name
	s.outlet.sendFrame(eio.NewFrame(packet.AppendPrefix(nil, packet.Disconnect, 0, name, -1)))
	s.outlet.end()
	s.client.session.Do(func() { s.end(reasonNamespace, false) })
}

// end finishes the socket on the handler goroutine, once. A recoverable one is
// kept for the recovery window.
func (s *Socket) end(reason string, recoverable bool) {
	select {
	case <-s.over:
		return
	default:
	}
	defer close(s.over)
	s.mu.Lock()
	if s.ended { // by Disconnect; the session ended before that was reported
		reason, recoverable = reasonNamespace, false
	}
	s.ended = true
	f := s.onDisconnect
	acks := s.acks
	s.acks = nil
	s.mu.Unlock()
	s.client.forget(s)
	if !recoverable || !s.outlet.detach() {
		s.outlet.end()
	}
	s.client.server.sockets.Add(-1)
	for _, a := range acks {
		a.timer.Stop()
		s.guard("acknowledgement", func() { a.done(nil, ErrDisconnected) })
	}
	if f != nil {
		s.guard("OnDisconnect", func() { f(reason) })
	}
}

// event hands an event to the handler.
func (s *Socket) event(p *packet.Packet, attachments [][]byte) {
	s.mu.Lock()
	handler, ended := s.onEvent, s.ended
	s.mu.Unlock()
	if handler == nil || ended || len(p.Args) == 0 {
		return
	}
	var ack func(args ...any)
	if p.HasID {
		ack = s.answer(p.ID)
	}
	s.attachments = attachments
	defer func() { s.attachments = nil }()
	name := p.Name()
	s.guard(name, func() { handler(name, p.Args[1:], ack) })
}

// guard calls the owner's code; a panic there does not end the session.
func (s *Socket) guard(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			s.client.server.engine.CountPanic()
			s.client.server.engine.Logf("handler of %.40q panicked: %s\n%s", what, fmt.Sprint(p), debug.Stack())
		}
	}()
	f()
}
