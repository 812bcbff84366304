package sfu

import (
	"net/netip"
	"sync"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
)

// path notices that a client has moved to another address without saying so (its NAT
// has forgotten it, or a phone has changed networks). ICE-lite does not check by
// itself, and not every client nominates again. So if the chosen address falls silent
// and another one passes an authenticated check, voice goes to that one. Nothing else
// can move it: an unauthenticated packet never gets this far.
type path struct {
	mu     sync.Mutex
	chosen netip.AddrPort
	seenAt int64 // ns on the SFU's clock, the last check from there
}

// checked takes one authenticated connectivity check and says whether to move. Clients
// check other paths too while the chosen one works, so the chosen one must have been
// silent for several checks.
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

// check is called by pion's ICE agent, which has verified the message.
func (p *peer) check(m *stun.Message, _, remote ice.Candidate, _ *ice.CandidatePair) bool {
	ip, err := netip.ParseAddr(remote.Address())
	if err != nil {
		return false
	}
	return p.path.checked(netip.AddrPortFrom(ip, uint16(remote.Port())), m.Contains(stun.AttrUseCandidate), p.s.clock())
}
