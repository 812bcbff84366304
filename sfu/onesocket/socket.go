package onesocket

import (
	"net"
	"net/netip"
)

// socket is the UDP port.
type socket struct {
	conn   net.PacketConn
	fast   *net.UDPConn // the same; nil: a simulated one
	local  *net.UDPAddr
	mapped bool // addresses of IPv4 are written as IPv6 (RFC 4291 section 2.5.5.2)
	many   many // sends many datagrams in one call
}

// target is where a client is, and how it is reached.
type target struct {
	at      netip.AddrPort
	back    way
	udp     *net.UDPAddr // nil: over TCP
	address rawAddress   // for sendmmsg
}

func newSocket(c net.PacketConn) (*socket, error) {
	s := &socket{conn: c}
	s.fast, _ = c.(*net.UDPConn)
	s.local, _ = c.LocalAddr().(*net.UDPAddr)
	if s.local == nil {
		s.local = &net.UDPAddr{}
	}
	s.mapped = s.local.IP.To4() == nil
	return s, s.many.begin(s)
}

// read takes the next datagram. Addresses of IPv4 are those, also on a port of IPv6.
func (s *socket) read(b []byte) (int, netip.AddrPort, error) {
	if s.fast != nil {
		n, from, err := s.fast.ReadFromUDPAddrPort(b)
		return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), err
	}
	n, from, err := s.conn.ReadFrom(b)
	if err != nil {
		return 0, netip.AddrPort{}, err
	}
	at, ok := from.(*net.UDPAddr)
	if !ok {
		return 0, netip.AddrPort{}, nil
	}
	to := at.AddrPort()
	return n, netip.AddrPortFrom(to.Addr().Unmap(), to.Port()), nil
}

// send sends one datagram. One that the system refuses is lost, as on the line.
func (s *socket) send(b []byte, to netip.AddrPort) {
	if s.fast != nil {
		s.one(b, to)
		return
	}
	_, _ = s.conn.WriteTo(b, net.UDPAddrFromAddrPort(to))
}

// target implements way.
func (s *socket) target(to netip.AddrPort) *target {
	return &target{at: to, back: s, udp: net.UDPAddrFromAddrPort(to), address: s.rawAddress(to)}
}

func (s *socket) close() { _ = s.conn.Close() }
