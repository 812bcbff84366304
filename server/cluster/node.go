package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/server/cluster/keep"
	"squelch/server/cluster/lease"
	"squelch/server/cluster/mesh"
)

// beatSubject is on what each node says that it lives.
const beatSubject = "squelch.beat."

// NodeOptions of Join.
type NodeOptions struct {
	Mesh  mesh.Options
	Build string // of the program
	URL   string // where clients find this node; "": they are not told of it
	// Replicas is on how many nodes is kept what must survive: 3, or 1 where there is one.
	Replicas int
	// Recorder is the node that records; "": the one that owns the radio.
	Recorder string
	// Strict: see lease.Options.
	Strict bool
	Slow   int // see lease.Options
	Logf   func(format string, args ...any)
}

// Node is this process in a cluster. All its radios share it.
type Node struct {
	Mesh   *mesh.Mesh
	Leases *lease.Leases
	Keep   *keep.Keep

	o      NodeOptions
	origin uint64
	quit   chan struct{}
	once   sync.Once
	work   sync.WaitGroup

	subs []*nats.Subscription

	mu      sync.Mutex
	sources []*Source
	watch   []func()
	heard   map[string]time.Time // when nodes were heard of
	over    bool                 // Close has begun

	sooner chan struct{} // the clock is to look again
	next   atomic.Int64  // when it does anyway, ns since the epoch

	asked atomic.Int64 // questions how this node is doing that are being answered
}

// Join makes this process a node of its cluster. It waits for a majority of the nodes.
func Join(ctx context.Context, o NodeOptions) (*Node, error) {
	n := &Node{o: o, origin: rand.Uint64() | 1, quit: make(chan struct{}), sooner: make(chan struct{}, 1), heard: map[string]time.Time{}}
	if err := n.join(ctx, o); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

func (n *Node) join(ctx context.Context, o NodeOptions) (err error) {
	o.Mesh.Logf = o.Logf
	if n.Mesh, err = mesh.Open(ctx, o.Mesh); err != nil {
		return err
	}
	open, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	if n.Keep, err = keep.Open(open, n.Mesh.Log, n.Mesh.Stream, o.Replicas, o.Logf); err != nil {
		return err
	}
	n.Leases, err = lease.Open(ctx, lease.Options{Mesh: n.Mesh, Self: lease.Node{Name: o.Mesh.Node, Build: o.Build, URL: o.URL}, Replicas: o.Replicas,
		Strict: o.Strict, Slow: o.Slow, Changed: n.changed, Logf: o.Logf})
	if err != nil {
		return err
	}
	late, end := context.WithTimeout(ctx, catchUpTime)
	defer end()
	if err := n.Mesh.CatchUp(late, keep.StateStream, keep.LogStream, lease.Stream); err != nil {
		o.Logf("warning: this node starts although it has not caught up with the others: %v", err)
	}
	for subject, take := range map[string]nats.MsgHandler{
		beatSubject + "*":      n.hear,
		statusSubject:          n.askedStatus,
		moveSubject + n.Name(): n.askedMove,
	} {
		s, err := n.Mesh.Log.Subscribe(subject, take)
		if err != nil {
			return err
		}
		n.subs = append(n.subs, s)
	}
	n.work.Go(n.tick)
	return nil
}

// Radio opens what the nodes keep of a radio. While no majority answers, it waits, and says
// so: a node that starts before the others, or while one of them is away, has time.
func (n *Node) Radio(ctx context.Context, name string, timeline int) (*keep.Radio, error) {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	for {
		r, err := n.Keep.Radio(ctx, name, timeline)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		n.o.Logf("radio %s: what the nodes keep of it cannot be read yet: %v", name, err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(waitAgain):
		}
	}
}

// Name is the node's name.
func (n *Node) Name() string { return n.o.Mesh.Node }

// Recorder names the node that records; "": the one that owns the radio.
func (n *Node) Recorder() string { return n.o.Recorder }

// Nodes are those that live, this one first.
func (n *Node) Nodes() []lease.Node { return n.Leases.Alive() }

// Watch calls f when nodes come or go, or a radio has another owner. f must not block.
func (n *Node) Watch(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watch = append(slices.Clip(n.watch), f)
}

func (n *Node) changed() {
	n.mu.Lock()
	sources, watch := n.sources, n.watch
	n.mu.Unlock()
	for _, s := range sources {
		s.LeasesChanged()
	}
	for _, f := range watch {
		f()
	}
}

// tick is the clock of all radios of this node: one timer, not one for each, that rests until
// something is due.
func (n *Node) tick() {
	rest := time.NewTimer(0)
	defer rest.Stop()
	var beat time.Time // when the next one is due
	for {
		select {
		case <-rest.C:
		case <-n.sooner:
		case <-n.quit:
			return
		}
		n.mu.Lock()
		sources := n.sources
		n.mu.Unlock()
		now := time.Now()
		next := now.Add(nodeBeat)
		owns := false
		n.next.Store(math.MaxInt64) // who wants to be looked at from now on says so
		for _, s := range sources {
			if due := s.due(now); due.Before(next) {
				next = due
			}
			owns = owns || s.owns.Load()
		}
		// That a node lives is seen by its lease, and that an owner is heard by its beat alone.
		if !now.Before(beat) {
			beat = now.Add(lease.UntilAligned(now, nodeBeat))
			if owns || now.Sub(n.Leases.Renewed()) > nodeBeat+nodeBeat/4 {
				_ = n.Mesh.Log.Publish(beatSubject+n.Name(), nil)
			}
		}
		if beat.Before(next) {
			next = beat
		}
		pause := max(time.Until(next), tickEvery)
		n.next.Store(now.Add(pause).UnixNano())
		rest.Reset(pause)
	}
}

// look has the clock look at what is due no later than a moment.
func (n *Node) look(at time.Time) {
	if at.UnixNano() >= n.next.Load() {
		return
	}
	select {
	case n.sooner <- struct{}{}:
	default:
	}
}

// hear takes the beat of a node.
func (n *Node) hear(m *nats.Msg) {
	n.Leases.Heard(m.Subject[len(beatSubject):])
	n.mu.Lock()
	defer n.mu.Unlock()
	if node := m.Subject[len(beatSubject):]; n.Leases.Lives(node) {
		n.heard[node] = time.Now()
	}
}

// beat is when a node was heard of last.
func (n *Node) beat(node string) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard[node]
}

