package sfu

import (
	"cmp"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/vnet"
)

// city is a simulated network: the server at 10.0.0.1 and one line for each client. In
// testing/synctest it takes no real time.
type city struct {
	t      *testing.T
	router *vnet.Router
}

const serverAddress = "10.0.0.1:7778"

func newCity(t *testing.T) *city {
	t.Helper()
	router, err := vnet.NewRouter(&vnet.RouterConfig{CIDR: "10.0.0.0/16", QueueSize: 100_000, LoggerFactory: logging.NewDefaultLoggerFactory()})
	if err != nil {
		t.Fatal(err)
	}
	if err := router.Start(); err != nil {
		t.Fatal(err)
	}
	return &city{t, router}
}

func (c *city) close() { _ = c.router.Stop() }

func (c *city) attach(ip string) *vnet.Net {
	c.t.Helper()
	n, err := vnet.NewNet(&vnet.NetConfig{StaticIPs: []string{ip}})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.router.AddNet(n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// server is where Listen opens its port.
func (c *city) server() Network {
	return Network{UDP: serverAddress, simulated: c.attach("10.0.0.1")}
}

// access is a client's connection to the city. It is perfect unless its fields say
// otherwise.
type access struct {
	*vnet.Net
	mu     sync.Mutex
	loss   float64       // 0-1, each way
	delay  time.Duration // each way
	jitter time.Duration // at most this much more, random for each packet, so they are reordered
	burst  int           // packets that are lost in a row; 0: one
	losing int           // of which so many are still to come
	cut    bool
	hello  int // datagrams of the handshake are made at least this long, in bytes
	random *rand.Rand
	conns  []*lineConn
}

func (c *city) line(ip string) *access {
	return &access{Net: c.attach(ip), random: rand.New(rand.NewPCG(1, 2))}
}

func (l *access) set(change func(*access)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

// fate decides what becomes of one packet.
func (l *access) fate() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.losing > 0 {
		l.losing--
		return 0, false
	}
	if l.cut || l.random.Float64() < l.loss {
		l.losing = max(l.burst, 1) - 1
		return 0, false
	}
	d := l.delay
	if l.jitter > 0 {
		d += time.Duration(l.random.Int64N(int64(l.jitter)))
	}
	return d, true
}

// filled makes a datagram of the handshake as long as those of other clients. It is
// filled with a record of an epoch that never comes, which is discarded (RFC 6347
// section 4.1).
func (l *access) filled(b []byte) []byte {
	const handshake, head = 22, 13
	l.mu.Lock()
	defer l.mu.Unlock()
	room := l.hello - len(b) - head
	if len(b) == 0 || b[0] != handshake || room < 0 {
		return b
	}
	b = append(b, handshake, 254, 253, 0, 77, 0, 0, 0, 0, 0, 0, byte(room>>8), byte(room))
	return append(b, make([]byte, room)...)
}

// move gives the client another address, as a NAT that has forgotten it does.
func (l *access) move() error {
	l.mu.Lock()
	conns := append([]*lineConn(nil), l.conns...)
	l.mu.Unlock()
	for _, c := range conns {
		if err := c.open(&net.UDPAddr{IP: net.ParseIP("0.0.0.0")}); err != nil {
			return err
		}
	}
	return nil
}

// ListenUDP is what the client's ICE agent calls.
func (l *access) ListenUDP(_ string, addr *net.UDPAddr) (transport.UDPConn, error) {
	c := &lineConn{line: l, in: make(chan datagram, 10_000), closed: make(chan struct{})}
	c.up.kick, c.down.kick = make(chan struct{}, 1), make(chan struct{}, 1)
	go c.up.run(c.closed)
	go c.down.run(c.closed)
	if err := c.open(addr); err != nil {
		return nil, err
	}
	c.local = c.UDPConn.LocalAddr()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	return c, nil
}

// road carries one direction. Packets arrive in the order in which they are due, and
// those that are due together in the order in which they were sent.
type road struct {
	mu     sync.Mutex
	queue  []travelling
	number int
	kick   chan struct{}
}

type travelling struct {
	due    time.Time
	number int
	arrive func()
}

func (r *road) send(after time.Duration, arrive func()) {
	r.mu.Lock()
	r.number++
	r.queue = append(r.queue, travelling{time.Now().Add(after), r.number, arrive})
	slices.SortFunc(r.queue, func(a, b travelling) int {
		return cmp.Or(a.due.Compare(b.due), a.number-b.number)
	})
	r.mu.Unlock()
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *road) run(closed chan struct{}) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-closed:
			return
		case <-r.kick:
		case <-timer.C:
		}
		for {
			r.mu.Lock()
			if len(r.queue) == 0 {
				r.mu.Unlock()
				break
			}
			next := r.queue[0]
			if wait := time.Until(next.due); wait > 0 {
				timer.Reset(wait)
				r.mu.Unlock()
				break
			}
			r.queue = r.queue[1:]
			r.mu.Unlock()
			next.arrive()
		}
	}
}

type datagram struct {
	bytes []byte
	from  net.Addr
}

// lineConn is a socket at the bad end of a line.
type lineConn struct {
	transport.UDPConn
	mu     sync.Mutex
	line   *access
	local  net.Addr
	in     chan datagram
	up     road
	down   road
	closed chan struct{}
	once   sync.Once
}

// open makes the socket, or a new one that replaces it.
func (c *lineConn) open(addr *net.UDPAddr) error {
	fresh, err := c.line.Net.ListenUDP("udp4", addr)
	if err != nil {
		return err
	}
	c.mu.Lock()
	old := c.UDPConn
	c.UDPConn = fresh
	c.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
	go c.pump(fresh)
	return nil
}

func (c *lineConn) pump(from transport.UDPConn) {
	for {
		buf := make([]byte, 1500)
		n, addr, err := from.ReadFrom(buf)
		if err != nil {
			return
		}
		if d, ok := c.line.fate(); ok {
			c.down.send(d, func() {
				select {
				case c.in <- datagram{buf[:n], addr}:
				case <-c.closed:
				}
			})
		}
	}
}

func (c *lineConn) LocalAddr() net.Addr { return c.local }

func (c *lineConn) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case d := <-c.in:
		return copy(b, d.bytes), d.from, nil
	case <-c.closed:
		return 0, nil, net.ErrClosed
	}
}

func (c *lineConn) ReadFromAddrPort(b []byte) (int, netip.AddrPort, error) {
	n, from, err := c.ReadFrom(b)
	if err != nil {
		return n, netip.AddrPort{}, err
	}
	return n, from.(*net.UDPAddr).AddrPort(), nil
}

func (c *lineConn) WriteTo(b []byte, to net.Addr) (int, error) {
	if d, ok := c.line.fate(); ok {
		packet := c.line.filled(append([]byte(nil), b...))
		c.up.send(d, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			_, _ = c.UDPConn.WriteTo(packet, to)
		})
	}
	return len(b), nil
}

func (c *lineConn) WriteToAddrPort(b []byte, to netip.AddrPort) (int, error) {
	return c.WriteTo(b, net.UDPAddrFromAddrPort(to))
}

func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.UDPConn.Close()
}

func (c *lineConn) SetDeadline(time.Time) error      { return nil }
func (c *lineConn) SetReadDeadline(time.Time) error  { return nil }
func (c *lineConn) SetWriteDeadline(time.Time) error { return nil }

// mutedNet is a network without a route to anywhere.
func mutedNet(t *testing.T) *vnet.Net {
	t.Helper()
	n, err := vnet.NewNet(&vnet.NetConfig{StaticIPs: []string{"10.0.0.7"}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
