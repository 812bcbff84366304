package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/lease"
	"squelch/server/cluster/mesh"
	"squelch/server/engine"
)

// ErrNoOwner is for a command that no owner has ordered in time.
var ErrNoOwner = &core.Error{Kind: core.Unavailable, Message: "No node decides about this radio at the moment"}

// Options of NewSource. All but Logf are required.
type Options struct {
	Radio  string
	Node   string
	Build  string
	Origin uint64 // of this process, random
	Mesh   *mesh.Mesh
	Leases *lease.Leases
	// Snapshot is the whole radio as this node's engine has it.
	Snapshot func(ctx context.Context) (Place, wire.Start, error)
	// Users are those with a live link to this node.
	Users func() []core.UserID
	// Linked are those whom the radio counts as linked.
	Linked func(ctx context.Context) ([]core.UserID, error)
	// Keep stores what the owner's orders have changed.
	Keep func(ctx context.Context, epoch uint64, snap *core.Data, log []core.Record, moments []core.Moment) error
	// Owns is called when this node begins or ceases to decide.
	Owns func(yes bool)
	// Deaf is called when no owner has been heard of for lease.Town, and when one is again.
	Deaf func(yes bool)
	Now  func() time.Time
	Logf func(format string, args ...any)

	// Of the node whose clock the source goes by: closed forgets the source, beat is when
	// another node was heard of last. Nil: the source has a clock and a beat of its own.
	closed func(*Source)
	beat   func(node string) time.Time
}

// Stats of a source.
type Stats struct {
	Owner                                   string
	Place                                   Place
	Stale, Gaps, Resyncs, Mismatches, Takes uint64
	Pending                                 int
	Deaf                                    bool
}

// Source is the engine.Source of a radio that several nodes share.
type Source struct {
	o         Options
	orders    chan engine.Ordered
	proposals chan *proposal
	heard     chan *nats.Msg
	calls     chan func()
	nudge     chan struct{} // leases have changed, or something is due
	quit      chan struct{}
	ready     chan struct{} // closed when this replica has the radio
	ended     chan struct{}
	once      sync.Once
	work      sync.WaitGroup
	subs      []*nats.Subscription

	looked atomic.Int64 // when to look again, ns since the epoch
	wake   atomic.Int64 // when the next tick is due, ms since the epoch of the radio; 0: never
	isDeaf atomic.Bool
	owns   atomic.Bool  // as owner, for other goroutines
	ahead  atomic.Int64 // of the radio's clock before the machine's, ms
	stored marks
	behind behind

	stale, gaps, resyncs, mismatches, takes atomic.Uint64

	// Of the goroutine.
	at       Place
	fresh    bool      // it has neither owned the radio nor seen a snapshot
	last     int64     // time of the last order
	lastSeen time.Time // when that was
	clock    clock
	owner    bool
	taking   bool
	before   *Place // what the first order of this epoch follows
	fetching bool
	held     []decided // while a snapshot is on its way
	number   uint64    // of this node's newest proposal
	pending  map[uint64]*proposal
	ordered  map[uint64]uint64 // the newest proposal of each origin that was ordered
	ownerAt  time.Time         // when the owner was heard of last
	said     time.Time         // when this owner told anything last
	mine     hashAt            // the newest hash of this replica
	theirs   hashAt            // and of the owner
	present  map[string]bool   // nodes whose users have been called
}

type proposal struct {
	id   uint64
	by   core.Actor
	cmd  core.Command
	born time.Time
	sent time.Time
}

// NewSource makes the source of a replica. What its engine starts with counts only if this
// node becomes the first owner; otherwise the owner's snapshot replaces it.
func NewSource(o Options) (*Source, error) {
	s := &Source{o: o, fresh: true, lastSeen: o.Now(), clock: clock{now: o.Now}, orders: make(chan engine.Ordered, inboxLength), proposals: make(chan *proposal, inboxLength),
		heard: make(chan *nats.Msg, inboxLength), calls: make(chan func(), 64), nudge: make(chan struct{}, 1), quit: make(chan struct{}), ready: make(chan struct{}), ended: make(chan struct{}),
		pending: map[uint64]*proposal{}, ordered: map[uint64]uint64{}, present: map[string]bool{}}
	s.stored.changed = make(chan struct{})
	s.clock.free()
	s.ownerAt = o.Now()
	for subject, take := range map[string]nats.MsgHandler{
		s.subject("o"):                   s.take,
		s.subject("p") + "." + o.Node:    s.take,
		s.subject("roll"):                func(m *nats.Msg) { s.do(func() { s.answerRoll(m) }) },
		s.subject("snap") + "." + o.Node: func(m *nats.Msg) { s.work.Go(func() { s.giveSnapshot(m) }) },
	} {
		sub, err := o.Mesh.Log.Subscribe(subject, take)
		if err != nil {
			return nil, errors.Join(err, s.unsubscribe())
		}
		s.subs = append(s.subs, sub)
	}
	go s.run()
	return s, nil
}

