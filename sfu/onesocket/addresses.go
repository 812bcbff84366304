package onesocket

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/stdnet"

	"squelch/sfu/line"
)

// addressesFor is how long the machine's addresses are taken to stay.
const addressesFor = 10 * time.Second

// addresses are those of the machine.
type addresses struct {
	net transport.Net
	on  netip.Addr // the address on which the port is open

	mu     sync.Mutex
	local  []netip.Addr
	readAt time.Time
}

func (a *addresses) begin(p line.Ports) (err error) {
	at, ok := p.UDP.LocalAddr().(*net.UDPAddr)
	if !ok {
		return fmt.Errorf("webrtc: %v is no UDP address", p.UDP.LocalAddr())
	}
	a.on, _ = netip.AddrFromSlice(at.IP)
	a.on = a.on.Unmap()
	if a.net = p.Net; a.net == nil {
		a.net, err = stdnet.NewNet()
	}
	return err
}

// now are the addresses at which clients may reach the port. If the machine cannot say which
// it has, they are taken to be what they were.
func (a *addresses) now() ([]netip.Addr, error) {
	if a.on.IsLoopback() {
		return []netip.Addr{a.on}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.readAt.IsZero() || now.Sub(a.readAt) > addressesFor {
		switch local, err := a.read(); {
		case err == nil:
			a.local, a.readAt = local, now
		case len(a.local) == 0:
			return nil, fmt.Errorf("webrtc: the addresses of this machine: %w", err)
		}
	}
	if a.on.IsUnspecified() {
		return a.local, nil
	}
	if slices.Contains(a.local, a.on) {
		return []netip.Addr{a.on}, nil
	}
	return nil, nil // nobody could reach it
}

// read lists what other machines can reach: no loopback, and no link-local IPv6, which
// would need a zone.
func (a *addresses) read() (out []netip.Addr, _ error) {
	interfaces, err := a.net.Interfaces()
	if err != nil {
		return nil, err
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		all, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, one := range all {
			var raw net.IP
			switch one := one.(type) {
			case *net.IPNet:
				raw = one.IP
			case *net.IPAddr:
				raw = one.IP
			}
			ip, ok := netip.AddrFromSlice(raw)
			if ip = ip.Unmap(); ok && !ip.IsLoopback() && !(ip.Is6() && ip.IsLinkLocalUnicast()) && !slices.Contains(out, ip) {
				out = append(out, ip)
			}
		}
	}
	return out, nil
}

// candidates are the addresses as SDP has them (RFC 8839 section 5.1, for TCP RFC 6544
// section 4.5).
func (e *engine) candidates() (out []string, err error) {
	var public []netip.Addr
	if e.ports.Public != nil {
		public = e.ports.Public()
	}
	told := public
	if len(told) == 0 {
		if told, err = e.addresses.now(); err != nil {
			return nil, err
		}
	}
	for i, ip := range told {
		preference := 65535 - i
		out = append(out, fmt.Sprintf("%d 1 udp %d %s %d typ host", i+1, 126<<24|preference<<8|255, ip, e.socket.local.Port))
	}
	if e.tcp != nil {
		for i, ip := range told {
			preference := 65535 - i
			out = append(out, fmt.Sprintf("%d 1 tcp %d %s %d typ host tcptype passive", 1000+i, 90<<24|preference<<8|255, ip, e.tcp.port))
		}
	}
	return out, nil
}
