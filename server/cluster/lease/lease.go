package lease

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/cluster/mesh"
)

// Subjects and streams.
const (
	leaseStream  = "SQUELCH_LEASES"
	leaseSubject = "squelch.lease."
	leaseSeen    = "squelch.leased."
	ownerStream  = "SQUELCH_OWNERS"
	ownerSubject = "squelch.owner."
	ownerSeen    = "squelch.owned."
	askSubject   = "squelch.alive."
)

// wrongSequence is the code of newer servers for a record that is not the one expected
// (JSStreamWrongLastSequenceConstantErr).
const wrongSequence jetstream.ErrorCode = 10164

// ErrTaken: somebody else has changed the owner meanwhile.
var ErrTaken = errors.New("another node has taken the radio")

// Node is what a node says of itself.
type Node struct {
	Name  string `json:"name"`
	Build string `json:"build"`
	// URL is the address for clients; "": none.
	URL string `json:"url,omitempty"`
	// Leaving says that it takes no radio any more, because it is about to stop.
	Leaving bool `json:"leaving,omitempty"`
}

// Owner is who decides about a radio; Node "" is nobody.
type Owner struct {
	Node  string `json:"node"`
	Epoch uint64 `json:"-"` // of the record
	// To is the node that is to take it, if Node has given it away; From is who gave it.
	To   string `json:"to,omitempty"`
	From string `json:"from,omitempty"`

	learned time.Time
}

// Options of Open. Everything but Strict is required.
type Options struct {
	Mesh     *mesh.Mesh
	Self     Node
	Replicas int // of the records: 3, or 1 where there is one node
	// Strict waits for the end of a lease even if nobody answers for its node. Otherwise,
	// if routes are reset while both ends live, two owners may decide for up to Town, each
	// heard on its own side.
	Strict bool
	// Slow, in a trial on a busy machine, makes all times so many times longer; 0: 1.
	Slow int
	// Changed is called when a radio has another owner, or when a node has come or gone. It
	// must not block.
	Changed func()
	Logf    func(format string, args ...any)
}

// Leases is this node's view.
type Leases struct {
	o                 Options
	renew, town, gone time.Duration
	quit              chan struct{}
	work              sync.WaitGroup
	subscriptions     []*nats.Subscription

	mu      sync.Mutex
	self    Node
	held    time.Time // when the newest acknowledged renewal began
	since   time.Time // from when on the lease was held without a pause; zero: it is not
	joined  time.Time // from when on a majority was heard directly; zero: it is not
	flying  int       // renewals
	writes  Writes
	due     time.Time // of the next one
	nodes   map[string]*seen
	owners  map[string]Owner
	pending map[string]bool // nodes that are being asked
}

// seen is what is known of another node.
type seen struct {
	Node
	at     time.Time // of the newest renewal
	direct time.Time // of the newest sign that came without a lease
	silent int       // how often nobody answered for it
	gone   time.Time // since when it counts as gone; zero: it lives
}

func (s *seen) isGone() bool { return !s.gone.IsZero() }

