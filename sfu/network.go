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
	// UDP is the one address for all peers, "0.0.0.0:7778"; port 0 takes any.
	UDP string
	// TCP is for clients behind a firewall that lets no UDP pass (ICE-TCP,
	// RFC 6544 passive); "" is off.
	TCP string
	// PublicAddress is told to clients instead of the local ones: an IP address
	// or a host name; "" where clients reach the local ones.
	PublicAddress string
	// Peers is the most connections at once; 0 is 2048, a full game server.
	Peers int

	simulated transport.Net // tests: a network that does not exist
}

var (
	// ErrNoWebRTC answers an offer to a server that did not Listen.
	ErrNoWebRTC = errors.New("WebRTC is switched off on this server")
	// ErrFull answers an offer beyond Network.Peers.
	ErrFull = errors.New("the server carries no more WebRTC connections")
	// ErrClosed answers an offer to a server that is going down.
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

// Listen opens the ports. It fails where no client could find them: a server
// that would offer no address does not start.
func (s *SFU) Listen(n Network) error {
	p, err := n.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	addresses, err := p.build.candidates(ctx)
	if err == nil && addresses == 0 {
		err = fmt.Errorf("webrtc: %s gives no address that clients could reach; listen on an address of a network interface or set publicAddress", n.UDP)
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

// Address is the UDP address that Listen opened; "" without one.
func (s *SFU) Address() string {
	s.control.Lock()
	defer s.control.Unlock()
	if s.ports == nil {
		return ""
	}
	return s.ports.conn.LocalAddr().String()
}

func (n *Network) open() (*ports, error) {
	addr, err := net.ResolveUDPAddr("udp", n.UDP)
	if err != nil || n.UDP == "" {
		return nil, fmt.Errorf("webrtc: UDP address %q: %w", n.UDP, orMissing(err))
	}
	p := &ports{peers: n.Peers}
	if p.peers == 0 {
		p.peers = defaultPeers
	}
	if n.simulated != nil {
		p.conn, err = n.simulated.ListenUDP("udp", addr)
	} else {
		p.conn, err = net.ListenUDP("udp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("webrtc: UDP port: %w", err)
	}
	if c, ok := p.conn.(*net.UDPConn); ok {
		// As much as the system grants: one socket takes what all peers send
		// while the process waits for a CPU.
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
	loopback := addr.IP.IsLoopback()
	if p.build, err = newBuilder(p, public, loopback, n.simulated); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (n *Network) openTCP(p *ports) error {
	if n.TCP == "" {
		return nil
	}
	l, err := net.Listen("tcp", n.TCP)
	if err != nil {
		return fmt.Errorf("webrtc: TCP port: %w", err)
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

// candidates counts the addresses that a peer would be told.
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

// quiet keeps pion's log out of ours: what matters comes as errors and states.
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