func (s *Source) subject(kind string) string { return "squelch." + kind + "." + s.o.Radio }

// take runs on NATS's goroutine.
func (s *Source) take(m *nats.Msg) {
	select {
	case s.heard <- m:
	case <-s.quit:
	}
}

// do runs something on the source's goroutine.
func (s *Source) do(f func()) {
	select {
	case s.calls <- f:
	case <-s.quit:
	}
}

// LeasesChanged tells the source to look at the leases.
func (s *Source) LeasesChanged() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// Ready is closed when this replica has the radio: the owner's, or its own if it is the first.
func (s *Source) Ready() <-chan struct{} { return s.ready }

// begun notes that this replica has the radio.
func (s *Source) begun() {
	if s.fresh {
		s.fresh = false
		close(s.ready)
	}
}

// Orders returns the log.
func (s *Source) Orders() <-chan engine.Ordered { return s.orders }

// Propose hands a command to the owner.
func (s *Source) Propose(ctx context.Context, id uint64, by core.Actor, cmd core.Command) error {
	if _, keyed := cmd.(core.KeyUp); keyed && s.isDeaf.Load() {
		return ErrNoOwner
	}
	p := &proposal{id: id, by: by, cmd: cmd, born: s.o.Now()}
	select {
	case <-s.quit:
		return engine.ErrClosed
	default:
	}
	select {
	case s.proposals <- p:
		return nil
	default:
	}
	select {
	case s.proposals <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return engine.ErrClosed
	}
}

// Wake sets the clock of the owner.
func (s *Source) Wake(at time.Time) {
	ms := int64(0)
	if !at.IsZero() {
		ms = at.UnixMilli()
	}
	s.wake.Store(ms)
}

// Close ends the source.
func (s *Source) Close() {
	s.once.Do(func() {
		close(s.quit)
		<-s.ended
		if s.o.closed != nil {
			s.o.closed(s)
		}
		_ = s.unsubscribe()
		s.work.Wait()
	})
}

func (s *Source) unsubscribe() (err error) {
	for _, sub := range s.subs {
		err = errors.Join(err, sub.Unsubscribe())
	}
	return err
}

func (s *Source) run() {
	defer close(s.ended)
	var ticks <-chan time.Time
	if s.o.closed == nil {
		every := time.NewTicker(tickEvery)
		defer every.Stop()
		ticks = every.C
	}
	for {
		select {
		case p := <-s.proposals:
			s.propose(p)
		case m := <-s.heard:
			s.hear(m)
		case f := <-s.calls:
			f()
		case <-s.nudge:
			s.look()
		case <-ticks:
			s.look()
		case <-s.quit:
			return
		}
	}
}

// decides says whether this node may order.
func (s *Source) decides() bool { return s.owner && s.o.Leases.Holds() }

// propose orders a command of this node, or sends it to the owner.
func (s *Source) propose(p *proposal) {
	if s.decides() {
		s.order(decided{ID: p.id, Origin: s.o.Origin}, p.by, p.cmd)
		return
	}
	if p.id == 0 {
		s.send(p, 0)
		return
	}
	s.number++
	s.pending[s.number] = p
	s.send(p, s.number)
}

// send sends a proposal to the owner, if one is known.
func (s *Source) send(p *proposal, number uint64) {
	owner := s.o.Leases.Owner(s.o.Radio).Node
	if owner == "" || owner == s.o.Node {
		return
	}
	p.sent = s.o.Now()
	_ = s.o.Mesh.Log.Publish(s.subject("p")+"."+owner, encode(proposed{Origin: s.o.Origin, Number: number, Oldest: s.oldest(), ID: p.id, Order: wire.Order{By: p.by, Command: p.cmd}}))
}

func (s *Source) oldest() uint64 {
	oldest := s.number + 1
	for n := range s.pending {
		oldest = min(oldest, n)
	}
	return oldest
}

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
	if json.Unmarshal(m.Data, &d) != nil || d.Node == s.o.Node {
		return
	}
	s.follow(d)
}

// asked orders the proposal of another node. Those of one node keep their order: one that
// comes before an earlier one waits until that has been sent again.
func (s *Source) asked(p proposed) {
	if !s.decides() {
		return // the node sends it again
	}
	if p.Number != 0 {
		next := max(s.ordered[p.Origin]+1, p.Oldest)
		if p.Number != next {
			return
		}
	}
	s.order(decided{Origin: p.Origin, Number: p.Number, ID: p.ID}, p.Order.By, p.Order.Command)
}

// order gives a command its time and its place.
func (s *Source) order(d decided, by core.Actor, cmd core.Command) {
	d.Before, s.before = s.before, nil
	s.at.Seq++
	s.last = max(s.clock.ms(), s.last)
	d.Place, d.Node, d.Build = s.at, s.o.Node, s.o.Build
	d.Order = &wire.Order{At: s.last, By: by, Command: cmd}
	s.tell(d)
	s.pass(d)
}

