package sio

import (
	"slices"
	"sync"
)

// Namespace is one namespace of a server.
type Namespace struct {
	server *Server
	name   string
	rooms  rooms

	mu           sync.RWMutex
	middleware   []func(*Socket) error
	onConnection func(*Socket)
	may, resumes func(old, now *Socket) bool
	byPID        map[string]*outlet // sockets that may be recovered
}

func newNamespace(server *Server, name string) *Namespace {
	n := &Namespace{server: server, name: name, byPID: map[string]*outlet{}}
	n.rooms.init()
	return n
}

// Name is the namespace's name, "/" for the main one.
func (n *Namespace) Name() string { return n.name }

// ConnectError refuses a connection; the client gets both as connect_error.
type ConnectError struct {
	Message string
	Data    any // JSON; nil: none
}

func (e *ConnectError) Error() string { return e.Message }

// Use adds a middleware. It runs for every socket that wants to connect, before any
// recovery, on that client's own goroutine. An error refuses the socket: a
// *ConnectError is sent as it is, of any other error its text.
func (n *Namespace) Use(middleware func(*Socket) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.middleware = append(n.middleware, middleware)
}

// OnConnection sets the function that is called for every connected socket, before
// its first event.
func (n *Namespace) OnConnection(f func(*Socket)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onConnection = f
}

// OnRecover sets the functions that decide about recovery; without them every client
// that knows the private id of a socket recovers it, as in Socket.IO. Both run on the
// new client's own goroutine, after the middleware.
//
// may is asked before anything happens to the old socket, which may still be
// connected. resumes is asked when the old one has ended (its OnDisconnect has
// returned) and before the client is told that it has its socket back; events for the
// socket are kept meanwhile. If either says no, the client gets a new socket; if
// resumes says no, the old one is gone for good.
func (n *Namespace) OnRecover(may, resumes func(old, now *Socket) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.may, n.resumes = may, resumes
}

func (n *Namespace) mayRecover(old, now *Socket) bool {
	n.mu.RLock()
	ask := n.may
	n.mu.RUnlock()
	return n.agrees(ask, old, now)
}

func (n *Namespace) resume(old, now *Socket) bool {
	n.mu.RLock()
	ask := n.resumes
	n.mu.RUnlock()
	return n.agrees(ask, old, now)
}

// agrees calls ask; a panic means no.
func (n *Namespace) agrees(ask func(old, now *Socket) bool, old, now *Socket) (yes bool) {
	if ask == nil {
		return true
	}
	now.guard("OnRecover", func() { yes = ask(old, now) })
	return yes
}

// admit runs the middleware.
func (n *Namespace) admit(s *Socket) error {
	n.mu.RLock()
	all := n.middleware
	n.mu.RUnlock()
	for _, middleware := range all {
		if err := middleware(s); err != nil {
			return err
		}
	}
	return nil
}

func (n *Namespace) connected(s *Socket) {
	n.mu.RLock()
	f := n.onConnection
	n.mu.RUnlock()
	if f != nil {
		f(s)
	}
}

// Socket returns the connected socket with that id, or nil.
func (n *Namespace) Socket(id string) *Socket {
	l := n.rooms.outlet(id)
	if l == nil {
		return nil
	}
	return l.connectedOwner()
}

// Sockets returns the connected sockets, of the given rooms or all.
func (n *Namespace) Sockets(rooms ...string) []*Socket {
	var sockets []*Socket
	list, _ := n.rooms.pick(rooms, nil)
	for _, l := range list {
		if s := l.connectedOwner(); s != nil {
			sockets = append(sockets, s)
		}
	}
	return sockets
}

// To addresses the sockets in any of the rooms; a socket's id is a room too.
func (n *Namespace) To(rooms ...string) Broadcast { return Broadcast{namespace: n, rooms: rooms} }

// Except addresses every socket that is in none of the rooms.
func (n *Namespace) Except(rooms ...string) Broadcast {
	return Broadcast{namespace: n, except: rooms}
}

// Emit sends an event to every socket.
func (n *Namespace) Emit(event string, args ...any) error {
	return Broadcast{namespace: n}.Emit(event, args...)
}

// Broadcast addresses sockets of a namespace. It is a value and may be kept.
type Broadcast struct {
	namespace     *Namespace
	rooms, except []string
}

// To adds rooms.
func (b Broadcast) To(rooms ...string) Broadcast {
	b.rooms = append(b.rooms[:len(b.rooms):len(b.rooms)], rooms...)
	return b
}

// Except leaves out the sockets in these rooms or with these ids.
func (b Broadcast) Except(rooms ...string) Broadcast {
	b.except = append(b.except[:len(b.except):len(b.except)], rooms...)
	return b
}

// Emit encodes an event once and sends it to all.
func (b Broadcast) Emit(event string, args ...any) error {
	p, err := b.namespace.Prepare(event, args...)
	if err == nil {
		b.SendPrepared(p)
	}
	return err
}

// SendPrepared sends a reliable event and returns how many sockets accepted it.
func (b Broadcast) SendPrepared(p *Prepared) int { return b.send(p, false) }

// SendVolatile sends an event that may be dropped and returns how many sockets
// accepted it.
func (b Broadcast) SendVolatile(p *Prepared) int { return b.send(p, true) }

func (b Broadcast) send(p *Prepared, volatile bool) int {
	if p.namespace != b.namespace.name {
		return 0
	}
	accepted := 0
	list, skip := b.namespace.rooms.pick(b.rooms, b.except)
	for _, l := range list {
		if !slices.Contains(skip, l.id) && l.send(p, volatile) {
			accepted++
		}
	}
	return accepted
}
