package eio

import (
	"container/list"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"squelch/server/address"
)

// Handler is the owner's side of one session. Its methods run one at a time.
type Handler interface {
	// Message takes one message; its bytes belong to the handler.
	Message(Message)
	// Close is the last call, made exactly once.
	Close(reason string)
}

// Quick is implemented by handlers that handle some messages without waiting for
// anything. These are handled on the goroutine that reads, if no other message is being
// handled or waits.
type Quick interface {
	// Quick says whether Message(m) returns at once. It is called with the session locked
	// and must not call it.
	Quick(m Message) bool
}

// Server accepts sessions; it is the http.Handler of the Engine.IO path.
type Server struct {
	opts      Options
	onSession func(*Session) Handler

	mu        sync.Mutex
	closed    bool
	paused    bool // by Pause
	sessions  map[string]*Session
	addresses map[string]int
	giving    list.List      // of *Session: those that give way; the longest first
	running   sync.WaitGroup // one per session until its handler is closed

	stats  counters
	limits logLimiter
}

// counters are the server's totals.
type counters struct {
	sent, dropped, overflow, refused, panics, malformed, backlog atomic.Int64
}

// Stats are totals since the start, and the present number of sessions and
// bytes waiting for peers.
type Stats struct {
	Sessions                               int
	Sent, Dropped                          int64 // frames
	Overflowed, Refused, Panics, Malformed int64 // sessions closed, sessions refused, handler panics, sessions closed for bad input
	BacklogBytes                           int64
}

// NewServer makes a server. onSession is called for every new session before
// its first message and returns the session's handler.
func NewServer(opts Options, onSession func(*Session) Handler) *Server {
	return &Server{
		opts:      opts.withDefaults(),
		onSession: onSession,
		sessions:  map[string]*Session{},
		addresses: map[string]int{},
	}
}

// MaxSessionsPerAddress is the limit in force.
func (s *Server) MaxSessionsPerAddress() int { return s.opts.MaxSessionsPerAddress }

// Stats returns the counters.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	n := len(s.sessions)
	s.mu.Unlock()
	return Stats{
		Sessions: n, Sent: s.stats.sent.Load(), Dropped: s.stats.dropped.Load(),
		Overflowed: s.stats.overflow.Load(), Refused: s.stats.refused.Load(),
		Panics: s.stats.panics.Load(), Malformed: s.stats.malformed.Load(),
		BacklogBytes: s.stats.backlog.Load(),
	}
}

// Close ends every session with the reason "server shutting down", waits until their
// handlers are closed and gives the transports a moment to deliver what waits. It
// returns early, with ctx's error, when ctx ends. New sessions are refused.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, one := range s.all() {
		one.finish("server shutting down")
	}
	told := make(chan struct{})
	go func() {
		s.running.Wait()
		close(told)
	}()
	grace := time.After(closeGrace)
	select {
	case <-told:
	case <-ctx.Done():
	}
	for _, one := range s.all() {
		if one.nothingLeft() {
			one.release()
			continue
		}
		select {
		case <-one.done:
		case <-grace:
			grace = closedChannel
		case <-ctx.Done():
		}
		one.release()
	}
	return ctx.Err()
}

// Pause ends every session as Close does, without waiting for it, and refuses new ones
// until Resume: with 503, so that clients try again by themselves, here or elsewhere.
func (s *Server) Pause() {
	s.pause(true)
	for _, one := range s.all() {
		one.finish("server shutting down")
	}
}

// Resume takes new sessions again after Pause.
func (s *Server) Resume() { s.pause(false) }

func (s *Server) pause(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = yes
}

// closedChannel is for a timer that stays fired.
var closedChannel = func() chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

func (s *Server) all() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Session, 0, len(s.sessions))
	for _, one := range s.sessions {
		all = append(all, one)
	}
	return all
}

