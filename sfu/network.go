package sfu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/transport/v4"
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
	// PublicAddress is an IP address or a host name that clients get instead of the
	// local addresses; "": clients can reach the local ones.
	PublicAddress string
	// Peers is how many connections there may be at once; 0: defaultPeers.
	Peers int

	simulated transport.Net // tests: a network that does not exist
}

var (
	// ErrNoWebRTC is the error for an offer to an SFU without Listen.
	ErrNoWebRTC = errors.New("WebRTC is switched off on this server")
	// ErrFull is the error for an offer beyond Network.Peers.
	ErrFull = errors.New("the limit of WebRTC connections is reached")
	// ErrClosed is the error for an offer to an SFU that is closed.
	ErrClosed = errors.New("the voice server is closed")
)

// ports are the open sockets and what every peer's connection is made from.
type ports struct {
	udp   ice.UDPMux
	tcp   ice.TCPMux
	conn  net.PacketConn
	build builder
	peers int
}

// Listen opens the ports. It also fails if no client could reach them, because there
// is no address to offer.
func (s *SFU) Listen(n Network) error {
	p, err := n.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	addresses, err := p.build.candidates(ctx)
	if err == nil && addresses == 0 {
		err = fmt.Errorf("webrtc: no client could reach %s; listen on the address of a network interface, or set publicAddress", p.conn.LocalAddr())
	}
	s.control.Lock()
	defer s.control.Unlock()
	switch {
	case err != nil:
	case s.closed:
		err = ErrClosed
	case s.ports != nil:
		err = errors.New("webrtc: already listening")
	}
	if err != nil {
		p.close()
		return err
	}
	s.ports = p
	s.done.Go(s.watch)
	return nil
}

// Address is the UDP address that Listen opened; "": none.
func (s *SFU) Address() string {
	s.control.Lock()
	defer s.control.Unlock()
	if s.ports == nil {
		return ""
	}
	return s.ports.conn.LocalAddr().String()
}

func (n *Network) open() (*ports, error) {
	conn, err := n.openUDP()
	if err != nil {
		if n.TCPListener != nil {
			_ = n.TCPListener.Close()
		}
		return nil, err
	}
	p := &ports{peers: n.Peers, conn: conn}
	if p.peers == 0 {
		p.peers = defaultPeers
	}
	if c, ok := p.conn.(*net.UDPConn); ok {
		// As much as the system grants: this one socket has to hold what all peers
		// send while the process waits for a CPU.
		_ = c.SetReadBuffer(socketBuffer)
		_ = c.SetWriteBuffer(socketBuffer)
	}
	p.udp = ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: p.conn, Logger: quiet{}, Net: n.simulated})
	if err := n.openTCP(p); err != nil {
		p.close()
		return nil, err
	}
	public, err := n.public()
	if err != nil {
		p.close()
		return nil, err
	}
	at, _ := p.conn.LocalAddr().(*net.UDPAddr)
	loopback := at != nil && at.IP.IsLoopback()
	if p.build, err = newBuilder(p, public, loopback, n.simulated); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
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

func (n *Network) openTCP(p *ports) error {
	l := n.TCPListener
	if l == nil && n.TCP == "" {
		return nil
	}
	if l == nil {
		var err error
		if l, err = net.Listen("tcp", n.TCP); err != nil {
			return fmt.Errorf("webrtc: TCP port: %w", err)
		}
	}
	// With a write buffer a stuck client loses packets instead of holding up
	// the talker.
	p.tcp = ice.NewTCPMuxDefault(ice.TCPMuxParams{Listener: l, Logger: quiet{}, ReadBufferSize: tcpPackets, WriteBufferSize: tcpBuffer})
	return nil
}

// public finds the IP addresses to announce.
func (n *Network) public() ([]string, error) {
	if n.PublicAddress == "" {
		return nil, nil
	}
	if ip := net.ParseIP(n.PublicAddress); ip != nil {
		return []string{ip.String()}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, n.PublicAddress)
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("webrtc: publicAddress %q: %w", n.PublicAddress, orMissing(err))
	}
	return found[:1], nil
}

func orMissing(err error) error {
	if err == nil {
		return errors.New("missing")
	}
	return err
}

func (p *ports) close() {
	if p.tcp != nil {
		_ = p.tcp.Close()
	}
	_ = p.udp.Close()
	_ = p.conn.Close()
}

// candidates counts the addresses that a peer would be offered.
func (b builder) candidates(ctx context.Context) (int, error) {
	pc, err := b.probe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = pc.GracefulClose() }()
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		return 0, err
	}
	sdp, err := gather(ctx, pc, offer)
	return strings.Count(sdp, "a=candidate:"), err
}

// quiet discards pion's log: what matters arrives as errors and states.
type quiet struct{}

func (quiet) NewLogger(string) logging.LeveledLogger { return quiet{} }
func (quiet) Trace(string)                           {}
func (quiet) Tracef(string, ...any)                  {}
func (quiet) Debug(string)                           {}
func (quiet) Debugf(string, ...any)                  {}
func (quiet) Info(string)                            {}
func (quiet) Infof(string, ...any)                   {}
func (quiet) Warn(string)                            {}
func (quiet) Warnf(string, ...any)                   {}
func (quiet) Error(string)                           {}
func (quiet) Errorf(string, ...any)                  {}
