package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/lease"
	"squelch/server/engine"
)

// takeOver makes this node the owner: it takes the record, calls the roll, brings itself up
// to the node that has the most, and only then decides. What was acknowledged is stored and
// was at one more node than its owner. So if any other node does not answer, even one that is
// gone, what is stored may be ahead of those that do.
func (s *Source) takeOver() {
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
	defer cancel()
	before := s.o.Leases.Owner(s.o.Radio)
	epoch, err := s.o.Leases.Take(ctx, s.o.Radio)
	if err != nil {
		s.notTaken(err)
		return
	}
	s.takes.Add(1)
	answers, all := s.callRoll(ctx, roll{Place: Place{Epoch: epoch}}, rollTime)
	me, is := s.standing()
	if !is {
		return
	}
	best := rolled{Place: me.at}
	for _, a := range answers {
		if best.Place.Before(a.Place) {
			best = a
		}
	}
	// Where NATS is apart, an owner may have been the only node for a while.
	unsure := me.fresh || !all || !s.o.Leases.Carried() || s.unanswered(before, answers)
	var more *carried
	if best.Node != "" {
		if more, err = s.askSnapshot(ctx, best.Node); err != nil {
			if s.o.Leases.Lives(best.Node) {
				// What that node knows may have been acknowledged, so it decides.
				s.o.Logf("warning: radio %s: node %s has more of it but does not hand it over (%v): that node is asked to take it", s.o.Radio, best.Node, err)
				s.notTaken(s.o.Leases.Give(ctx, s.o.Radio, best.Node))
				return
			}
			best, unsure = rolled{Place: me.at}, true
		}
	}
	if unsure && s.o.Claim != nil {
		at, start, err := s.o.Claim(ctx, epoch)
		if err != nil {
			s.notTaken(errors.Join(err, s.o.Leases.Give(context.WithoutCancel(ctx), s.o.Radio, "")))
			return
		}
		if best.Place.Before(at) && !(me.fresh && at == s.o.Stored) {
			s.o.Logf("radio %s: what is stored (%s) is ahead of the nodes that have answered (%s)", s.o.Radio, at, best.Place)
			best, more = rolled{}, &carried{Place: at, At: start.Data.Now, Start: start}
		}
	}
	s.do(func() {
		s.taking = false
		cold := s.fresh
		if more != nil && s.adopt(more) {
			cold = best.Node == ""
		}
		s.begin(epoch, cold)
	})
}

// standing is how this replica is.
type standing struct {
	at    Place
	fresh bool
}

func (s *Source) standing() (me standing, is bool) {
	got := make(chan standing, 1)
	s.do(func() { got <- standing{s.at, s.fresh} })
	select {
	case me = <-got:
		return me, true
	case <-s.quit:
		return me, false
	}
}

// unanswered says whether a node has not answered the roll that may have had what the owner
// before has acknowledged.
func (s *Source) unanswered(before lease.Owner, answers []rolled) bool {
	return slices.ContainsFunc(s.o.Leases.All(), func(n lease.Seen) bool {
		return n.Name != s.o.Node && n.Name != cmp.Or(before.Node, before.From) &&
			!slices.ContainsFunc(answers, func(a rolled) bool { return a.Node == n.Name && a.Place != Place{} }) // or it has just begun
	})
}

// notTaken goes on without the radio, for a while.
func (s *Source) notTaken(why error) {
	s.do(func() {
		s.taking, s.takeAt = false, s.o.Now().Add(takeAgain)
		if why == nil || errors.Is(why, lease.ErrTaken) {
			s.refused = ""
		} else if text := why.Error(); text != s.refused {
			s.refused = text
			s.o.Logf("warning: radio %s cannot be taken: %v", s.o.Radio, why)
		}
	})
}