// Open starts to renew this node's lease. It returns once the first renewal is acknowledged
// and the owners are known.
func Open(ctx context.Context, o Options) (*Leases, error) {
	l := &Leases{o: o, self: o.Self, renew: Renew, town: Town, gone: Gone, quit: make(chan struct{}), nodes: map[string]*seen{}, owners: map[string]Owner{}, pending: map[string]bool{}}
	if !o.Mesh.Embedded() {
		l.renew, l.town, l.gone = externalRenew, externalTown, externalGone
	}
	if o.Slow > 1 {
		l.town, l.gone = l.town*time.Duration(o.Slow), l.gone*time.Duration(o.Slow)
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if err := l.open(ctx); err != nil {
		l.Close()
		return nil, err
	}
	l.work.Go(l.run)
	return l, nil
}

func (l *Leases) open(ctx context.Context) error {
	js := l.o.Mesh.Stream
	for _, c := range []jetstream.StreamConfig{
		{Name: leaseStream, Subjects: []string{leaseSubject + "*"}, Storage: jetstream.MemoryStorage, MaxAge: time.Hour, RePublish: &jetstream.RePublish{Source: leaseSubject + "*", Destination: leaseSeen + "{{wildcard(1)}}"}},
		{Name: ownerStream, Subjects: []string{ownerSubject + "*"}, Storage: jetstream.FileStorage, RePublish: &jetstream.RePublish{Source: ownerSubject + "*", Destination: ownerSeen + "{{wildcard(1)}}"}},
	} {
		c.Replicas, c.MaxMsgsPerSubject, c.AllowDirect = l.o.Replicas, 1, false
		if err := makeStream(ctx, js, c); err != nil {
			return err
		}
	}
	for subject, take := range map[string]nats.MsgHandler{
		leaseSeen + "*":          l.leaseSeen,
		ownerSeen + "*":          l.ownerSeen,
		askSubject + l.self.Name: func(m *nats.Msg) { _ = m.Respond(nil) },
	} {
		s, err := l.o.Mesh.Log.Subscribe(subject, take)
		if err != nil {
			return err
		}
		l.subscriptions = append(l.subscriptions, s)
	}
	if err := l.o.Mesh.Log.FlushWithContext(ctx); err != nil {
		return err
	}
	for { // a stream that another node has just made may not be there yet
		err := l.begin(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the leases of the cluster: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// makeStream makes a stream, as soon as there are enough nodes for it.
func makeStream(ctx context.Context, js jetstream.JetStream, c jetstream.StreamConfig) error {
	var why error
	for {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := js.CreateStream(try, c)
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || why == nil {
			why = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("stream %s: %w", c.Name, why)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// begin reads, and renews for the first time. A question that comes while nobody leads a
// stream has no answer, so it does not wait for long.
func (l *Leases) begin(ctx context.Context) error {
	try, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	if err := l.read(try); err != nil {
		return err
	}
	return l.put(try, time.Now())
}

// read learns what was recorded before this node came: who owns what, and which nodes there
// may be. Each of them gets the time to be heard of.
func (l *Leases) read(ctx context.Context) error {
	err := l.each(ctx, leaseStream, leaseSubject, func(_ string, m *jetstream.RawStreamMsg) { l.heardOf(m.Data) })
	if err != nil {
		return err
	}
	return l.each(ctx, ownerStream, ownerSubject, func(radio string, m *jetstream.RawStreamMsg) { l.learn(radio, m.Data, m.Sequence) })
}

// each calls f with the newest record of each subject.
func (l *Leases) each(ctx context.Context, stream, prefix string, f func(name string, m *jetstream.RawStreamMsg)) error {
	s, err := l.o.Mesh.Stream.Stream(ctx, stream)
	if err != nil {
		return err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return err
	}
	for subject := range info.State.Subjects {
		m, err := s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		f(strings.TrimPrefix(subject, prefix), m)
	}
	return nil
}

// run renews, and looks who is gone.
func (l *Leases) run() {
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			l.renewIfDue(now)
			l.look(now)
		case <-l.quit:
			return
		}
	}
}

func (l *Leases) renewIfDue(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.due) || l.flying >= renewals {
		return
	}
	l.due = now.Add(l.renew)
	l.flying++
	l.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), renewTime)
		defer cancel()
		_ = l.put(ctx, time.Now()) // the next one follows
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flying--
	})
}

// put renews the lease.
func (l *Leases) put(ctx context.Context, began time.Time) error {
	l.mu.Lock()
	data, err := json.Marshal(l.self)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = l.o.Mesh.Stream.Publish(ctx, leaseSubject+l.o.Self.Name, data)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes.add(time.Since(began), err)
	if err != nil {
		return err
	}
	if began.After(l.held) {
		l.held = began
	}
	return nil
}

