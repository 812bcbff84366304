package cluster

import (
	"context"
	"errors"
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

// Options of NewSource. All are required but Claim, Stored, Voice, Wall and Lose.
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
	// Keep stores what orders up to a place have changed, for the owner of an epoch.
	Keep func(ctx context.Context, owner uint64, at Place, snap *core.Data, log []core.Record, moments []core.Moment) error
	// Claim ends what owners before that of an epoch store, and returns what they have stored:
	// the radio as it was at a place, which is zero if there is nothing. Nil: nothing is stored.
	Claim func(ctx context.Context, owner uint64) (at Place, start wire.Start, err error)
	// Stored is the place of what this node's engine starts with, if that was stored.
	Stored Place
	// Owns is called when this node begins or ceases to decide.
	Owns func(yes bool)
	// Voice counts the radio's frames to and from other nodes; nil: none are.
	Voice func() wire.ClusterVoice
	// Deaf is called when no owner has been heard of for lease.Town, and when one is again.
	Deaf func(yes bool)
	Now  func() time.Time
	// Wall is the machine's clock, by which orders are dated; nil: Now.
	Wall func() time.Time
	// Lose, in a trial, says of every message from the owner whether it gets lost; nil: none.
	Lose func() bool
	Logf func(format string, args ...any)

	// Of the node whose clock the source goes by: closed forgets the source, beat is when
	// another node was heard of last, look has the clock look no later than then. Nil: the
	// source has a clock and a beat of its own.
	closed func(*Source)
	beat   func(node string) time.Time
	look   func(at time.Time)
}

// Source is the engine.Source of a radio that several nodes share.
type Source struct {
	o         Options
	orders    chan engine.Ordered
	proposals chan *proposal
	heard     chan *nats.Msg
	calls     chan func()
	nudge     chan struct{} // leases have changed, or something is due
	applied   applied
	adopted   applied // the newest snapshot that has replaced this replica
	quit      chan struct{}
	ready     chan struct{} // closed when this replica has the radio
	ended     chan struct{}
	once      sync.Once
	work      work
	subs      []*nats.Subscription

	looked atomic.Int64 // when to look again, ns since the epoch
	wake   atomic.Int64 // when the next tick is due, ms since the epoch of the radio; 0: never
	isDeaf atomic.Bool
	isCold atomic.Bool
	owns   atomic.Bool  // as owner, for other goroutines
	ahead  atomic.Int64 // of the radio's clock before the machine's, ms
	stored marks
	behind behind

	stale, gaps, resyncs, mismatches, takes atomic.Uint64

	// Of the goroutine.
	at        Place
	fresh     bool      // it has neither owned the radio nor seen a snapshot
	last      int64     // time of the last order
	lastSeen  time.Time // when that was
	clock     clock
	promised  uint64 // the newest epoch that has called the roll
	owner     bool
	taking    bool      // or giving
	takeAt    time.Time // when the radio may be taken
	refused   string    // why it could not be
	before    *Place    // what the first order of this epoch follows
	fetching  bool
	differs   bool      // this replica is not as the owner's
	unsure    bool      // or may not be
	fetchedAt time.Time // when catchUp has tried last
	held      []decided // while a snapshot is on its way
	number    uint64    // of this node's newest proposal
	first     uint64    // all below it have their orders
	pending   map[uint64]*proposal
	ordered   map[uint64]uint64    // the newest proposal of each origin that was ordered
	recent    []ordered            // the newest ones, at most remembered
	ownerAt   time.Time            // when the owner was heard of last
	said      time.Time            // when this owner told how far it is
	safe      *decided             // what this owner has told of the newest orders that are stored
	safeAt    time.Time            // and when
	mine      hashes               // of this replica
	compared  hashAt               // the newest one that was compared, or the owner's newest
	theirs    hashes               // and of the owner
	present   map[string]bool      // nodes whose users have been called
	rollAt    time.Time            // when users are to be called; zero: never
	rolling   map[core.UserID]bool // who has asked to connect since the call; nil: there is none
	haves     []have
}

// work are goroutines that Close waits for.
type work struct {
	mu   sync.Mutex
	over bool
	all  sync.WaitGroup
}

// start runs f, unless the end has begun.
func (w *work) start(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.all.Go(f)
	}
}

func (w *work) wait() {
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.all.Wait()
}