// NewSource makes the source of a radio; of the options it fills in those that concern the
// node. The engine closes it.
func (n *Node) NewSource(o Options) (*Source, error) {
	o.Node, o.Build, o.Origin, o.Mesh, o.Leases, o.Logf = n.Name(), n.o.Build, n.origin, n.Mesh, n.Leases, n.o.Logf
	if o.Now == nil {
		o.Now = time.Now
	}
	o.closed, o.beat, o.look = n.forget, n.beat, n.look
	s, err := NewSource(o)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.sources = append(slices.Clip(n.sources), s)
	n.mu.Unlock()
	n.look(time.Now())
	return s, nil
}

func (n *Node) forget(s *Source) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sources = slices.DeleteFunc(slices.Clone(n.sources), func(other *Source) bool { return other == s })
}

// Origin identifies this process among those that share a radio.
func (n *Node) Origin() uint64 { return n.origin }

// Leave gives away what this node owns, because it is about to stop. It returns when other
// nodes have all of it, or with the reason why some of it stays until its lease ends.
func (n *Node) Leave(ctx context.Context) (err error) {
	n.Leases.Leave()
	n.mu.Lock()
	sources := n.sources
	n.mu.Unlock()
	if len(n.Leases.Alive()) < 2 {
		return nil
	}
	failed := make(chan error, len(sources))
	for _, s := range sources {
		go func() {
			err := s.Give(ctx, "")
			if errors.Is(err, lease.ErrTaken) { // it was not ours
				err = nil
			}
			failed <- err
		}()
	}
	for range sources {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return fmt.Errorf("not everything was given to another node: %w", err)
	}
	return nil
}

// Close ends the node. Its radios are closed before.
func (n *Node) Close() {
	n.once.Do(func() {
		close(n.quit)
		n.mu.Lock()
		n.over = true
		n.mu.Unlock()
		n.work.Wait()
		for _, s := range n.subs {
			_ = s.Unsubscribe()
		}
		if n.Keep != nil {
			n.Keep.Close()
		}
		if n.Leases != nil {
			n.Leases.Close()
		}
		if n.Mesh != nil {
			n.Mesh.Close()
		}
	})
}

// Majority says whether this node hears so many of the nodes that it knows that others cannot
// decide without one of them.
func (n *Node) Majority() bool { return n.Leases.Hears(lease.Town) }
