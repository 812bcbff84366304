package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/server/cluster/lease"
	"squelch/server/engine"
)

// takeOver makes this node the owner: it takes the record, calls the roll, brings itself up
// to the node that has the most, and only then decides.
func (s *Source) takeOver() {
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
	defer cancel()
	epoch, err := s.o.Leases.Take(ctx, s.o.Radio)
	if err != nil {
		if !errors.Is(err, lease.ErrTaken) {
			s.o.Logf("radio %s cannot be taken: %v", s.o.Radio, err)
		}
		s.do(func() { s.taking = false })
		return
	}
	s.takes.Add(1)
	answers := s.callRoll(ctx)
	at := make(chan Place, 1)
	s.do(func() { at <- s.at })
	var have Place
	select {
	case have = <-at:
	case <-s.quit:
		return
	}
	var more *carried
	best := rolled{Place: have}
	for _, a := range answers {
		if best.Place.Before(a.Place) {
			best = a
		}
	}
	if have.Before(best.Place) {
		if more, err = s.askSnapshot(ctx, best.Node); err != nil {
			s.o.Logf("radio %s: node %s has more of it, and does not give it: %v", s.o.Radio, best.Node, err)
		}
	}
	s.do(func() {
		s.taking = false
		if more != nil {
			s.adopt(more)
		}
		s.begin(epoch, answers)
	})
}

// callRoll asks all nodes how far they are and who is there, and waits until all that live
// have answered, or rollTime.
func (s *Source) callRoll(ctx context.Context) (answers []rolled) {
	inbox := s.o.Mesh.Log.NewRespInbox()
	got := make(chan *nats.Msg, 64)
	sub, err := s.o.Mesh.Log.ChanSubscribe(inbox, got)
	if err != nil {
		return nil
	}
	defer func() { _ = sub.Unsubscribe() }()
	if s.o.Mesh.Log.PublishRequest(s.subject("roll"), inbox, nil) != nil {
		return nil
	}
	late := time.NewTimer(rollTime)
	defer late.Stop()
	for {
		missing := slices.ContainsFunc(s.o.Leases.Alive(), func(n lease.Node) bool {
			return !slices.ContainsFunc(answers, func(a rolled) bool { return a.Node == n.Name })
		})
		if !missing {
			return answers
		}
		select {
		case m := <-got:
			var a rolled
			if json.Unmarshal(m.Data, &a) == nil {
				answers = append(answers, a)
			}
		case <-late.C:
			return answers
		case <-ctx.Done():
			return answers
		}
	}
}

func (s *Source) answerRoll(m *nats.Msg) {
	_ = m.Respond(encode(rolled{Node: s.o.Node, Place: s.at, Users: s.o.Users()}))
}

// begin begins an epoch.
func (s *Source) begin(epoch uint64, answers []rolled) {
	before := s.at
	s.at.Epoch, s.before = epoch, &before
	s.owner = true
	s.owns.Store(true)
	s.begun()
	if s.last == 0 {
		s.clock.free()
	} else {
		s.clock.follow(s.last, s.lastSeen)
	}
	s.mine, s.theirs = hashAt{}, hashAt{}
	s.o.Logf("radio %s: this node decides from epoch %d on, after %s", s.o.Radio, epoch, before)
	s.o.Owns(true)
	s.order(decided{}, core.Actor{}, nil)
	s.setDeaf(false)
	s.unlinkMissing(answers)
	s.repeat(s.o.Now())
}

// callMissing calls the roll when a node has gone.
func (s *Source) callMissing() {
	gone := false
	for node := range s.present {
		if !s.o.Leases.Lives(node) {
			delete(s.present, node)
			gone = true
		}
	}
	for _, n := range s.o.Leases.Alive() {
		s.present[n.Name] = true
	}
	if gone {
		s.work.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
			defer cancel()
			answers := s.callRoll(ctx)
			s.do(func() { s.unlinkMissing(answers) })
		})
	}
}

// unlinkMissing tells the radio which links have gone with their node. A user may come
// back within the resume window, at any node.
func (s *Source) unlinkMissing(answers []rolled) {
	present := map[core.UserID]bool{}
	for _, a := range answers {
		for _, u := range a.Users {
			present[u] = true
		}
	}
	epoch := s.at.Epoch
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
		defer cancel()
		linked, err := s.o.Linked(ctx)
		if err != nil {
			return
		}
		s.do(func() {
			for _, u := range linked {
				if !present[u] && s.owner && s.at.Epoch == epoch {
					s.order(decided{}, core.Actor{User: u, Surface: core.BySystem}, core.Unlink{User: u})
				}
			}
		})
	})
}

// Give gives the radio to another node; "": to whoever is first in line. It returns when
// another node has it.
func (s *Source) Give(ctx context.Context, to string) error {
	given := make(chan error, 1)
	s.do(func() {
		if !s.owner {
			given <- lease.ErrTaken
			return
		}
		// Whatever comes from now on goes to the next owner.
		s.depose("it is given away")
		s.work.Go(func() { given <- s.o.Leases.Give(ctx, s.o.Radio, to) })
	})
	select {
	case err := <-given:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return engine.ErrClosed
	}
}
