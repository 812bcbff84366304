package cluster

import (
	"context"
	"sync"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// Hashes is the follower that compares this replica with the owner's, every hashEvery
// orders. It also notes how far this node's engine is.
func (s *Source) Hashes() engine.Follower {
	type state struct {
		place  Place
		data   core.Data
		config *core.Config
	}
	var config hashedConfig
	return &engine.Queue[state]{Name: "hashes", Most: 4,
		Prepare: func(step *engine.Step) (state, bool) {
			s.applied.set(Place{step.Epoch, step.Seq})
			if step.Snapshot != nil || step.Seq%hashEvery != 0 {
				return state{}, false
			}
			return state{Place{step.Epoch, step.Seq}, step.View.Snapshot(), step.View.Config()}, true
		},
		Deliver: func(_ context.Context, batch []state) error {
			for _, b := range batch {
				hash, err := wire.Hash(b.data)
				if err != nil {
					return err
				}
				of, err := config.of(b.config)
				if err != nil {
					return err
				}
				s.do(func() { s.hashed(b.place, hash+of) })
			}
			return nil
		}}
}

// hashedConfig is the hash of the configuration that was in force last. One in force does not
// change; another takes its place.
type hashedConfig struct {
	config *core.Config
	hash   string
}

func (h *hashedConfig) of(c *core.Config) (string, error) {
	if h.config == c {
		return h.hash, nil
	}
	hash, err := wire.HashConfig(*c)
	if err == nil {
		h.config, h.hash = c, hash
	}
	return hash, err
}

// hashed takes the hash of this replica.
func (s *Source) hashed(at Place, hash string) {
	switch {
	case at.Epoch != s.at.Epoch:
	case s.owner:
		s.compared = hashAt{at, hash}
		_ = s.tell(decided{Place: at, Node: s.o.Node, Build: s.o.Build, Hash: hash})
	default:
		s.mine.add(at, hash)
		s.pair(at, s.o.Leases.Owner(s.o.Radio).Node)
	}
}

// compare takes the owner's hash.
func (s *Source) compare(d decided) {
	if d.Epoch == s.at.Epoch {
		s.theirs.add(d.Place, d.Hash)
		s.pair(d.Place, d.Node)
	}
}

// pair holds the hash of one side against that of the other; either may come first.
func (s *Source) pair(at Place, owner string) {
	mine, have := s.mine.at(at)
	theirs, both := s.theirs.at(at)
	if !have || !both {
		return
	}
	s.compared = hashAt{at, mine}
	if mine == theirs || s.fetching {
		return
	}
	s.mismatches.Add(1)
	s.o.Logf("warning: radio %s: this node's state differs from that of node %s after %s: it takes a snapshot", s.o.Radio, owner, at)
	s.differs = true
	s.fetch(owner)
}

// hashes are the newest of one side.
type hashes []hashAt

// hashAt is the hash of the state after an order.
type hashAt struct {
	Place
	hash string
}

func (h *hashes) add(at Place, hash string) {
	if *h = append(*h, hashAt{at, hash}); len(*h) > heldHashes {
		*h = (*h)[1:]
	}
}

func (h hashes) at(p Place) (hash string, found bool) {
	for _, one := range h {
		if one.Place == p {
			return one.hash, true
		}
	}
	return "", false
}

// applied is how far this node's engine is.
type applied struct {
	mu sync.Mutex
	at Place
}

func (a *applied) set(p Place) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = p
}

func (a *applied) get() Place {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at
}
