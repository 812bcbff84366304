package cluster

import (
	"slices"
	"sync"

	"squelch/core"
)

// Inherited is what the orders that this replica has applied last changed and the owner
// before may not have stored. A new owner stores what of it is not there.
func (s *Source) Inherited() (log []core.Record, moments []core.Moment) { return s.behind.take() }

// behind are the newest records and moments of a replica that does not own the radio.
type behind struct {
	mu      sync.Mutex
	at      []Place // of log
	log     []core.Record
	moments []core.Moment
}

func (b *behind) add(at Place, log []core.Record, moments []core.Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range log {
		b.at, b.log = append(b.at, at), append(b.log, r)
	}
	b.moments = append(b.moments, moments...)
	if over := len(b.log) - maxBehind; over > 0 {
		b.at, b.log = slices.Clone(b.at[over:]), slices.Clone(b.log[over:])
	}
	if over := len(b.moments) - maxBehind; over > maxBehind {
		b.moments = slices.Clone(b.moments[over:])
	}
}

// reclaim takes back the newest records, which were added with a place; false: they have
// been taken.
func (b *behind) reclaim(at Place, records int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.at) - records
	if n < 0 || records > 0 && b.at[n] != at {
		return false
	}
	b.at, b.log = b.at[:n], b.log[:n]
	return true
}

// stored forgets the records up to a place.
func (b *behind) stored(up Place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(b.at) && !up.Before(b.at[n]) {
		n++
	}
	b.at, b.log = b.at[n:], b.log[n:]
}

func (b *behind) take() (log []core.Record, moments []core.Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	log, moments = b.log, b.moments
	b.at, b.log, b.moments = nil, nil, nil
	return log, moments
}
