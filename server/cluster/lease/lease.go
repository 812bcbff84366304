package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
)

// Stream keeps the newest renewal of each node, in memory.
const Stream = "SQUELCH_LEASES"

// Subjects, and the stream of the owners.
const (
	leaseSubject = "squelch.lease."
	leaseSeen    = "squelch.leased."
	ownerStream  = keep.StateStream
	ownerSubject = keep.StatePrefix + "owner."
	ownerSeen    = keep.StateSeen + "owner."
	askSubject   = "squelch.alive."
	heldSubject  = "squelch.held"
)

// Node is what a node says of itself.
type Node struct {
	Name  string `json:"name"`
	Build string `json:"build"`
	// URL is the address for clients; "": none.
	URL string `json:"url,omitempty"`
	// Leaving says that it takes no radio any more, because it is about to stop.
	Leaving bool `json:"leaving,omitempty"`
}

// Options of Open. All but Strict and Slow are required.
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
	// settle is how long a node must have renewed its lease without a pause before it judges
	// others, and how long a pause is: in that time each of them renews.
	settle        time.Duration
	ctx           context.Context // ends with Close
	stop          context.CancelFunc
	sooner        chan struct{} // look again
	work          sync.WaitGroup
	subscriptions []*nats.Subscription

	mu      sync.Mutex
	self    Node
	held    time.Time // when the newest acknowledged renewal began
	since   time.Time // from when on the lease was renewed without a pause; zero: it is not held
	joined  time.Time // from when on a majority was heard; zero: it is not
	flying  int       // renewals
	failing time.Time // since when no renewal is acknowledged; zero: the newest one was
	mending bool      // see mend
	narrow  bool      // the stream has fewer copies than it should have
	widen   time.Time // when to try again to give it all of them
	writes  Writes
	due     time.Time // of the next one
	nodes   map[string]*seen
	owners  map[string]Owner
	pending map[string]bool // nodes that are being asked
}

// Open starts to renew this node's lease. It returns once the first renewal is acknowledged
// and the owners are known.
func Open(ctx context.Context, o Options) (*Leases, error) {
	l := &Leases{o: o, self: o.Self, renew: Renew, town: Town, gone: Gone, sooner: make(chan struct{}, 1), nodes: map[string]*seen{}, owners: map[string]Owner{}, pending: map[string]bool{}}
	if !o.Mesh.Embedded() {
		l.renew, l.town, l.gone = externalRenew, externalTown, externalGone
	}
	if o.Slow > 1 {
		l.town, l.gone = l.town*time.Duration(o.Slow), l.gone*time.Duration(o.Slow)
	}
	l.settle = l.renew + l.renew/2
	l.ctx, l.stop = context.WithCancel(context.Background())
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
	if err := makeStream(ctx, js, stream(l.o.Replicas)); err != nil {
		return err
	}
	for subject, take := range map[string]nats.MsgHandler{
		leaseSeen + "*":          l.leaseSeen,
		ownerSeen + "*":          l.ownerSeen,
		askSubject + l.self.Name: func(m *nats.Msg) { _ = m.Respond(nil) },
		heldSubject:              l.askedHeld,
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
		l.mu.Lock()
		l.failed(time.Now())
		l.mu.Unlock()
		select {
		case <-ctx.Done():
			return fmt.Errorf("the leases of the cluster: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stream is the configuration of Stream.
func stream(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: Stream, Subjects: []string{leaseSubject + "*"}, Storage: jetstream.MemoryStorage, MaxAge: time.Hour,
		Replicas: replicas, MaxMsgsPerSubject: 1, RePublish: &jetstream.RePublish{Source: leaseSubject + "*", Destination: leaseSeen + "{{wildcard(1)}}"}}
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

// read learns what was recorded before this node came: who owns what, and which nodes there
// may be. Each of them gets the time to be heard of.
func (l *Leases) read(ctx context.Context) error {
	is, err := l.each(ctx, Stream, leaseSubject, func(_ string, m *jetstream.RawStreamMsg) { l.heardOf(m.Data) })
	if err != nil {
		return err
	}
	l.isNarrow(is.Replicas)
	_, err = l.each(ctx, ownerStream, ownerSubject, func(radio string, m *jetstream.RawStreamMsg) { l.learn(radio, m.Data, m.Sequence) })
	return err
}

// each calls f with the newest record of each subject, and returns the stream's configuration.
func (l *Leases) each(ctx context.Context, stream, prefix string, f func(name string, m *jetstream.RawStreamMsg)) (is jetstream.StreamConfig, err error) {
	s, err := l.o.Mesh.Stream.Stream(ctx, stream)
	if err != nil {
		return is, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return is, err
	}
	for subject := range info.State.Subjects {
		m, err := s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return is, err
		}
		f(strings.TrimPrefix(subject, prefix), m)
	}
	return info.Config, nil
}

// run renews, and looks who is gone.
func (l *Leases) run() {
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-rest.C:
		case <-l.sooner:
		case <-l.ctx.Done():
			return
		}
		now := time.Now()
		l.renewIfDue(now)
		l.widenIfDue(now)
		rest.Reset(max(time.Until(l.look(now)), leastRest))
	}
}

// Scale makes a time as much longer as those of the leases are (Options.Slow).
func (l *Leases) Scale(d time.Duration) time.Duration { return d * time.Duration(max(l.o.Slow, 1)) }

// Writes is how writing leases went.
func (l *Leases) Writes() Writes {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writes
}

// Close stops renewing. The lease ends by itself.
func (l *Leases) Close() {
	l.stop()
	for _, s := range l.subscriptions {
		_ = s.Unsubscribe()
	}
	l.work.Wait()
}
