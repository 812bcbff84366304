package onesocket

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"squelch/sfu/line"
)

const (
	// maxStreams is how many TCP connections there may be, and maxStreamsEach how many from
	// one address of IPv4 or one network of IPv6, of which one subscriber has all addresses.
	maxStreams     = 4096
	maxStreamsEach = 64
	// greetingTime is how long one may stay without a valid connectivity check.
	greetingTime = 10 * time.Second
)

// tcp is the port for clients that no UDP reaches (ICE-TCP, RFC 6544).
type tcp struct {
	e        *engine
	listener net.Listener
	port     uint16

	mu      sync.Mutex
	streams map[*stream]bool
	each    map[netip.Addr]int
	closed  bool
}

func newTCP(e *engine, l net.Listener) *tcp {
	t := &tcp{e: e, listener: l, streams: map[*stream]bool{}, each: map[netip.Addr]int{}}
	if at, ok := l.Addr().(*net.TCPAddr); ok {
		t.port = at.AddrPort().Port()
	}
	return t
}

// accept takes connections until the port is closed.
func (t *tcp) accept() {
	for {
		conn, err := t.listener.Accept()
		if err != nil {
			select {
			case <-t.e.stop:
				return
			case <-time.After(100 * time.Millisecond): // too many open files, for one
				continue
			}
		}
		at, ok := conn.RemoteAddr().(*net.TCPAddr)
		if !ok {
			_ = conn.Close()
			continue
		}
		from := at.AddrPort()
		s := &stream{t: t, conn: conn, from: netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), out: make(chan []byte, line.TCPPackets), over: make(chan struct{})}
		if !t.add(s) {
			_ = conn.Close()
			continue
		}
		t.e.done.Go(s.read)
		t.e.done.Go(s.write)
	}
}

func (t *tcp) add(s *stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.streams) >= maxStreams || t.each[s.network()] >= maxStreamsEach {
		return false
	}
	s.aliveAt.Store(t.e.clock() + int64(greetingTime-line.ConsentTimeout))
	t.streams[s] = true
	t.each[s.network()]++
	return true
}

func (t *tcp) remove(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.streams[s] {
		return
	}
	delete(t.streams, s)
	from := s.network()
	if t.each[from]--; t.each[from] == 0 {
		delete(t.each, from)
	}
}

// sweep ends connections on which no valid check has come for too long.
func (t *tcp) sweep(now int64) {
	t.mu.Lock()
	var late []*stream
	for s := range t.streams {
		if now-s.aliveAt.Load() > int64(line.ConsentTimeout) {
			late = append(late, s)
		}
	}
	t.mu.Unlock()
	for _, s := range late {
		s.end()
	}
}

func (t *tcp) close() {
	t.mu.Lock()
	t.closed = true
	var left []*stream
	for s := range t.streams {
		left = append(left, s)
	}
	t.mu.Unlock()
	_ = t.listener.Close()
	for _, s := range left {
		s.end()
	}
}

// stream is one TCP connection. It carries one client.
type stream struct {
	t       *tcp
	conn    net.Conn
	from    netip.AddrPort
	out     chan []byte
	waiting atomic.Int64 // bytes in out
	aliveAt atomic.Int64 // the last valid check, on the engine's clock
	over    chan struct{}
	once    sync.Once
}

// network is the address that the connection counts for: of IPv6 the first 64 bits (RFC 4291
// section 2.5.4).
func (s *stream) network() netip.Addr {
	from := s.from.Addr()
	if from.Is6() {
		return netip.PrefixFrom(from.WithZone(""), 64).Masked().Addr()
	}
	return from
}

// end closes the connection.
func (s *stream) end() {
	s.once.Do(func() {
		close(s.over)
		_ = s.conn.Close()
		s.t.remove(s)
	})
}

// read takes datagrams in frames (RFC 4571) until the connection ends.
func (s *stream) read() {
	defer s.end()
	in := bufio.NewReaderSize(s.conn, 2+line.ReceiveMTU)
	var room [line.ReceiveMTU]byte
	var who *peer
	for {
		var length [2]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return
		}
		n := int(binary.BigEndian.Uint16(length[:]))
		if n == 0 {
			continue
		}
		if n > len(room) {
			return
		}
		b := room[:n]
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		switch first := b[0]; {
		case first < 4:
			p := s.t.e.check(b, s.from, s)
			if p == nil {
				continue
			}
			if who != nil && who != p {
				return // one connection is one client's
			}
			who = p
			s.aliveAt.Store(s.t.e.clock())
		case who == nil:
			return
		case first >= 20 && first < 64:
			who.handshake(b)
		case first >= 128 && first < 192:
			who.media(b)
		}
	}
}

// send implements way. It never waits: if the client does not read, packets are lost.
func (s *stream) send(b []byte, _ netip.AddrPort) {
	if s.waiting.Load()+int64(len(b)) > line.TCPBuffer {
		return
	}
	frame := append(binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(b)), uint16(len(b))), b...)
	select {
	case s.out <- frame:
		s.waiting.Add(int64(len(frame)))
	default:
	}
}

// target implements way.
func (s *stream) target(to netip.AddrPort) *target { return &target{at: to, back: s} }

func (s *stream) write() {
	defer s.end()
	for {
		select {
		case <-s.over:
			return
		case frame := <-s.out:
			s.waiting.Add(-int64(len(frame)))
			if _, err := s.conn.Write(frame); err != nil {
				return
			}
		}
	}
}
