package sio

import (
	"encoding/json"
	"sync"
	"time"

	"squelch/server/sio/eio"
)

// Connection state recovery as socket.io-client 4.6 and later do it: the
// CONNECT answer carries a private id (pid), every reliable event an offset; a
// client that lost its connection sends both with its next CONNECT.

// replayLog holds the reliable events that may not have arrived.
type replayLog struct {
	maxEvents, maxBytes int

	mu      sync.Mutex
	entries []*loggedEvent
	bytes   int
	first   uint64 // sequence of entries[0]
	base    string // offset of the last event that was dropped
	mark    uint64 // sequence of the next event when the last ping was sent
}

func (g *replayLog) add(e *loggedEvent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entries = append(g.entries, e)
	g.bytes += e.frame.Size()
	drop := 0
	for bytes := g.bytes; len(g.entries)-drop > g.maxEvents || bytes > g.maxBytes && drop < len(g.entries); drop++ {
		bytes -= g.entries[drop].frame.Size()
	}
	g.dropLocked(drop)
}

func (g *replayLog) dropLocked(n int) {
	if n == 0 {
		return
	}
	g.base = g.entries[n-1].offset
	for _, e := range g.entries[:n] {
		g.bytes -= e.frame.Size()
	}
	clear(g.entries[:n])
	g.entries = g.entries[n:]
	g.first += uint64(n)
	if len(g.entries) == 0 {
		g.entries = nil // an idle socket keeps only its base
	}
}

// pingSent notes what was sent before the ping. Events are logged after they are
// sent, so everything in the log now goes out before the ping.
func (g *replayLog) pingSent() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mark = g.first + uint64(len(g.entries))
}

// pongReceived drops what has arrived: the transport keeps the order.
func (g *replayLog) pongReceived() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mark > g.first {
		g.dropLocked(int(g.mark - g.first))
	}
}

// since returns what follows the offset; ok is false if the offset is no longer
// known.
func (g *replayLog) since(offset string) (missed []*eio.Frame, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := -1
	if offset == g.base {
		from = 0
	}
	for i := 0; i < len(g.entries) && from < 0; i++ {
		if g.entries[i].offset == offset {
			from = i + 1
		}
	}
	if from < 0 {
		return nil, false
	}
	for _, e := range g.entries[from:] {
		missed = append(missed, e.frame)
	}
	return missed, true
}

// detachedCount bounds the lost sockets, in all and by address.
type detachedCount struct {
	mu        sync.Mutex
	n         int
	byAddress map[string]int
}

func (d *detachedCount) total() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

func (d *detachedCount) enter(addr string, maxAll, maxAddress int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.n >= maxAll || d.byAddress[addr] >= maxAddress {
		return false
	}
	d.n++
	d.byAddress[addr]++
	return true
}

func (d *detachedCount) leave(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n--
	if d.byAddress[addr]--; d.byAddress[addr] <= 0 {
		delete(d.byAddress, addr)
	}
}

// detach keeps a lost outlet for the recovery window; false: it cannot be kept.
func (l *outlet) detach() bool {
	server := l.namespace.server
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log == nil || l.state != outletUp {
		return false
	}
	if !server.detached.enter(l.owner.handshake.Counted, server.opts.MaxDetached, server.engine.MaxSessionsPerAddress()) {
		return false
	}
	l.state, l.session = outletLost, nil
	l.timer = time.AfterFunc(server.opts.RecoveryWindow, l.expire)
	return true
}

// expire ends the recovery window, unless a client is just recovering the outlet.
func (l *outlet) expire() {
	l.mu.Lock()
	lost := l.state == outletLost
	l.mu.Unlock()
	if lost {
		l.end()
	}
}

// wish is what a client sends to get its lost socket back.
type wish struct {
	PID    *string `json:"pid"`
	Offset *string `json:"offset"` // of the last event that it received
}

// takeUp gives an admitted socket the outlet that its client names, and returns the
// offset of the last event that the client received; nil: the socket is a new one.
// Nothing happens to the outlet, or to a connection that it may still have, until the
// namespace's owner has agreed.
func (c *client) takeUp(n *Namespace, s *Socket) *string {
	var w wish
	if n.server.opts.RecoveryWindow <= 0 || len(s.handshake.Auth) == 0 ||
		json.Unmarshal(s.handshake.Auth, &w) != nil || w.PID == nil || w.Offset == nil {
		return nil
	}
	n.mu.RLock()
	l := n.byPID[*w.PID]
	n.mu.RUnlock()
	if l == nil {
		return nil
	}
	old := l.lastOwner(*w.Offset)
	if old == nil || !n.mayRecover(old, s) || !l.claim(old, *w.Offset) {
		return nil
	}
	own := s.outlet
	s.outlet, s.recovered = l, true
	if s.Data == nil {
		s.Data = old.Data
	}
	if !n.resume(old, s) {
		l.end()
		s.outlet, s.recovered = own, false
		return nil
	}
	return w.Offset
}

// claim reserves an outlet for a client that may recover it. If its old connection
// still seems alive, it is ended first: the client knows better.
func (l *outlet) claim(old *Socket, offset string) bool {
	if l.connectedOwner() != nil {
		if !old.settled() {
			return false
		}
		old.client.session.Fail("transport close")
		old.Ended(takeoverWait)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != outletLost || l.owner != old {
		return false
	}
	if _, ok := l.log.since(offset); !ok {
		return false
	}
	l.state = outletClaimed
	l.timer.Stop()
	return true
}

// settled waits for what the client may have sent on its old connection before it
// opened the new one, above all a goodbye. It waits for the answer to a ping, for the
// end of the connection or, if that is dead, for settleWait. It reports false if
// something still waits for the handler.
func (s *Socket) settled() bool {
	settled := make(chan bool, 1)
	s.client.session.Settle(settleWait, func(all bool) { settled <- all })
	select {
	case <-s.over:
		return true
	case all := <-settled:
		return all
	}
}

func (n *Namespace) rememberPID(l *outlet) {
	if l.log == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.byPID[l.pid] = l
}

func (n *Namespace) forgetPID(pid string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.byPID, pid)
}

// dropDetached ends every lost outlet.
func (n *Namespace) dropDetached() {
	n.mu.RLock()
	all := make([]*outlet, 0, len(n.byPID))
	for _, l := range n.byPID {
		all = append(all, l)
	}
	n.mu.RUnlock()
	for _, l := range all {
		l.expire()
	}
}
