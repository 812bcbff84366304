package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
)

// storeTime is how long a caller waits for the owner to store what its command changed.
const storeTime = 10 * time.Second

// ErrUnknown is for a change that was made, but whose owner died before it said that the
// change is stored.
var ErrUnknown = errors.New("the change is in effect, but whether it is stored is not known: the node that stores it does not answer")

// Durable stores on the owner, and elsewhere waits until the owner has. If this node becomes
// the owner meanwhile, it stores what the one before has not.
func (s *Source) Durable(ctx context.Context, epoch, seq uint64, snap *core.Data, log []core.Record, moments []core.Moment) error {
	at := Place{epoch, seq}
	late := time.NewTimer(storeTime)
	defer late.Stop()
	for waited := false; ; waited = true {
		settled, changed, err := s.stored.look(at)
		if settled {
			return err
		}
		switch owns, is := s.decidesIn(); {
		case !is: // the end: nobody waits
			return nil
		case owns != 0:
			if waited && !s.behind.reclaim(at, len(log)) { // whoever took them stores them
				log, moments = nil, nil
			}
			return s.store(ctx, owns, at, snap, log, moments)
		}
		if !waited {
			s.behind.add(at, log, moments)
		}
		if snap == nil && len(log) == 0 || len(log) == 0 && at == s.adopted.get() {
			return nil // no caller waits for that
		}
		select {
		case <-changed:
		case <-late.C:
			return ErrUnknown
		case <-ctx.Done():
			return ctx.Err()
		case <-s.quit:
			return ErrUnknown
		}
	}
}

// Epoch is that of this node as the radio's owner; 0: it is not.
func (s *Source) Epoch() uint64 {
	epoch, _ := s.decidesIn()
	return epoch
}

// decidesIn is the epoch of this node, if it owns the radio; false: the source has ended.
func (s *Source) decidesIn() (epoch uint64, is bool) {
	owns := make(chan uint64, 1)
	s.do(func() {
		if s.owner {
			owns <- s.at.Epoch
		} else {
			owns <- 0
		}
	})
	select {
	case epoch = <-owns:
		return epoch, true
	case <-s.quit:
		return 0, false
	}
}

// store stores and tells the other nodes, whose callers wait. What is acknowledged is on a
// majority of disks, and its order at one more node, so that the next owner has it whichever
// node dies, and does not have to read it.
func (s *Source) store(ctx context.Context, epoch uint64, at Place, snap *core.Data, log []core.Record, moments []core.Moment) error {
	told := snap != nil || len(log) > 0
	elsewhere := make(chan bool, 1)
	if told {
		s.work.start(func() { elsewhere <- s.waitHave(ctx, epoch, at) })
	}
	err := s.o.Keep(ctx, epoch, at, snap, log, moments)
	if !told {
		return err
	}
	select {
	case has := <-elsewhere:
		if !has && err == nil {
			err = ErrUnknown
		}
	case <-s.quit:
		return errors.Join(err, ErrUnknown)
	}
	d := decided{Node: s.o.Node, Upto: &at}
	if err != nil {
		d.Broken = err.Error()
		var reason *core.Error
		if errors.As(err, &reason) {
			d.Broken, d.Kind = reason.Message, reason.Kind
		}
	}
	s.do(func() {
		if s.owner {
			d.Place, s.safe, s.safeAt = s.at, &d, s.o.Now()
			s.soon()
			_ = s.tell(d)
		}
	})
	return err
}

// have is another node's question that waits.
type have struct {
	held
	ask *nats.Msg
}

// waitHave waits until another node has an order. Where NATS is apart, a lone node needs no
// other one as long as it holds its lease.
func (s *Source) waitHave(ctx context.Context, owner uint64, at Place) (has bool) {
	if len(s.o.Leases.Alive()) < 2 && !s.o.Leases.Carried() {
		return s.o.Leases.Holds()
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Leases.Scale(haveTime))
	defer cancel()
	inbox := s.o.Mesh.Log.NewRespInbox()
	sub, err := s.o.Mesh.Log.SubscribeSync(inbox)
	if err != nil {
		return false
	}
	defer func() { _ = sub.Unsubscribe() }()
	// The request goes to this node too, which does not answer; so nobody says that there
	// is nobody. It may get lost.
	for ctx.Err() == nil {
		if s.o.Mesh.Log.PublishRequest(s.subject("have"), inbox, encode(held{Node: s.o.Node, Owner: owner, Place: at})) != nil {
			return false
		}
		if _, err := sub.NextMsg(haveAgain); err == nil {
			return true
		}
	}
	return false
}

// asksHave takes the question of an owner.
func (s *Source) asksHave(m *nats.Msg) {
	var ask held
	if json.Unmarshal(m.Data, &ask) != nil || ask.Node == s.o.Node {
		return
	}
	s.do(func() {
		if s.haves = append(s.haves, have{ask, m}); len(s.haves) > mostHave {
			s.haves = s.haves[1:]
		}
		s.answerHave()
	})
}

func (s *Source) answerHave() {
	if len(s.haves) == 0 || s.fetching || s.fresh {
		return
	}
	s.haves = slices.DeleteFunc(s.haves, func(h have) bool {
		if max(s.at.Epoch, s.promised) > h.Owner {
			return true // the one who asks is no owner any more, and what it asks for may never have been
		}
		if s.at.Before(h.Place) {
			return false
		}
		_ = h.ask.Respond(nil)
		return true
	})
}

// marks is how far the owner has stored.
type marks struct {
	mu      sync.Mutex
	at      Place
	broken  error         // why at is the end of what is not stored; nil: it is stored
	lost    uint64        // orders of epochs before this one may not have happened at the owner
	changed chan struct{} // closed when look may say something else
}

func (m *marks) set(d decided) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.Upto.Before(m.at) || *d.Upto == m.at && m.broken == nil {
		return
	}
	m.at, m.broken = *d.Upto, nil
	switch {
	case d.Kind != 0:
		m.broken = &core.Error{Kind: d.Kind, Message: d.Broken}
	case d.Broken != "":
		m.broken = errors.New(d.Broken)
	}
	m.wake()
}

// lose notes that this replica was replaced by one of another owner: what it had of the
// epochs before may be lost.
func (m *marks) lose(epoch uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost = max(m.lost, epoch)
	m.wake()
}

// nudge has everybody look again.
func (m *marks) nudge() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wake()
}

func (m *marks) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// look says whether it is settled what has become of an order. Owners store in the order of
// their orders, and a new owner first what the one before has not.
func (m *marks) look(p Place) (settled bool, changed <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case p.Epoch < m.lost:
		return true, nil, ErrUnknown
	case m.at.Before(p):
		return false, m.changed, nil
	}
	return true, nil, m.broken
}
