package onesocket

import (
	"hash/maphash"
	"net/netip"
	"slices"
	"sync"
)

// recentChecks is how many of a client's checks are remembered: some minutes of consent
// checks (RFC 7675 section 5.1).
const recentChecks = 64

// recent are the client's last valid checks, by their transaction, and from where each came
// first: who captures a check could send it from elsewhere, and voice would follow. Hashes
// take 12 bytes for each instead of 44.
type recent struct {
	mu   sync.Mutex
	id   [recentChecks]uint64 // 0: none
	from [recentChecks]uint32
	next int
}

// What is known of a check.
type seen int

const (
	unseen   seen = iota
	repeated      // has come from the same address
	copied        // has come from another address
)

// take notes a valid check.
func (r *recent) take(transaction [12]byte, from netip.AddrPort) seen {
	id, at := maphash.Comparable(seed, transaction)|1, uint32(maphash.Comparable(seed, from))
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.id[:], id); i >= 0 {
		if r.from[i] == at {
			return repeated
		}
		return copied
	}
	r.id[r.next], r.from[r.next] = id, at
	r.next = (r.next + 1) % recentChecks
	return unseen
}

var seed = maphash.MakeSeed()
