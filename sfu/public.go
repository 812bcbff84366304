package sfu

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

const (
	// resolveEvery is how often the names among the public addresses are looked up: the
	// usual lifetime of a dynamic DNS record.
	resolveEvery = 5 * time.Minute
	// resolveTime is how long one look-up may take.
	resolveTime = 5 * time.Second
)

// public is what clients are told instead of the local addresses. Connections that are
// made later are told the newest.
type public struct {
	wanted []string // IP addresses and host names
	lookup func(ctx context.Context, network, name string) ([]netip.Addr, error)
	now    atomic.Pointer[[]netip.Addr]
}

func (n *Network) public() *public {
	p := &public{wanted: n.PublicAddresses, lookup: net.DefaultResolver.LookupNetIP}
	if n.lookup != nil {
		p.lookup = n.lookup
	}
	p.now.Store(new([]netip.Addr))
	return p
}

// addresses are the newest.
func (p *public) addresses() []netip.Addr { return *p.now.Load() }

// resolve looks the names up. If one cannot be resolved, nothing changes.
func (p *public) resolve(ctx context.Context) error {
	var all []netip.Addr
	for _, name := range p.wanted {
		if ip, err := netip.ParseAddr(name); err == nil {
			all = append(all, ip.Unmap())
			continue
		}
		asked, cancel := context.WithTimeout(ctx, resolveTime)
		found, err := p.lookup(asked, "ip", name)
		cancel()
		if err != nil || len(found) == 0 {
			return fmt.Errorf("webrtc: publicAddress %q: %w", name, orMissing(err))
		}
		all = append(all, oneOfEach(found)...)
	}
	p.now.Store(&all)
	return nil
}

// oneOfEach keeps the first IPv4 and the first IPv6 address of a name: a name with more
// of them leads to several machines.
func oneOfEach(found []netip.Addr) (out []netip.Addr) {
	var four, six bool
	for _, ip := range found {
		ip = ip.Unmap()
		switch {
		case ip.Is4() && !four:
			four = true
		case ip.Is6() && !six:
			six = true
		default:
			continue
		}
		out = append(out, ip)
	}
	return out
}

// names says whether anything has to be looked up again.
func (p *public) names() bool {
	for _, name := range p.wanted {
		if _, err := netip.ParseAddr(name); err != nil {
			return true
		}
	}
	return false
}

// follow looks the names up again and again until the context ends.
func (p *public) follow(ctx context.Context) {
	again := time.NewTicker(resolveEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		_ = p.resolve(ctx) // a name that cannot be resolved now keeps its addresses
	}
}
