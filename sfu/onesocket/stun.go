package onesocket

import (
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/pion/stun/v4"
)

const (
	// checksEach and maxAddresses bound the connectivity checks that are looked at: so many
	// within a second from one address, and from so many addresses. A browser sends up to 20 a second
	// while it connects (RFC 8445 section 14.2) and one every 2.5 s after that.
	checksEach   = 100
	maxAddresses = 8192
	// maxCheck is the longest check that is looked at, in bytes; browsers' have about 110.
	maxCheck = 512
)

// checks bounds how many checks come from where. What it counts is forgotten every second.
type checks struct {
	mu   sync.Mutex // for ICE-TCP
	from map[netip.Addr]int
}

// allow says whether a check from an address is looked at.
func (c *checks) allow(from netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known := c.from[from]
	if n >= checksEach || !known && len(c.from) >= maxAddresses {
		return false
	}
	if c.from == nil {
		c.from = map[netip.Addr]int{}
	}
	c.from[from] = n + 1
	return true
}

// calm begins another second.
func (c *checks) calm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.from)
}

// way is how datagrams go back to where one came from.
type way interface {
	send(b []byte, to netip.AddrPort)
	target(to netip.AddrPort) *target
}

// check takes a STUN message (RFC 8489). It returns the peer whose client has shown by it
// that it is there, nil if it has not. Only a client that knows the password of an answer
// gets anything back, and not more than it sends.
func (e *engine) check(b []byte, from netip.AddrPort, back way) *peer {
	if len(b) > maxCheck || !stun.IsMessage(b) || !e.checks.allow(from.Addr()) {
		return nil
	}
	m := &stun.Message{Raw: b}
	if m.Decode() != nil || m.Type != stun.BindingRequest {
		return nil
	}
	name, err := m.Get(stun.AttrUsername)
	if err != nil {
		return nil
	}
	user, other, _ := strings.Cut(string(name), ":")
	p := e.peer(user)
	if p == nil || other != p.other || p.integrity.Check(m) != nil {
		return nil
	}
	if m.Contains(stun.AttrFingerprint) && stun.Fingerprint.Check(m) != nil {
		return nil
	}
	if m.Contains(stun.AttrICEControlled) {
		// Only the client can be in control, because this side is ICE-lite (RFC 8445
		// section 7.3.1.1).
		back.send(reply(m, stun.BindingError, stun.CodeRoleConflict, p.integrity), from)
		return nil
	}
	p.checked(from, m.Contains(stun.AttrUseCandidate), back)
	address := &stun.XORMappedAddress{IP: net.IP(from.Addr().AsSlice()), Port: int(from.Port())}
	back.send(reply(m, stun.BindingSuccess, address, p.integrity), from)
	return p
}

func reply(to *stun.Message, kind stun.MessageType, setters ...stun.Setter) []byte {
	all := append([]stun.Setter{to, kind}, setters...)
	m, err := stun.Build(append(all, stun.Fingerprint)...)
	if err != nil {
		return nil // cannot happen: the attributes have fixed forms
	}
	return m.Raw
}
