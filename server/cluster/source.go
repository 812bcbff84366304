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

// Options of NewSource. All but Voice and Logf are required.
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
	// another node was heard of last. Nil: the source has a clock and a beat of its own.
	closed func(*Source)
	beat   func(node string) time.Time
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
	mine      hashes               // of this replica
	compared  hashAt               // the newest one that was compared, or the owner's newest
	theirs    hashes               // and of the owner
	present   map[string]bool      // nodes whose users have been called
	rollAt    time.Time            // when users are to be called; zero: never
	rolling   map[core.UserID]bool // who has asked to connect since the call; nil: there is none
	haves     []have
}

type proposal struct {
	id   uint64
	by   core.Actor
	cmd  core.Command
	born time.Time
	sent time.Time
}

// ordered is a proposal that has been ordered.
type ordered struct {
	Place
	origin, number uint64
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

// decides says whether this node may order.
func (s *Source) decides() bool { return s.owner && s.o.Leases.Holds() }

// propose orders a command of this node, or sends it to the owner.
func (s *Source) propose(p *proposal) {
	if s.decides() {
		s.order(decided{ID: p.id, Origin: s.o.Origin}, p.by, p.cmd)
		return
	}
	if p.id == 0 {
		s.send(p, 0, 0)
		return
	}
	if len(s.pending) >= mostPending {
		s.lose(p.id, ErrNoOwner)
		return
	}
	s.number++
	s.pending[s.number] = p
	s.send(p, s.number, s.oldest())
}

// send sends a proposal to the owner, if one is known.
func (s *Source) send(p *proposal, number, oldest uint64) {
	owner := s.o.Leases.Owner(s.o.Radio).Node
	if owner == "" || owner == s.o.Node {
		return
	}
	p.sent = s.o.Now()
	_ = s.o.Mesh.Log.Publish(s.subject("p")+"."+owner, encode(proposed{Origin: s.o.Origin, Number: number, Oldest: oldest, ID: p.id, Order: wire.Order{By: p.by, Command: p.cmd}}))
}

// oldest is the lowest number that waits for its order. Numbers rise, so it is rarely far
// below the newest.
func (s *Source) oldest() uint64 {
	for s.first <= s.number && s.pending[s.first] == nil {
		s.first++
	}
	return s.first
}

// lose tells a caller that there is no order.
func (s *Source) lose(id uint64, why error) {
	if id != 0 {
		s.push(engine.Ordered{Origin: s.o.Origin, ID: id, Lost: why})
	}
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
	if json.Unmarshal(m.Data, &d) != nil || d.Node == s.o.Node || s.o.Lose != nil && s.o.Lose() {
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

// order gives a command its time and its place. One that cannot be told to the others has
// none.
func (s *Source) order(d decided, by core.Actor, cmd core.Command) {
	at := max(s.clock.ms(), s.last)
	d.Place, d.Node, d.Build, d.Before = Place{s.at.Epoch, s.at.Seq + 1}, s.o.Node, s.o.Build, s.before
	d.Order = &wire.Order{At: at, By: by, Command: cmd}
	if err := s.tell(d); err != nil {
		s.o.Logf("warning: radio %s: an order of node %s cannot be told: %v", s.o.Radio, s.o.Node, err)
		if d.Origin == s.o.Origin {
			s.lose(d.ID, ErrNoOwner)
		}
		return
	}
	fences := s.before != nil
	s.at, s.last, s.before = d.Place, at, nil
	s.pass(d, fences)
}

// tell tells all nodes.
func (s *Source) tell(d decided) error {
	text := encode(d)
	if text == nil {
		return errors.New("it has numbers that JSON does not have")
	}
	return s.o.Mesh.Log.Publish(s.subject("o"), text)
}

// pass passes an order to this node's engine. A new owner fences the one before.
func (s *Source) pass(d decided, fences bool) {
	s.lastSeen = s.o.Wall()
	if d.Number != 0 {
		s.ordered[d.Origin] = max(s.ordered[d.Origin], d.Number)
		s.recent = append(s.recent, ordered{d.Place, d.Origin, d.Number})
		if len(s.recent) >= 2*remembered {
			s.recent = append(s.recent[:0], s.recent[len(s.recent)-remembered:]...)
		}
		if d.Origin == s.o.Origin {
			delete(s.pending, d.Number)
		}
		for origin := range s.ordered {
			if len(s.ordered) <= mostOrigins {
				break
			}
			if origin != s.o.Origin && origin != d.Origin {
				delete(s.ordered, origin)
			}
		}
	}
	s.connects(d.Order)
	s.push(engine.Ordered{Epoch: d.Epoch, Seq: d.Seq, Origin: d.Origin, ID: d.ID, Order: *d.Order, Store: fences})
	s.answerHave()
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
		if now.Sub(s.said) >= beatEvery && (s.o.beat == nil || s.o.Wall().Sub(s.lastSeen) < beatFor) {
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
	if len(s.pending) == 0 {
		return
	}
	oldest := s.oldest()
	late := now.Sub(s.pending[oldest].sent) > repeatAfter
	if !late && !s.decides() {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(s.pending)) {
		p := s.pending[n]
		switch {
		case now.Sub(p.born) > s.o.Leases.Scale(giveUp):
			delete(s.pending, n)
			s.lose(p.id, ErrNoOwner)
		case s.decides():
			delete(s.pending, n)
			s.order(decided{Origin: s.o.Origin, Number: n, ID: p.id}, p.by, p.cmd)
		default:
			s.send(p, n, s.oldest())
		}
	}
}

// sendAgain has what waits sent again at once.
func (s *Source) sendAgain() {
	if p := s.pending[s.oldest()]; p != nil {
		p.sent = time.Time{}
	}
	s.repeat(s.o.Now())
}

// beat says how far this owner is, and what is stored: a node may have missed either.
func (s *Source) beat(now time.Time) {
	s.said = now
	_ = s.tell(decided{Place: s.at, Node: s.o.Node})
	if s.safe != nil {
		_ = s.tell(*s.safe)
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