// Holds says whether this node may decide about what it owns.
func (l *Leases) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds(time.Now())
}

func (l *Leases) holds(now time.Time) bool { return now.Sub(l.held) < l.town }

// Scale makes a time as much longer as those of the leases are (Options.Slow).
func (l *Leases) Scale(d time.Duration) time.Duration { return d * time.Duration(max(l.o.Slow, 1)) }

// Together says whether the nodes carry NATS themselves: one of them alone then stores nothing.
func (l *Leases) Together() bool { return l.o.Mesh.Embedded() && l.o.Replicas > 1 }

// Missed says whether this node, since it heard of an owner last, may have been taken for gone
// by it while others were not needed for storing.
func (l *Leases) Missed(heard time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.Together() && l.since.After(heard)
}

// Until is when this node's lease ends if it is not renewed.
func (l *Leases) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.Add(l.town)
}

// Owner is who owns a radio.
func (l *Leases) Owner(radio string) Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners[radio]
}

// Alive lists the nodes that live, this one first, then by name.
func (l *Leases) Alive() []Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []Node{l.self}
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		if n := l.nodes[name]; !n.isGone() {
			all = append(all, n.Node)
		}
	}
	return all
}

// Owners are who owns each radio.
func (l *Leases) Owners() map[string]Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.owners)
}

// NotFor says why a node may not take what another one owns; "": it may. What an older build
// stores lacks what it does not know.
func (l *Leases) NotFor(node, owner string) (why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	to, from := l.node(node), l.node(owner)
	switch {
	case !l.lives(node):
		return fmt.Sprintf("Node %s is gone", node)
	case to.Leaving:
		return fmt.Sprintf("Node %s is about to stop", node)
	case newer(to.Build, from.Build) < 0:
		return fmt.Sprintf("Node %s has build %s, which is older than %s of node %s: radios go to equal or newer ones", node, to.Build, from.Build, owner)
	}
	return ""
}

func (l *Leases) node(name string) Node {
	if n := l.nodes[name]; n != nil && name != l.self.Name {
		return n.Node
	}
	return l.self
}

// Seen is a node and whether it has gone.
type Seen struct {
	Node
	Gone bool
}

// All lists all nodes that were heard of, this one first, then by name.
func (l *Leases) All() []Seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []Seen{{Node: l.self}}
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		n := l.nodes[name]
		all = append(all, Seen{n.Node, n.isGone()})
	}
	return all
}

// Writes is how writing leases went.
func (l *Leases) Writes() Writes {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writes
}

// Known are the names of all other nodes that were heard of and have not left.
func (l *Leases) Known() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, n := range l.nodes {
		if !n.isGone() || !n.Leaving {
			names = append(names, name)
		}
	}
	return names
}

// Lives says whether a node counts as alive.
func (l *Leases) Lives(node string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lives(node)
}

func (l *Leases) lives(node string) bool {
	if node == l.self.Name {
		return true
	}
	n := l.nodes[node]
	return n != nil && !n.isGone()
}

// Orphaned says, to a node that does not decide about a radio, whether it is its turn to
// take it. A radio whose owner has gone, or has given it away, is for the nodes that are not
// leaving: the newest build first, then in an order that spreads radios over nodes. A radio
// that is on this node's name belonged to an earlier process, or this node has let its lease
// end; it takes it again. Without a lease of its own a node takes nothing.
func (l *Leases) Orphaned(radio string, now time.Time) (mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.self.Leaving || !l.holds(now) {
		return false
	}
	o := l.owners[radio]
	switch {
	case o.Node == l.self.Name:
		return true
	case o.Node != "" && l.lives(o.Node):
		return false
	case o.Node == "" && o.To == l.self.Name:
		return true
	case o.Node == "" && o.To != "" && l.lives(o.To) && now.Sub(o.learned) < giveTime:
		return false
	}
	since := o.learned
	if n := l.nodes[o.Node]; n != nil {
		since = n.gone
	}
	return now.Sub(since) >= time.Duration(l.place(radio, cmp.Or(o.Node, o.From)))*stagger
}