// refusal is an error answer of the protocol.
type refusal struct {
	status  int
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The answers of Engine.IO, as Node's server gives them.
var (
	unknownTransport = &refusal{http.StatusBadRequest, 0, "Transport unknown"}
	unknownSession   = &refusal{http.StatusBadRequest, 1, "Session ID unknown"}
	badMethod        = &refusal{http.StatusBadRequest, 2, "Bad handshake method"}
	badRequest       = &refusal{http.StatusBadRequest, 3, "Bad request"}
	forbidden        = &refusal{http.StatusForbidden, 4, "Forbidden"}
	badVersion       = &refusal{http.StatusBadRequest, 5, "Unsupported protocol version"}
	tooMany          = &refusal{http.StatusServiceUnavailable, 4, "Too many sessions"}
)

// answer sends JSON, or only the text to a websocket handshake, as Node does.
func (e *refusal) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := json.Marshal(e)
	w.Header().Set("Content-Type", "application/json")
	if isUpgrade(r) {
		body = []byte(e.Message)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Connection", "close")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodPost {
		w.Header().Set("Connection", "close") // else net/http waits for the rest of the body first
	}
	w.WriteHeader(e.status)
	_, _ = w.Write(body)
}

// ServeHTTP serves the Engine.IO path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allowed := s.cors(w, r)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	query := r.URL.Query()
	session, fault := s.route(r, query, allowed)
	if fault != nil {
		s.stats.refused.Add(1)
		fault.answer(w, r)
		return
	}
	switch {
	case query.Get("transport") == "websocket":
		s.serveWebsocket(w, r, query, session)
	case session == nil:
		s.openPolling(w, r, query)
	case r.Method == http.MethodGet:
		session.servePoll(w, r)
	case r.Method == http.MethodPost:
		session.servePost(w, r)
	default:
		badRequest.answer(w, r)
	}
}

// route checks a request in Node's order and returns its session, nil for a new one.
func (s *Server) route(r *http.Request, query url.Values, originAllowed bool) (*Session, *refusal) {
	transport := query.Get("transport")
	if transport != "polling" && transport != "websocket" {
		return nil, unknownTransport
	}
	mismatch := isUpgrade(r) != (transport == "websocket")
	if sid := query.Get("sid"); sid != "" {
		session := s.lookup(sid)
		switch {
		case session == nil:
			return nil, unknownSession
		case mismatch, transport == "polling" && !session.isPolling(), query.Get("EIO") != "4":
			return nil, badRequest
		}
		return session, nil
	}
	switch {
	case r.Method != http.MethodGet:
		return nil, badMethod
	case mismatch:
		return nil, badRequest
	case !originAllowed:
		return nil, forbidden
	case query.Get("EIO") != "4":
		return nil, badVersion
	}
	return nil, nil
}

func (s *Server) lookup(sid string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[sid]
}

// cors sets the headers for browsers and says whether the origin may connect.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	h := w.Header()
	if len(s.opts.AllowedOrigins) == 0 {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Add("Vary", "Origin")
		if !slices.Contains(s.opts.AllowedOrigins, origin) {
			return false
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, X-Session-Id")
		h.Set("Access-Control-Max-Age", "600")
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			h.Set("Access-Control-Allow-Headers", asked)
		}
	}
	return true
}

// admit registers a new session, or says why not. If there is no room, a session that
// gives way is ended for it.
func (s *Server) admit(session *Session) *refusal {
	for range maxMakeRoom {
		fault, way := s.enter(session)
		if way == nil {
			return fault
		}
		s.stats.refused.Add(1)
		way.Fail("transport close")
	}
	return tooMany
}

// enter registers a new session, says why not, or returns the session to end first.
func (s *Server) enter(session *Session) (fault *refusal, way *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := session.request.Counted
	switch {
	case s.closed, s.paused:
		return tooMany, nil
	case s.addresses[addr] >= s.opts.MaxSessionsPerAddress:
		way = s.oldestOf(func(one *Session) bool { return one.request.Counted == addr })
	case len(s.sessions) >= s.opts.MaxSessions:
		way = s.oldestOf(func(*Session) bool { return true })
	default:
		s.sessions[session.id] = session
		s.addresses[addr]++
		s.running.Add(1)
		s.queue(session)
		return nil, nil
	}
	if way == nil {
		fault = tooMany
	}
	return fault, way
}

// oldestOf returns the session that fits and has given way longest; nil: none.
func (s *Server) oldestOf(fits func(*Session) bool) *Session {
	for e := s.giving.Front(); e != nil; e = e.Next() {
		if one := e.Value.(*Session); fits(one) {
			return one
		}
	}
	return nil
}

