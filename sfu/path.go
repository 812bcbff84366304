package sfu

import (
	"net/netip"
	"sync"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
)

// path notices that a client has moved to another address without saying so (a
// NAT that has forgotten it, a phone between networks). ICE-lite does not check
// by itself, and not every client nominates again, so where the chosen address
// falls silent and another one passes an authenticated check, voice goes there.
// Nothing else moves it: an unauthenticated packet never gets this far.
type path struct {
	mu     sync.Mutex
	chosen netip.AddrPort
	seenAt int64 // ns, the last check from there
}

// checked takes one authenticated connectivity check and says whether to move.
// Clients check other paths as well while the chosen one works, so it must have
// been silent for some checks.
func (p *path) checked(from netip.AddrPort, nominated bool, now int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case nominated, !p.chosen.IsValid(), p.chosen == from:
		p.chosen, p.seenAt = from, now
		return false
	case now-p.seenAt < int64(addressPatience):
		return false
	}
	p.chosen, p.seenAt = from, now
	return true
}

// check is the handler of pion's ICE agent, which has verified the message.
func (p *peer) check(m *stun.Message, _, remote ice.Candidate, _ *ice.CandidatePair) bool {
	ip, err := netip.ParseAddr(remote.Address())
	if err != nil {
		return false
	}
	return p.path.checked(netip.AddrPortFrom(ip, uint16(remote.Port())), m.Contains(stun.AttrUseCandidate), p.s.clock())
}
