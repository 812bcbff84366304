package cluster

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/server/cluster/lease"
)

// hear takes a message of another node.
func (s *Source) hear(m *nats.Msg) {
	if strings.HasPrefix(m.Subject, s.subject("p")) {
		var p proposed
		if json.Unmarshal(m.Data, &p) == nil {
			s.asked(p)
		}
		return
	}
	var d decided
	if json.Unmarshal(m.Data, &d) != nil || d.Node == s.o.Node || s.o.Lose != nil && s.o.Lose() {
		return
	}
	s.follow(d)
}

// follow takes what an owner has decided.
func (s *Source) follow(d decided) {
	if d.Epoch < s.at.Epoch {
		s.stale.Add(1)
		return
	}
	if s.owner && d.Epoch > s.at.Epoch {
		s.depose("another node has taken the radio")
	}
	s.ownerAt = s.o.Now()
	switch {
	case d.Upto != nil && d.Epoch != s.at.Epoch: // what this replica has need not be what that owner has stored
	case d.Upto != nil:
		s.stored.set(d)
		if d.Broken == "" {
			s.behind.stored(*d.Upto)
		}
	case d.Hash != "":
		s.compare(d)
	case d.Order == nil: // it only says how far it is
		if s.fresh || s.differs || s.at.Before(d.Place) {
			s.fetch(d.Node)
		}
	case s.fetching:
		s.hold(d)
	case s.fresh:
		s.hold(d)
		s.fetch(d.Node)
	case d.Epoch == s.at.Epoch && d.Seq <= s.at.Seq: // it is in the snapshot
	case d.Epoch == s.at.Epoch && d.Seq == s.at.Seq+1, d.Before != nil && *d.Before == s.at:
		anew := d.Epoch != s.at.Epoch
		s.at, s.last = d.Place, d.Order.At
		s.pass(d, false)
		if anew { // its owner has none of what was sent to the one before
			s.mine, s.theirs, s.compared = nil, nil, hashAt{}
			s.sendAgain()
		}
	default:
		s.gaps.Add(1)
		s.hold(d)
		s.fetch(d.Node)
	}
}

// hold keeps an order until a snapshot has come.
func (s *Source) hold(d decided) {
	if s.held = append(s.held, d); len(s.held) > heldOrders {
		s.held = s.held[1:]
	}
}

func (s *Source) setDeaf(yes bool) {
	if s.isDeaf.Swap(yes) == yes {
		return
	}
	switch {
	case yes && !s.fresh:
		s.o.Logf("warning: radio %s: nobody who decides has been heard of for %s: key-ups are denied", s.o.Radio, lease.Town)
	case !yes && !s.fresh && !s.owner:
		s.o.Logf("radio %s: node %s decides and is heard", s.o.Radio, s.o.Leases.Owner(s.o.Radio).Node)
	}
	s.o.Deaf(yes)
	if !yes && !s.owner { // orders may have been missed, and there may be none to show it
		s.unsure = true
	}
}

// catchUp gets a snapshot for a replica that needs one, or does not know.
func (s *Source) catchUp(now time.Time) {
	owner := s.o.Leases.Owner(s.o.Radio).Node
	if (s.fresh || s.differs || s.unsure) && !s.fetching && owner != "" && s.o.Leases.Lives(owner) && now.Sub(s.fetchedAt) >= fetchAgain {
		s.fetchedAt = now
		s.fetch(owner)
	}
}