// NewSource makes the source of a replica. What its engine starts with counts only if this
// node becomes the first owner; otherwise the owner's snapshot replaces it.
func NewSource(o Options) (*Source, error) {
	if o.Wall == nil {
		o.Wall = o.Now
	}
	s := &Source{o: o, fresh: true, lastSeen: o.Wall(), clock: clock{now: o.Wall}, orders: make(chan engine.Ordered, inboxLength), proposals: make(chan *proposal, inboxLength),
		heard: make(chan *nats.Msg, inboxLength), calls: make(chan func(), 64), nudge: make(chan struct{}, 1), quit: make(chan struct{}), ready: make(chan struct{}), ended: make(chan struct{}),
		pending: map[uint64]*proposal{}, ordered: map[uint64]uint64{}, present: map[string]bool{}}
	s.stored.changed = make(chan struct{})
	s.clock.free()
	s.ownerAt = o.Now()
	for subject, take := range map[string]nats.MsgHandler{
		s.subject("o"):                   s.take,
		s.subject("p") + "." + o.Node:    s.take,
		s.subject("roll"):                s.called,
		s.subject("have"):                s.asksHave,
		s.subject("snap") + "." + o.Node: func(m *nats.Msg) { s.work.start(func() { s.giveSnapshot(m) }) },
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

// Cold says whether this owner has begun with what its engine started with, and not with the
// radio of a node that was there before.
func (s *Source) Cold() bool { return s.isCold.Load() }

// begun notes that this replica has the radio.
func (s *Source) begun() {
	if s.fresh {
		s.fresh = false
		close(s.ready)
	}
}

// Orders returns the log.
func (s *Source) Orders() <-chan engine.Ordered { return s.orders }

// Wake sets the clock of the owner.
func (s *Source) Wake(at time.Time) {
	ms := int64(0)
	if !at.IsZero() {
		ms = at.UnixMilli()
	}
	s.wake.Store(ms)
	if ms != 0 && s.owns.Load() && s.o.look != nil {
		s.o.look(time.UnixMilli(ms - s.ahead.Load()))
	}
}

// Closed is closed when the source begins to end.
func (s *Source) Closed() <-chan struct{} { return s.quit }

// Close ends the source.
func (s *Source) Close() {
	s.once.Do(func() {
		close(s.quit)
		<-s.ended
		if s.o.closed != nil {
			s.o.closed(s)
		}
		_ = s.unsubscribe()
		s.work.wait()
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

func (s *Source) push(o engine.Ordered) {
	select {
	case s.orders <- o:
	case <-s.quit:
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
		if now.Sub(s.said) >= beatEvery && (s.o.beat == nil || s.news(now)) {
			s.beat(now)
		}
		s.callMissing(now)
	case !s.taking && !now.Before(s.takeAt) && s.o.Leases.Orphaned(s.o.Radio, time.Now()):
		s.taking = true
		s.work.start(s.takeOver)
	}
	if s.o.beat != nil && !s.owner {
		if heard := s.o.beat(s.o.Leases.Owner(s.o.Radio).Node); heard.After(s.ownerAt) {
			s.ownerAt = heard
		}
	}
	s.setDeaf(now.Sub(s.ownerAt) > s.o.Leases.Scale(lease.Town))
	if !s.owner {
		s.catchUp(now)
	}
	s.repeat(now)
	s.lookAt(s.next(now))
}

// next is when to look again: soon while something is under way, or else when a lease or
// the time without an owner ends.
func (s *Source) next(now time.Time) time.Time {
	soon := now.Add(lookEvery)
	if s.o.look == nil || len(s.pending) > 0 || s.taking || s.fetching || s.fresh || s.differs || s.unsure || s.isDeaf.Load() {
		return soon
	}
	rest := now.Add(lookIdle)
	if s.owner {
		if s.news(now) || !s.rollAt.IsZero() || s.rolling != nil {
			return soon
		}
		if ends := s.o.Leases.Until(); ends.Before(rest) {
			return ends
		}
		return rest
	}
	if owner := s.o.Leases.Owner(s.o.Radio).Node; owner == s.o.Node || !s.o.Leases.Lives(owner) {
		return now.Add(tickEvery)
	}
	if deaf := s.ownerAt.Add(s.o.Leases.Scale(lease.Town)); deaf.Before(rest) {
		return deaf.Add(time.Millisecond)
	}
	return rest
}

// news says whether this owner has just told something that a node may have missed.
func (s *Source) news(now time.Time) bool {
	return s.o.Wall().Sub(s.lastSeen) < beatFor || now.Sub(s.safeAt) < beatFor
}

func (s *Source) lookAt(at time.Time) {
	s.looked.Store(at.UnixNano())
	if s.o.look != nil {
		s.o.look(at)
	}
}

// soon sees to it that this source is looked at while something is under way.
func (s *Source) soon() {
	if at := s.o.Now().Add(lookEvery); at.UnixNano() < s.looked.Load() {
		s.lookAt(at)
	}
}

// due is called by the node's clock, and returns when to call again.
func (s *Source) due(now time.Time) time.Time {
	wake, looked := s.wake.Load(), s.looked.Load()
	ticks := wake != 0 && s.owns.Load()
	if at := wake - s.ahead.Load(); ticks && at*int64(time.Millisecond) < looked {
		looked = at * int64(time.Millisecond)
	}
	due := time.Unix(0, looked)
	if !now.Before(due) || due.Sub(now) > 2*lookIdle { // the machine's clock may have been set
		s.LeasesChanged()
		return now
	}
	return due
}

// givenAway is why an owner ends that another node is to follow.
const givenAway = "it is given away"

func (s *Source) depose(why string) {
	s.owner, s.before, s.rollAt, s.safe = false, nil, time.Time{}, nil
	s.owns.Store(false)
	if why == givenAway {
		s.o.Logf("radio %s: this node gives it away", s.o.Radio)
	} else {
		s.o.Logf("warning: radio %s: this node does not decide any more: %s", s.o.Radio, why)
	}
	s.o.Owns(false)
}
