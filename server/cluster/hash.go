package cluster

import (
	"context"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// Hashes is the follower that compares this replica with the owner's, every hashEvery
// orders.
func (s *Source) Hashes() engine.Follower {
	type state struct {
		place Place
		data  core.Data
	}
	return &engine.Queue[state]{Name: "hashes", Most: 4,
		Prepare: func(step *engine.Step) (state, bool) {
			if step.Snapshot != nil || step.Seq%hashEvery != 0 {
				return state{}, false
			}
			return state{Place{step.Epoch, step.Seq}, step.View.Snapshot()}, true
		},
		Deliver: func(_ context.Context, batch []state) error {
			for _, b := range batch {
				hash, err := wire.Hash(b.data)
				if err != nil {
					return err
				}
				s.do(func() { s.hashed(b.place, hash) })
			}
			return nil
		}}
}

// hashed takes the hash of this replica.
func (s *Source) hashed(at Place, hash string) {
	switch {
	case at.Epoch != s.at.Epoch:
	case s.owner:
		s.tell(decided{Place: at, Node: s.o.Node, Build: s.o.Build, Hash: hash})
	default:
		s.pair(at, &s.mine, &s.theirs, hash, s.o.Leases.Owner(s.o.Radio).Node)
	}
}

// compare takes the owner's hash.
func (s *Source) compare(d decided) {
	if d.Epoch == s.at.Epoch {
		s.pair(d.Place, &s.theirs, &s.mine, d.Hash, d.Node)
	}
}

// pair holds the newest hash of one side against that of the other; either may come first.
func (s *Source) pair(at Place, one, other *hashAt, hash, owner string) {
	*one = hashAt{at, hash}
	if one.Place != other.Place || one.hash == other.hash {
		return
	}
	s.mismatches.Add(1)
	s.o.Logf("radio %s: this node's state differs from that of node %s after %s: it takes a snapshot", s.o.Radio, owner, at)
	s.fetch(owner)
}

// hashAt is the hash of the state after an order.
type hashAt struct {
	Place
	hash string
}
