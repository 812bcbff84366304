package sio

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"squelch/server/sio/eio"
)

// Server is a Socket.IO server; mount it at /socket.io/.
type Server struct {
	opts   Options
	engine *eio.Server
	root   *Namespace

	mu         sync.RWMutex
	namespaces map[string]*Namespace

	sockets  atomic.Int64
	detached detachedCount
}

// NewServer makes a server with the namespace "/".
func NewServer(opts Options) *Server {
	s := &Server{opts: opts.withDefaults(), namespaces: map[string]*Namespace{}}
	s.detached.byAddress = map[string]int{}
	s.engine = eio.NewServer(opts.engine(), func(session *eio.Session) eio.Handler {
		return newClient(s, session)
	})
	s.root = s.Of("/")
	return s
}

// ServeHTTP serves the Socket.IO path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// Of returns the namespace of that name, and creates it if needed. Clients can
// connect only to namespaces that exist. Names start with a slash.
func (s *Server) Of(name string) *Namespace {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.namespaces[name]
	if n == nil {
		n = newNamespace(s, name)
		s.namespaces[name] = n
	}
	return n
}

func (s *Server) namespace(name string) *Namespace {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.namespaces[name]
}

// Use adds a middleware to the namespace "/".
func (s *Server) Use(middleware func(*Socket) error) { s.root.Use(middleware) }

// OnConnection sets what is called for every socket of the namespace "/".
func (s *Server) OnConnection(f func(*Socket)) { s.root.OnConnection(f) }

// To addresses rooms of the namespace "/".
func (s *Server) To(rooms ...string) Broadcast { return s.root.To(rooms...) }

// Except addresses everyone in the namespace "/" but those in the rooms.
func (s *Server) Except(rooms ...string) Broadcast { return s.root.Except(rooms...) }

// Emit sends an event to every socket of the namespace "/".
func (s *Server) Emit(event string, args ...any) error { return s.root.Emit(event, args...) }

// Close ends every session and waits until each socket's OnDisconnect has
// returned, or until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	err := s.engine.Close(ctx)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.namespaces {
		n.dropDetached()
	}
	return err
}

// Pause ends every session as Close does, without waiting for it, and refuses new ones
// until Resume.
func (s *Server) Pause() { s.engine.Pause() }

// Resume takes new sessions again after Pause.
func (s *Server) Resume() { s.engine.Resume() }

// Stats are the engine's counters and the number of sockets of this layer.
type Stats struct {
	eio.Stats
	Sockets, Detached int
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	return Stats{Stats: s.engine.Stats(), Sockets: int(s.sockets.Load()), Detached: s.detached.total()}
}
