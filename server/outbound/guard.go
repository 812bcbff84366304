// Package outbound is how the service connects to what its configuration names: a
// marketplace, the receivers of webhooks, a transcriber. Names are looked up here, never
// by a proxy of the environment, and the address is looked at when the connection is
// made, so that a name which changes its mind in between gains nothing. Addresses inside
// of networks, where the service may reach what others may not, are refused unless the
// configuration names them.
package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Guard decides to which addresses a host may lead.
type Guard struct {
	Host    string         // as it is configured: a name, or an address, which is meant then
	Allowed []netip.Prefix // ranges inside of networks that are meant
	Named   bool           // only what Allowed names is meant, not an address in Host
	Only    bool           // it may lead nowhere but to Allowed: what is sent is not encrypted
	Advice  string         // what to do if a refused address is meant; ends an error
}

// Outside is the error for a host that leads to an address which Allowed does not name,
// although it may lead nowhere else.
type Outside struct {
	Host string
	IP   netip.Addr
}

func (e *Outside) Error() string {
	return fmt.Sprintf("%s leads to %s, an address that is not named: over http only those are connected to", e.Host, e.IP)
}

// Inside is the error for a host that leads into a network.
type Inside struct {
	Host   string
	IP     netip.Addr
	Advice string
}

func (e *Inside) Error() string {
	text := fmt.Sprintf("%s leads to %s, an address inside of a network", e.Host, e.IP)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Check says whether a connection to address, "IP:port", may be made. The error is an
// *Inside or *Outside.
func (g Guard) Check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	for _, p := range g.Allowed {
		if p.Contains(ip) {
			return nil
		}
	}
	switch own, err := netip.ParseAddr(g.Host); {
	case g.Only && Public(ip):
		return &Outside{g.Host, ip}
	case Public(ip):
		return nil
	case !g.Named && err == nil && own.Unmap().WithZone("") == ip: // whoever writes the address itself means it
		return nil
	}
	return &Inside{g.Host, ip, g.Advice}
}

// dial connects, and asks Check about the address itself, after its name was looked up.
func (g Guard) dial(within time.Duration, names *net.Resolver) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: within, Resolver: names, Control: func(_, address string, _ syscall.RawConn) error { return g.Check(address) }}
	return d.DialContext
}

// notPublic are the ranges that are for special purposes although netip's own questions
// do not say so (IANA IPv4 and IPv6 Special-Purpose Address Registries), and those that
// lead through a translator to an address that is not looked at.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("100:0:0:1::/64"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
}

// assigned6 are the addresses of IPv6 that anybody on the internet has (RFC 4291, section
// 2.4, and IANA IPv6 Global Unicast Address Assignments). Outside of it are translated ones,
// such as ::ffff:0:127.0.0.1 (RFC 2765).
var assigned6 = netip.MustParsePrefix("2000::/3")

// Public says whether an address is one of the internet. 169.254.169.254 and
// fd00:ec2::254, the metadata of cloud machines, are not.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.Is6() && !assigned6.Contains(ip) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