// tell tells all nodes.
func (s *Source) tell(d decided) {
	s.said = s.o.Now()
	_ = s.o.Mesh.Log.Publish(s.subject("o"), encode(d))
}

// pass passes an order to this node's engine.
func (s *Source) pass(d decided) {
	s.lastSeen = s.o.Now()
	if d.Number != 0 {
		s.ordered[d.Origin] = max(s.ordered[d.Origin], d.Number)
		if d.Origin == s.o.Origin {
			delete(s.pending, d.Number)
		}
	}
	s.push(engine.Ordered{Epoch: d.Epoch, Seq: d.Seq, Origin: d.Origin, ID: d.ID, Order: *d.Order})
}

func (s *Source) push(o engine.Ordered) {
	select {
	case s.orders <- o:
	case <-s.quit:
	}
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
	case d.Stored || d.Broken != "":
		s.stored.set(d)
		if d.Stored {
			s.behind.stored(d.Place)
		}
	case d.Hash != "":
		s.compare(d)
	case d.Order == nil: // it only says how far it is
		if s.fresh || s.at.Before(d.Place) {
			s.fetch(d.Node)
		}
	case s.fetching:
		if s.held = append(s.held, d); len(s.held) > heldOrders {
			s.held = s.held[1:]
		}
	case s.fresh:
		s.held = append(s.held, d)
		s.fetch(d.Node)
	case d.Epoch == s.at.Epoch && d.Seq <= s.at.Seq: // it is in the snapshot
	case d.Epoch == s.at.Epoch && d.Seq == s.at.Seq+1, d.Before != nil && *d.Before == s.at:
		s.at, s.last = d.Place, d.Order.At
		s.pass(d)
	default:
		s.gaps.Add(1)
		s.held = append(s.held, d)
		s.fetch(d.Node)
	}
}

// look does what is due.
func (s *Source) look() {
	now := s.o.Now()
	if s.owner && !s.o.Leases.Holds() {
		s.depose("its lease has ended")
	}
	if is := s.o.Leases.Owner(s.o.Radio); s.owner && is.Epoch > s.at.Epoch {
		s.depose("another node has taken the radio")
	}
	switch {
	case s.owner:
		s.ownerAt = now
		s.ahead.Store(s.clock.ms() - now.UnixMilli())
		if due := s.wake.Load(); due != 0 && s.clock.ms() >= due {
			s.wake.Store(0)
			s.order(decided{}, core.Actor{}, nil)
		}
		if now.Sub(s.said) >= beatEvery && (s.o.beat == nil || now.Sub(s.lastSeen) < beatFor) {
			s.tell(decided{Place: s.at, Node: s.o.Node})
		}
		s.callMissing()
	case !s.taking && s.o.Leases.Orphaned(s.o.Radio, now):
		s.taking = true
		s.work.Go(s.takeOver)
	}
	if s.o.beat != nil && !s.owner {
		if heard := s.o.beat(s.o.Leases.Owner(s.o.Radio).Node); heard.After(s.ownerAt) {
			s.ownerAt = heard
		}
	}
	s.setDeaf(now.Sub(s.ownerAt) > lease.Town)
	s.repeat(now)
	s.looked.Store(now.Add(lookEvery).UnixNano())
}

// due is called by the node's clock.
func (s *Source) due(now time.Time) {
	wake := s.wake.Load()
	if now.UnixNano() >= s.looked.Load() || wake != 0 && s.owns.Load() && now.UnixMilli()+s.ahead.Load() >= wake {
		s.LeasesChanged()
	}
}

// repeat sends proposals again, all of them in their order, whose orders have not come.
func (s *Source) repeat(now time.Time) {
	numbers := slices.Sorted(maps.Keys(s.pending))
	late := len(numbers) > 0 && now.Sub(s.pending[numbers[0]].sent) > repeatAfter
	for _, n := range numbers {
		p := s.pending[n]
		switch {
		case now.Sub(p.born) > giveUp:
			delete(s.pending, n)
			s.push(engine.Ordered{Origin: s.o.Origin, ID: p.id, Lost: ErrNoOwner})
		case s.decides():
			delete(s.pending, n)
			s.order(decided{Origin: s.o.Origin, Number: n, ID: p.id}, p.by, p.cmd)
		case late:
			s.send(p, n)
		}
	}
}

func (s *Source) setDeaf(yes bool) {
	if s.isDeaf.Swap(yes) != yes {
		s.o.Deaf(yes)
	}
}

func (s *Source) depose(why string) {
	s.owner, s.before = false, nil
	s.owns.Store(false)
	s.o.Logf("radio %s: this node does not decide any more: %s", s.o.Radio, why)
	s.o.Owns(false)
}
