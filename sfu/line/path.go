package line

import (
	"net/netip"
	"sync"
)

// Path notices that a client has moved to another address without saying so (its NAT
// has forgotten it, or a phone has changed networks). ICE-lite does not check by
// itself, and not every client nominates again. So if the chosen address falls silent
// and another one passes an authenticated check, voice goes to that one. A packet that
// is not authenticated never gets this far, but a check says nothing of where it was sent:
// somebody who has captured one can send it again from elsewhere. An engine may refuse
// copies of recent checks; an older copy, or one that outruns the original, moves voice
// until the client checks again.
type Path struct {
	mu     sync.Mutex
	chosen netip.AddrPort
	seenAt int64 // ns on the owner's clock, the last check from there
}

// Checked takes one authenticated connectivity check. It returns the address to which
// voice goes from now on, which is not valid while the client has chosen none, and whether
// it has moved there although the client has not nominated it. Clients check other paths
// too while the chosen one works, so the chosen one must have been silent for several
// checks.
func (p *Path) Checked(from netip.AddrPort, nominated bool, now int64) (chosen netip.AddrPort, moved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case nominated, p.chosen == from:
	case !p.chosen.IsValid(), now-p.seenAt < int64(AddressPatience):
		return p.chosen, false
	default:
		moved = true
	}
	p.chosen, p.seenAt = from, now
	return p.chosen, moved
}