// place is how many nodes are before this one in line.
func (l *Leases) place(radio, without string) (place int) {
	own := weight(l.self.Name, radio)
	if without == l.self.Name { // it has just given the radio away
		place++
	}
	for name, n := range l.nodes {
		if name == without || n.isGone() || n.Leaving {
			continue
		}
		if c := cmp.Or(newer(n.Build, l.self.Build), cmp.Compare(weight(name, radio), own)); c > 0 || without == l.self.Name {
			place++
		}
	}
	return place
}

// weight orders nodes for a radio (rendezvous hashing). FNV alone does not spread names that
// differ in their first characters only, so its bits are mixed (the finalizer of MurmurHash3).
func weight(node, radio string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(node + "\x00" + radio))
	w := h.Sum64()
	w ^= w >> 33
	w *= 0xff51afd7ed558ccd
	w ^= w >> 33
	w *= 0xc4ceb9fe1a85ec53
	return w ^ w>>33
}

// Take makes this node the owner of a radio, if nobody else has become it meanwhile.
func (l *Leases) Take(ctx context.Context, radio string) (epoch uint64, err error) {
	return l.record(ctx, radio, l.Owner(radio).Epoch, Owner{Node: l.o.Self.Name})
}

// Give gives a radio that this node owns to another one; "": to whoever is first in line.
func (l *Leases) Give(ctx context.Context, radio, to string) error {
	is := l.Owner(radio)
	if is.Node != l.o.Self.Name {
		return ErrTaken
	}
	_, err := l.record(ctx, radio, is.Epoch, Owner{To: to, From: is.Node})
	return err
}

func (l *Leases) record(ctx context.Context, radio string, expect uint64, o Owner) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	data, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	ack, err := l.o.Mesh.Stream.Publish(ctx, ownerSubject+radio, data, jetstream.WithExpectLastSequencePerSubject(expect), jetstream.WithRetryAttempts(0))
	var refused *jetstream.APIError
	if errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == wrongSequence) {
		l.mu.Lock()
		l.writes.Refused++
		l.mu.Unlock()
		l.catchUp(ctx, radio)
		return 0, ErrTaken
	}
	if err != nil {
		return 0, err
	}
	l.learn(radio, data, ack.Sequence)
	return ack.Sequence, nil
}

// catchUp reads a record that this node has missed.
func (l *Leases) catchUp(ctx context.Context, radio string) {
	s, err := l.o.Mesh.Stream.Stream(ctx, ownerStream)
	if err != nil {
		return
	}
	if m, err := s.GetLastMsgForSubject(ctx, ownerSubject+radio); err == nil {
		l.learn(radio, m.Data, m.Sequence)
	}
}

// Leave says that this node takes no radio any more.
func (l *Leases) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.self.Leaving, l.due = true, time.Time{}
}

func (l *Leases) ownerSeen(m *nats.Msg) {
	epoch, err := sequenceOf(m)
	if err == nil {
		l.learn(m.Subject[len(ownerSeen):], m.Data, epoch)
	}
}

// learn takes an owner's record, unless a newer one is known.
func (l *Leases) learn(radio string, data []byte, epoch uint64) {
	var o Owner
	if json.Unmarshal(data, &o) != nil {
		return
	}
	o.Epoch, o.learned = epoch, time.Now()
	l.mu.Lock()
	newer := epoch > l.owners[radio].Epoch
	if newer {
		l.owners[radio] = o
		if o.Node != "" && o.Node != l.o.Self.Name && l.nodes[o.Node] == nil { // not heard of yet: it gets the time to be
			l.nodes[o.Node] = &seen{Node: Node{Name: o.Node}, at: time.Now()}
		}
	}
	l.mu.Unlock()
	if newer {
		l.o.Changed()
	}
}

