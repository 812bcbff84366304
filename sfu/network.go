package sfu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/pion/transport/v4"

	"squelch/sfu/line"
	"squelch/sfu/onesocket"
	"squelch/sfu/pionline"
)

// Network is where WebRTC listens.
type Network struct {
	// UDP is the address for all peers, such as "0.0.0.0:7778"; port 0 is any free
	// one.
	UDP string
	// TCP is the address for clients behind a firewall that lets no UDP pass
	// (ICE-TCP, RFC 6544 passive); "": none.
	TCP string
	// UDPConn and TCPListener, if not nil, are open ports to use instead of UDP and
	// TCP. Listen takes them over, and closes them if it fails.
	UDPConn     *net.UDPConn
	TCPListener net.Listener
	// PublicAddresses are IP addresses and host names that clients get instead of the
	// local addresses; none: clients can reach the local ones. Names are looked up again
	// every five minutes.
	PublicAddresses []string
	// Engine is what carries the connections; "" is the default, OneSocket.
	Engine Engine
	// Peers is how many connections there may be at once; 0: defaultPeers.
	Peers int

	simulated transport.Net                                                         // tests: a network that does not exist
	lookup    func(ctx context.Context, network, name string) ([]netip.Addr, error) // tests: another resolver
}

// Engine is what carries the connections.
type Engine string

const (
	// OneSocket carries all connections itself, on one socket.
	OneSocket Engine = "onesocket"
	// Pion carries each connection on a PeerConnection of pion/webrtc.
	Pion Engine = "pion"
)

var (
	// ErrNoWebRTC is the error for an offer to an SFU without Listen.
	ErrNoWebRTC = errors.New("WebRTC is switched off on this server")
	// ErrFull is the error for an offer beyond Network.Peers.
	ErrFull = errors.New("the limit of WebRTC connections is reached")
	// ErrClosed is the error for an offer to an SFU that is closed.
	ErrClosed = errors.New("the voice server is closed")
)

// Ports are the open sockets, and the engine that carries connections on them. Several SFUs
// may use the same: a client's connection belongs to the one that has answered its offer.
type Ports struct {
	engine line.Engine
	public *public
	at     net.Addr // of the UDP socket
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// OpenPorts opens the ports. It also fails if no client could reach them, because there is no
// address to offer. Close them after the SFUs that use them.
func OpenPorts(n Network) (*Ports, error) {
	p, err := n.open()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), line.ConnectTimeout)
	defer cancel()
	addresses, err := p.engine.Candidates(ctx)
	if err == nil && addresses == 0 {
		err = fmt.Errorf("webrtc: no client could reach %s; listen on the address of a network interface, or set publicAddress", p.at)
	}
	if err != nil {
		p.engine.Close()
		return nil, err
	}
	follow, stop := context.WithCancel(context.Background())
	p.stop = stop
	if p.public.names() {
		p.done.Go(func() { p.public.follow(follow) })
	}
	return p, nil
}

// Close ends all connections and closes the ports.
func (p *Ports) Close() {
	p.stop()
	p.done.Wait()
	p.engine.Close()
}

// Listen opens ports for this SFU alone.
func (s *SFU) Listen(n Network) error {
	p, err := OpenPorts(n)
	if err != nil {
		return err
	}
	if err := s.use(p, n.Peers, true); err != nil {
		p.Close()
		return err
	}
	return nil
}

// Use makes the SFU answer offers on ports that are open. peers is how many connections it
// may have at once; 0: defaultPeers.
func (s *SFU) Use(p *Ports, peers int) error { return s.use(p, peers, false) }

func (s *SFU) use(p *Ports, peers int, own bool) error {
	s.control.Lock()
	defer s.control.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.ports.Load() != nil:
		return errors.New("webrtc: already listening")
	}
	if s.mostPeers, s.ownPorts = peers, own; peers == 0 {
		s.mostPeers = defaultPeers
	}
	s.ports.Store(p)
	s.done.Go(s.watch)
	return nil
}

// Address is the UDP address that Listen opened; "": none.
func (s *SFU) Address() string {
	if p := s.ports.Load(); p != nil {
		return p.at.String()
	}
	return ""
}

func (n *Network) open() (*Ports, error) {
	udp, err := n.openUDP()
	if err != nil {
		if n.TCPListener != nil {
			_ = n.TCPListener.Close()
		}
		return nil, err
	}
	p := &Ports{public: n.public(), at: udp.LocalAddr()}
	if c, ok := udp.(*net.UDPConn); ok {
		// As much as the system grants: this one socket has to hold what all peers
		// send while the process waits for a CPU.
		_ = c.SetReadBuffer(line.SocketBuffer)
		_ = c.SetWriteBuffer(line.SocketBuffer)
	}
	tcp, err := n.openTCP()
	if err != nil {
		_ = udp.Close()
		return nil, err
	}
	if err = p.public.resolve(context.Background()); err == nil {
		p.engine, err = n.carry(line.Ports{UDP: udp, TCP: tcp, Public: p.public.addresses, Net: n.simulated})
	}
	if err != nil {
		_ = udp.Close()
		if tcp != nil {
			_ = tcp.Close()
		}
		return nil, err
	}
	return p, nil
}

// carry makes the engine. It takes the ports over unless it fails.
func (n *Network) carry(p line.Ports) (line.Engine, error) {
	switch n.Engine {
	case Pion:
		return pionline.New(p)
	case "", OneSocket:
		return onesocket.New(p)
	}
	return nil, fmt.Errorf("webrtc: engine %q is unknown (there are %q and %q)", n.Engine, OneSocket, Pion)
}

func (n *Network) openUDP() (net.PacketConn, error) {
	if n.UDPConn != nil {
		return n.UDPConn, nil
	}
	addr, err := net.ResolveUDPAddr("udp", n.UDP)
	if err != nil || n.UDP == "" {
		return nil, fmt.Errorf("webrtc: UDP address %q: %w", n.UDP, orMissing(err))
	}
	var conn net.PacketConn
	if n.simulated != nil {
		conn, err = n.simulated.ListenUDP("udp", addr)
	} else {
		conn, err = net.ListenUDP("udp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("webrtc: UDP port: %w", err)
	}
	return conn, nil
}

// openTCP opens the port for ICE-TCP; nil: none is wanted.
func (n *Network) openTCP() (net.Listener, error) {
	if n.TCPListener != nil || n.TCP == "" {
		return n.TCPListener, nil
	}
	l, err := net.Listen("tcp", n.TCP)
	if err != nil {
		return nil, fmt.Errorf("webrtc: TCP port: %w", err)
	}
	return l, nil
}

func orMissing(err error) error {
	if err == nil {
		return errors.New("missing")
	}
	return err
}
