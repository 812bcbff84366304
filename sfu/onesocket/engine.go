// Package onesocket carries every line on one UDP port with one reader. ICE-lite (RFC 8445
// section 2.5), SRTP and the sending of fan-outs are its own; DTLS is pion's and runs only
// during the handshake, except for clients with a data channel. An idle line has no
// goroutine and no timer.
//
//	reader ─ first byte ─┬─ STUN ──► stun.go    who is where, consent
//	 (RFC 7983)          ├─ DTLS ──► handshake.go, on a goroutine that ends
//	                     └─ SRTP ──► peer.go    decrypt, line.Owner
//
//	line.WriteRTP ─► batch.go ─ Flush ─► sendmmsg
package onesocket

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

const (
	// sweepEvery is how often lines are looked at that may have ended.
	sweepEvery = time.Second
	// linger is how long the last flight of a handshake can be repeated, unless an SRTP packet
	// shows earlier that the client has received it.
	linger = 5 * time.Second
)

var errClosed = errors.New("webrtc: the voice server is closed")

// engine implements line.Engine.
type engine struct {
	ports       line.Ports
	socket      *socket
	tcp         *tcp // nil: none
	certificate tls.Certificate
	fingerprint string // of the certificate, as SDP has it
	addresses   addresses
	places      places
	began       time.Time
	time        func() int64 // the clock of a test; nil: the real one

	mu     sync.RWMutex
	peers  map[string]*peer // by our ICE user
	closed bool

	where where       // the reader's
	gone  atomic.Bool // lines have been closed that the reader still knows

	stop chan struct{}
	done sync.WaitGroup
}

// New takes over open ports. It closes them if it fails.
func New(p line.Ports) (line.Engine, error) {
	e := newEngine(p)
	if err := e.open(); err != nil {
		_ = p.UDP.Close()
		if p.TCP != nil {
			_ = p.TCP.Close()
		}
		return nil, err
	}
	e.done.Go(e.read)
	e.done.Go(e.sweep)
	if e.tcp != nil {
		e.done.Go(e.tcp.accept)
	}
	return e, nil
}

func newEngine(p line.Ports) *engine {
	e := &engine{ports: p, peers: map[string]*peer{}, stop: make(chan struct{}), began: time.Now()}
	e.where.peers = map[netip.AddrPort]*peer{}
	return e
}

func (e *engine) open() (err error) {
	if e.certificate, e.fingerprint, err = newCertificate(); err != nil {
		return err
	}
	if e.socket, err = newSocket(e.ports.UDP); err != nil {
		return err
	}
	if e.ports.TCP != nil {
		e.tcp = newTCP(e, e.ports.TCP)
	}
	return e.addresses.begin(e.ports)
}

// Candidates implements line.Engine.
func (e *engine) Candidates(context.Context) (int, error) {
	all, err := e.candidates()
	return len(all), err
}

// Open implements line.Engine.
func (e *engine) Open(_ context.Context, o offer.Offer, slots int, up line.Owner) (line.Line, string, error) {
	p, err := e.newPeer(o, min(slots, len(o.Slots)), up)
	if err != nil {
		return nil, "", err
	}
	candidates, err := e.candidates()
	if err != nil {
		return nil, "", err
	}
	answer := e.answer(o, p, candidates)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, "", errClosed
	}
	e.peers[p.user] = p
	return p, answer, nil
}

// Batch implements line.Engine.
func (e *engine) Batch() line.Batch { return newBatch(e.socket) }

// Close implements line.Engine.
func (e *engine) Close() {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		e.done.Wait()
		return
	}
	e.closed = true
	var left []*peer
	for _, p := range e.peers {
		left = append(left, p)
	}
	e.mu.Unlock()
	for _, p := range left {
		p.Close()
	}
	close(e.stop)
	if e.tcp != nil {
		e.tcp.close()
	}
	e.socket.close()
	e.done.Wait()
}

// peer finds a line by our ICE user; nil: there is none.
func (e *engine) peer(user []byte) *peer {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.peers[string(user)]
}

// forget takes a line that is closed out of the tables.
func (e *engine) forget(p *peer) {
	e.mu.Lock()
	delete(e.peers, p.user)
	e.mu.Unlock()
	e.gone.Store(true)
}

// read takes datagrams until the port is closed.
func (e *engine) read() {
	// Windows reports an error for a datagram that is longer than the memory for it, and then
	// everybody would wait below. So there is room for the longest, but longer ones than
	// expected are dropped.
	var room [64 << 10]byte
	for {
		n, from, err := e.socket.read(room[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		select {
		case <-e.stop:
			return
		default:
		}
		if err != nil { // such as an ICMP error, which some systems report here
			time.Sleep(time.Millisecond)
			continue
		}
		if n == 0 || n > line.ReceiveMTU {
			continue
		}
		if e.gone.Load() {
			e.gone.Store(false)
			e.where.forget()
		}
		e.datagram(room[:n], from)
	}
}

// datagram takes one datagram that came to the UDP port (RFC 7983 section 7).
func (e *engine) datagram(b []byte, from netip.AddrPort) {
	switch first := b[0]; {
	case first < 4:
		if p := e.check(b, from, e.socket); p != nil {
			e.where.add(from, p)
		}
	case first >= 20 && first < 64:
		if p := e.where.peers[from]; p != nil {
			p.handshake(b)
		}
	case first >= 128 && first < 192:
		if p := e.where.peers[from]; p != nil {
			p.media(b)
		}
	}
}

// maxPaths is how many addresses of one client are known at once: it has some interfaces,
// and NATs change ports.
const maxPaths = 8

// where is which client sends from which address. It is the reader's own.
type where struct{ peers map[netip.AddrPort]*peer }

// add notes that a client has shown that it is at an address.
func (w *where) add(from netip.AddrPort, p *peer) {
	if w.peers[from] == p {
		return
	}
	if len(p.paths) == maxPaths {
		if w.peers[p.paths[0]] == p {
			delete(w.peers, p.paths[0])
		}
		p.paths = append(p.paths[:0], p.paths[1:]...)
	}
	w.peers[from] = p
	p.paths = append(p.paths, from)
}

// forget removes lines that are closed.
func (w *where) forget() {
	for at, p := range w.peers {
		if p.closed.Load() {
			delete(w.peers, at)
		}
	}
}

// sweep looks at every line, again and again, and ends those that are over.
func (e *engine) sweep() {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-t.C:
		}
		for _, p := range e.all() {
			p.sweep(e.clock())
		}
		if e.tcp != nil {
			e.tcp.sweep(e.clock())
		}
	}
}

func (e *engine) all() []*peer {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]*peer, 0, len(e.peers))
	for _, p := range e.peers {
		all = append(all, p)
	}
	return all
}