func (l *Leases) leaseSeen(m *nats.Msg) { l.heardOf(m.Data) }

// heardOf takes a node's lease.
func (l *Leases) heardOf(data []byte) {
	var n Node
	if json.Unmarshal(data, &n) != nil || n.Name == "" || n.Name == l.o.Self.Name {
		return
	}
	l.mu.Lock()
	s := l.nodes[n.Name]
	changed := s == nil || s.isGone() || s.Node != n
	if s != nil && s.isGone() && !n.Leaving {
		l.o.Logf("node %s is there again", n.Name)
	}
	if s == nil {
		s = &seen{}
		l.nodes[n.Name] = s
	}
	s.Node, s.at, s.silent, s.gone = n, time.Now(), 0, time.Time{}
	l.mu.Unlock()
	if changed {
		l.o.Changed()
	}
}

func sequenceOf(m *nats.Msg) (n uint64, err error) {
	_, err = fmt.Sscan(m.Header.Get(nats.JSSequence), &n)
	return n, err
}

// Heard takes a sign of life that is no renewal. It does not keep a node alive that cannot
// renew, but says that this one is not alone.
func (l *Leases) Heard(node string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.nodes[node]; n != nil {
		n.direct = time.Now()
	}
}

// hears says whether this node and those that it hears are a majority.
func (l *Leases) hears(now time.Time) bool {
	heard := 1
	for _, n := range l.nodes {
		if now.Sub(n.direct) < hearTime {
			heard++
		}
	}
	return 2*heard > len(l.nodes)+1
}

// look finds out who is gone. A node that could not renew its own lease, and was cut off from
// the others or stood still, knows nothing about them: it lets some time pass first in which
// they can be heard.
func (l *Leases) look(now time.Time) {
	changed := false
	l.mu.Lock()
	switch {
	case !l.holds(now):
		if !l.since.IsZero() {
			l.o.Logf("this node holds no lease: no renewal was acknowledged for %s", now.Sub(l.held).Round(time.Millisecond))
		}
		l.since = time.Time{}
	case l.since.IsZero():
		l.since, changed = now, true
		l.o.Logf("this node holds its lease")
	}
	switch {
	case !l.hears(now):
		l.joined = time.Time{}
	case l.joined.IsZero():
		l.joined = now
	}
	// While nobody can renew, because the leader has died, those that are heard all the same
	// live.
	renews := !l.since.IsZero() && now.Sub(l.since) > settle
	hears := !l.joined.IsZero() && now.Sub(l.joined) > settle
	for name, n := range l.nodes {
		silent := now.Sub(n.at)
		switch {
		case n.isGone():
			if now.Sub(n.gone) > forget {
				delete(l.nodes, name)
			}
		case silent > l.gone && (renews || hears && now.Sub(n.direct) > l.gone), !l.o.Strict && n.silent >= refusals:
			n.gone, changed = now, true
			l.o.Logf("warning: node %s is gone: nothing was heard of it for %s", name, silent.Round(time.Millisecond))
		case silent > askAfter && !l.o.Strict && !l.pending[name]:
			l.pending[name] = true
			l.work.Go(func() { l.ask(name) })
		}
	}
	l.mu.Unlock()
	if changed {
		l.o.Changed()
	}
}

// ask asks a node whether it lives. What counts is that nobody answers for it: an answer
// that does not come in time may be on its way.
func (l *Leases) ask(name string) {
	_, err := l.o.Mesh.Log.Request(askSubject+name, nil, askTime)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, name)
	switch n := l.nodes[name]; {
	case n == nil:
	case errors.Is(err, nats.ErrNoResponders):
		n.silent++
	default:
		n.silent = 0
	}
}

// Close stops renewing. The lease ends by itself.
func (l *Leases) Close() {
	close(l.quit)
	for _, s := range l.subscriptions {
		_ = s.Unsubscribe()
	}
	l.work.Wait()
}
