package srtp

// windowSize is how many packets behind the newest one a late one is still taken: 2.5 s of
// voice. RFC 3711 section 3.3.2 requires at least 64.
const windowSize = 128

// window is a replay list (RFC 3711 section 3.3.2). The zero value has seen nothing.
type window struct {
	newest uint64                  // index
	seen   [windowSize / 64]uint64 // bit i: newest-i has been received
}

// fresh says whether a packet can be taken.
func (w *window) fresh(index uint64) bool {
	if index > w.newest {
		return true
	}
	age := w.newest - index
	return age < windowSize && w.seen[age/64]>>(age%64)&1 == 0
}

// add notes a fresh packet.
func (w *window) add(index uint64) {
	if index > w.newest {
		w.advance(index - w.newest)
		w.newest = index
	}
	age := w.newest - index
	w.seen[age/64] |= 1 << (age % 64)
}

// advance makes the window n newer.
func (w *window) advance(n uint64) {
	recent, old := w.seen[0], w.seen[1]
	switch {
	case n >= windowSize:
		recent, old = 0, 0
	case n >= 64:
		recent, old = 0, recent<<(n-64)
	default:
		recent, old = recent<<n, old<<n|recent>>(64-n)
	}
	w.seen = [...]uint64{recent, old}
}

// guess is the index that a sequence number stands for, given the newest index (RFC 3711
// appendix A). It may be 2^48, which is no index.
func guess(newest uint64, sequence uint16) uint64 {
	const half = 1 << 15
	roc, last, seq := newest>>16, int(uint16(newest)), int(sequence)
	switch {
	case last < half && seq-last > half && roc > 0:
		roc--
	case last >= half && last-half > seq:
		roc++
	}
	return roc<<16 | uint64(sequence)
}
