package line

import (
	"net/netip"
	"sync"
)

// Path notices that a client has moved to another address without saying so (its NAT
// has forgotten it, or a phone has changed networks). ICE-lite does not check by
// itself, and not every client nominates again. So if the chosen address falls silent
// and another one passes an authenticated check, voice goes to that one. Nothing else
// can move it: an unauthenticated packet never gets this far.
type Path struct {
	mu     sync.Mutex
	chosen netip.AddrPort
	seenAt int64 // ns on the owner's clock, the last check from there
}

// Checked takes one authenticated connectivity check and says whether voice has to move
// to its address although the client has not nominated it. Clients check other paths too
// while the chosen one works, so the chosen one must have been silent for several checks.
func (p *Path) Checked(from netip.AddrPort, nominated bool, now int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case nominated, !p.chosen.IsValid(), p.chosen == from:
		p.chosen, p.seenAt = from, now
		return false
	case now-p.seenAt < int64(AddressPatience):
		return false
	}
	p.chosen, p.seenAt = from, now
	return true
}