// callRoll asks all nodes, and waits until all that live have answered, or for some time.
func (s *Source) callRoll(ctx context.Context, ask roll, patience time.Duration) (answers []rolled, all bool) {
	inbox := s.o.Mesh.Log.NewRespInbox()
	got := make(chan *nats.Msg, 64)
	sub, err := s.o.Mesh.Log.ChanSubscribe(inbox, got)
	if err != nil {
		return nil, false
	}
	defer func() { _ = sub.Unsubscribe() }()
	if s.o.Mesh.Log.PublishRequest(s.subject("roll"), inbox, encode(ask)) != nil {
		return nil, false
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	look := time.NewTicker(lookAgain) // a node may be found to have gone meanwhile
	defer look.Stop()
	for {
		missing := slices.ContainsFunc(s.o.Leases.Alive(), func(n lease.Node) bool {
			return !slices.ContainsFunc(answers, func(a rolled) bool { return a.Node == n.Name })
		})
		if !missing {
			return answers, true
		}
		select {
		case m := <-got:
			var a rolled
			if json.Unmarshal(m.Data, &a) == nil && a.Node != "" {
				answers = append(answers, a)
			}
		case <-look.C:
		case <-late.C:
			return answers, false
		case <-ctx.Done():
			return answers, false
		case <-s.quit:
			return answers, false
		}
	}
}

// called answers the roll call.
func (s *Source) called(m *nats.Msg) {
	var ask roll
	if len(m.Data) > 0 && json.Unmarshal(m.Data, &ask) != nil {
		return
	}
	if !ask.Users {
		s.do(func() {
			s.promised = max(s.promised, ask.Epoch)
			_ = m.Respond(encode(rolled{Node: s.o.Node, Place: s.at}))
		})
		return
	}
	s.work.start(func() {
		for end := s.o.Now().Add(usersTime); s.applied.get().Before(ask.Place); {
			select {
			case <-time.After(lookAgain):
			case <-s.quit:
				return
			}
			if s.o.Now().After(end) {
				return
			}
		}
		_ = m.Respond(encode(rolled{Node: s.o.Node, Users: s.o.Users()}))
	})
}

// begin begins an epoch; cold: with what is stored, and not with the radio of a node that was
// there before.
func (s *Source) begin(epoch uint64, cold bool) {
	if is := s.o.Leases.Owner(s.o.Radio); epoch <= s.at.Epoch || is.Epoch != epoch || is.Node != s.o.Node {
		return // it took too long: another node has it
	}
	before := s.at
	if cold { // nobody has what is stored, and no more: whoever is as far takes a snapshot too
		before = Place{}
	}
	s.at.Epoch, s.before, s.refused = epoch, &before, ""
	s.owner, s.fetching, s.differs, s.unsure, s.held = true, false, false, false, nil
	s.owns.Store(true)
	s.isCold.Store(cold)
	if s.last == 0 {
		s.clock.free()
	} else {
		s.clock.follow(s.last, s.lastSeen)
	}
	s.mine, s.theirs, s.compared = nil, nil, hashAt{}
	s.o.Logf("radio %s: this node decides from epoch %d on, after %s", s.o.Radio, epoch, before)
	s.o.Owns(true)
	s.order(decided{}, core.Actor{}, nil)
	s.begun()
	s.setDeaf(false)
	s.rollAt = s.o.Now()
	s.repeat(s.o.Now())
	s.stored.nudge()
}

// callMissing has the users called when a node has gone, and after a takeover.
func (s *Source) callMissing(now time.Time) {
	for node := range s.present {
		if !s.o.Leases.Lives(node) {
			delete(s.present, node)
			s.rollAt = now
		}
	}
	for _, n := range s.o.Leases.Alive() {
		s.present[n.Name] = true
	}
	if s.rollAt.IsZero() || now.Before(s.rollAt) || s.rolling != nil {
		return
	}
	s.rollAt, s.rolling = time.Time{}, map[core.UserID]bool{}
	epoch := s.at.Epoch
	s.work.start(func() { s.callUsers(epoch) })
}

// callUsers tells the radio which links have gone with their node. A user may come back
// within the resume window, at any node. Nodes say who is there only when they are as far as
// this one was when it looked; whoever has come since is left alone.
func (s *Source) callUsers(epoch uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*usersTime)
	defer cancel()
	linked, err := s.o.Linked(ctx)
	var answers []rolled
	all := false
	if err == nil {
		answers, all = s.callRoll(ctx, roll{Users: true, Place: s.applied.get()}, usersTime)
	}
	present := map[core.UserID]bool{}
	for _, a := range answers {
		for _, u := range a.Users {
			present[u] = true
		}
	}
	s.do(func() {
		came := s.rolling
		s.rolling = nil
		if !s.owner || s.at.Epoch != epoch {
			return
		}
		if !all {
			s.rollAt = s.o.Now().Add(rollAgain)
			return
		}
		for _, u := range linked {
			if !present[u] && !came[u] {
				s.order(decided{}, core.Actor{User: u, Surface: core.BySystem}, core.Unlink{User: u})
			}
		}
	})
}

// connects notes who comes while the users are called.
func (s *Source) connects(o *wire.Order) {
	if s.rolling == nil {
		return
	}
	switch c := o.Command.(type) {
	case core.Connect:
		s.rolling[c.Want], s.rolling[c.TakeOver] = true, true
	case core.Recover:
		s.rolling[c.User] = true
	case core.LinkSession:
		s.rolling[c.User] = true
	default:
		return
	}
	s.rolling[o.By.User] = true
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
		s.depose(givenAway)
		s.taking = true
		s.work.start(func() {
			err := s.o.Leases.Give(ctx, s.o.Radio, to)
			s.notTaken(nil)
			given <- err
		})
	})
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for recorded := false; ; {
		select {
		case err := <-given:
			if err != nil {
				return err
			}
			recorded = true
		case <-look.C:
			if recorded && s.o.Leases.Owner(s.o.Radio).Node != "" {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-s.quit:
			return engine.ErrClosed
		}
	}
}
