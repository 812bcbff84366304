package game

import (
	"time"

	"squelch/core/wire"
)

// ring has the newest changes, by position. It is empty at first.
type ring struct {
	kept  []kept // of position n at n%ringSize
	first uint64 // the oldest position kept; newest+1: none is
	last  uint64 // the newest position given
}

type kept struct {
	change wire.GameChange
	at     time.Time
}

// clear forgets all changes. Positions count on, and no earlier one can be continued
// from.
func (r *ring) clear() {
	r.kept = nil
	r.last++
	r.first = r.last + 1
}

// add gives a change the next position.
func (r *ring) add(c wire.GameChange, now time.Time) {
	if r.kept == nil {
		r.kept = make([]kept, ringSize)
	}
	r.last++
	r.kept[r.last%ringSize] = kept{c.Numbered(r.last), now}
	r.first = max(r.first, r.last-min(r.last, ringSize-1))
}

// follows says whether the changes after a position are all there.
func (r *ring) follows(since uint64) bool { return since <= r.last && since+1 >= r.first }

// began is when the first change after a position came. There must be one.
func (r *ring) began(since uint64) time.Time { return r.kept[(since+1)%ringSize].at }

// after are the changes after a position, without those that a later one makes
// meaningless. None is an empty list.
func (r *ring) after(since uint64) []wire.GameChange {
	newest := make(map[wire.Subject]uint64, r.last-since)
	for n := since + 1; n <= r.last; n++ {
		newest[r.kept[n%ringSize].change.Subject()] = n
	}
	out := make([]wire.GameChange, 0, len(newest))
	for n := since + 1; n <= r.last; n++ {
		c := r.kept[n%ringSize].change
		if about := c.Subject(); newest[about] == n && newest[about.Whole()] <= n {
			out = append(out, c)
		}
	}
	return out
}
