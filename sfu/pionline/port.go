package pionline

import (
	"net"
	"net/netip"

	"squelch/sfu/line"
)

// port is the UDP port. Of what comes for DTLS, pion gets only what line.Records keeps.
type port struct{ net.PacketConn }

// ReadFrom implements net.PacketConn.
func (p port) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := p.PacketConn.ReadFrom(b)
		if n = kept(b, n); n > 0 || err != nil {
			return n, from, err
		}
	}
}

// fastPort is the port of a real network, which pion reads and writes without allocations
// (ice.AddrPortReaderWriter).
type fastPort struct {
	port
	udp *net.UDPConn
}

func newPort(c net.PacketConn) net.PacketConn {
	if udp, ok := c.(*net.UDPConn); ok {
		return fastPort{port{c}, udp}
	}
	return port{c}
}

func (p fastPort) ReadFromAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		n, from, err := p.udp.ReadFromUDPAddrPort(b)
		if n = kept(b, n); n > 0 || err != nil {
			return n, from, err
		}
	}
}

func (p fastPort) WriteToAddrPort(b []byte, to netip.AddrPort) (int, error) {
	return p.udp.WriteToUDPAddrPort(b, to)
}

// kept is how much is kept of a datagram of n bytes, which is of DTLS if its first byte says
// so (RFC 7983 section 7).
func kept(b []byte, n int) int {
	if n > 0 && b[0] >= 20 && b[0] < 64 {
		return len(line.Records(b[:n]))
	}
	return n
}