// queue adds a registered session to the list of those that give way, or removes it.
func (s *Server) queue(session *Session) {
	switch {
	case session.gives && session.place == nil:
		session.place = s.giving.PushBack(session)
	case !session.gives && session.place != nil:
		s.giving.Remove(session.place)
		session.place = nil
	}
}

// GiveWay says whether a session may be ended when a newcomer needs its room;
// sessions of the newcomer's address go first, and of these the one that has given
// way longest. Sessions that have yet to say who they are should give way, so that
// nobody keeps others out by opening many.
func (s *Session) GiveWay(yes bool) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.gives = yes
	if s.server.sessions[s.id] == s {
		s.server.queue(s)
	}
}

// forget removes a session from the table. It is called once per admitted session.
func (s *Server) forget(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session.id)
	session.gives = false
	s.queue(session)
	addr := session.request.Counted
	if s.addresses[addr]--; s.addresses[addr] <= 0 {
		delete(s.addresses, addr)
	}
}

// Request is what is kept of the request that opened a session.
type Request struct {
	Header     http.Header
	Query      url.Values
	Host       string
	RemoteAddr string // as Options.ClientAddr returns it
	Time       time.Time
	TLS        bool
	Counted    string // what RemoteAddr is counted as
}

func (s *Server) keepRequest(r *http.Request, query url.Values) *Request {
	kept := &Request{Header: r.Header.Clone(), Query: query, Host: r.Host, Time: time.Now(), TLS: r.TLS != nil}
	for _, transportOnly := range []string{
		"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Upgrade", "Connection",
		"Accept-Encoding", "Cache-Control", "Pragma",
	} {
		kept.Header.Del(transportOnly)
	}
	if s.opts.ClientAddr != nil {
		kept.RemoteAddr = s.opts.ClientAddr(r)
	} else if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		kept.RemoteAddr = host
	} else {
		kept.RemoteAddr = r.RemoteAddr
	}
	kept.Counted = address.Counted(kept.RemoteAddr)
	return kept
}

// openPacket is the payload of the open packet (protocol revision 4, "Handshake").
func (s *Server) openPacket(session *Session, upgrades []string) *Frame {
	text, _ := json.Marshal(struct {
		SID          string   `json:"sid"`
		Upgrades     []string `json:"upgrades"`
		PingInterval int64    `json:"pingInterval"`
		PingTimeout  int64    `json:"pingTimeout"`
		MaxPayload   int      `json:"maxPayload"`
	}{session.id, upgrades, s.opts.PingInterval.Milliseconds(), s.opts.PingTimeout.Milliseconds(), s.opts.MaxPayload})
	return newFrame(packetOpen, text, nil)
}

func (s *Server) openPolling(w http.ResponseWriter, r *http.Request, query url.Values) {
	session := newSession(s, s.keepRequest(r, query))
	session.handler = s.onSession(session)
	if fault := s.admit(session); fault != nil {
		session.refuse()
		s.stats.refused.Add(1)
		fault.answer(w, r)
		return
	}
	session.startHeartbeat()
	writePayload(w, s.openPacket(session, []string{"websocket"}).poll, s.opts.WriteTimeout)
}

// NewID returns 15 random bytes as 20 characters that are safe in URLs and JSON.
func NewID() string {
	var b [15]byte
	if _, err := io.ReadFull(rand.Reader, b[:]); err != nil {
		panic(err) // crypto/rand never fails on a supported system
	}
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// logLimiter lets one line through per logEvery and counts the others.
type logLimiter struct {
	mu         sync.Mutex
	last       time.Time
	suppressed int
}

// Logf logs with the server's rate limit.
func (s *Server) Logf(format string, args ...any) {
	l := &s.limits
	l.mu.Lock()
	now := time.Now()
	if now.Sub(l.last) < logEvery {
		l.suppressed++
		l.mu.Unlock()
		return
	}
	suppressed := l.suppressed
	l.last, l.suppressed = now, 0
	l.mu.Unlock()
	if suppressed > 0 {
		format += " (and %d more such lines)"
		args = append(args, suppressed)
	}
	s.opts.Logf(format, args...)
}

// CountPanic counts a panic that the layer above caught.
func (s *Server) CountPanic() { s.stats.panics.Add(1) }
