package radio

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/keep"
	"squelch/server/cluster/lease"
	"squelch/server/cluster/voice"
	"squelch/server/engine"
	"squelch/server/keeper"
)

// Limits of a radio that several nodes share; all of this project.
const (
	// refreshPerSecond bounds how often a session that nobody here knows is looked for at
	// the leader of the streams: whoever guesses must not keep it busy. A client that has
	// just logged in at another node asks once.
	refreshPerSecond, refreshBurst = 20, 100
	refreshTime                    = 2 * time.Second
	// gainAgain is the pause between attempts to take up what another node has done.
	gainAgain = 200 * time.Millisecond
	// moveAfter is how long a node is without an owner of the radio before its clients are
	// sent to other nodes.
	moveAfter = 3 * time.Second
	// moveTime bounds that.
	moveTime = 5 * time.Second
)

// member is this node's part in a radio that several nodes share. Each node carries out all
// orders. Besides deciding them, the owner alone writes the timeline and what orders have
// changed, runs scripts, sends webhooks and, unless the configuration names another node,
// records.
type member struct {
	r      *Radio
	node   *cluster.Node
	kept   *keep.Radio
	source *cluster.Source
	stored cluster.Place // of what the engine starts with
	voice  *voice.Voice
	asks   *rate.Limiter
	subs   []*nats.Subscription

	up      chan struct{}    // closed when the engine has started
	moments chan core.Moment // for the owner's timeline
	turn    chan struct{}    // wanted has changed
	heard   chan struct{}    // deaf has changed
	wanted  atomic.Bool      // this node owns the radio
	has     atomic.Bool      // and has taken up everything
	deaf    atomic.Int64     // since when no owner is heard of, ms since the epoch; 0: one is

	mu     sync.Mutex
	gained chan struct{} // closed while has
}

func newMember(r *Radio, node *cluster.Node) *member {
	return &member{r: r, node: node, kept: r.store.kept, asks: rate.NewLimiter(refreshPerSecond, refreshBurst),
		up: make(chan struct{}), moments: make(chan core.Moment, maxForwarded), turn: make(chan struct{}, 1), heard: make(chan struct{}, 1), gained: make(chan struct{})}
}

// source is what orders the radio, and how the engine tells its own proposals.
func (r *Radio) source(followers *[]engine.Follower) (engine.Source, uint64, error) {
	if r.member == nil {
		return engine.NewAlone(time.Now, r.keepAlone), 0, nil
	}
	m := r.member
	var err error
	m.source, err = m.node.NewSource(cluster.Options{Radio: r.name,
		Snapshot: func(ctx context.Context) (cluster.Place, wire.Start, error) {
			if err := m.started(ctx); err != nil {
				return cluster.Place{}, wire.Start{}, err
			}
			epoch, seq, whole, err := r.engine.Snapshot(ctx)
			return cluster.Place{Epoch: epoch, Seq: seq}, whole, err
		},
		Users: r.hub.Linked, Linked: m.linked, Keep: m.keep, Claim: m.claim, Stored: m.stored, Owns: m.owns, Deaf: m.isDeaf, Voice: m.voiceCounts})
	if err != nil {
		return nil, 0, err
	}
	m.voice, err = voice.Open(voice.Options{Conn: m.node.Mesh.Voice, Radio: r.name, Node: m.node.Name(), Media: r.sfu, Logf: r.warnf})
	if err != nil {
		m.source.Close()
		return nil, 0, err
	}
	*followers = append([]engine.Follower{m.source.Hashes(), m.voice.Follower()}, *followers...)
	return m.source, m.node.Origin(), nil
}

// started waits for the engine, which starts after its source.
func (m *member) started(ctx context.Context) error {
	select {
	case <-m.up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-m.r.quit:
		return engine.ErrClosed
	}
}

// view is Engine.View for those who may ask before it has started.
func (m *member) view(ctx context.Context, look func(core.View)) error {
	if err := m.started(ctx); err != nil {
		return err
	}
	return m.r.engine.View(ctx, look)
}

// linked are those whom the radio counts as linked.
func (m *member) linked(ctx context.Context) (all []core.UserID, err error) {
	err = m.view(ctx, func(v core.View) {
		for _, u := range v.Users() {
			if u.Linked && !u.Lost {
				all = append(all, u.ID)
			}
		}
	})
	return all, err
}

// ready waits until this node has the radio as the others have it. The engine has started.
func (m *member) ready(ctx context.Context) error {
	close(m.up)
	select {
	case <-m.source.Ready():
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		epoch, _, _, err := m.r.engine.Snapshot(ctx)
		if err != nil || epoch > 0 {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// start begins to do what an owner does, once this node is one, and to follow the others.
func (m *member) start() {
	if err := m.listen(); err != nil {
		m.r.log.Error("the other nodes are not listened to", "error", err)
	}
	m.follow()
	m.node.Watch(m.r.hub.NodesChanged)
	m.r.hub.NodesChanged()
	m.record(m.node.Recorder() == m.node.Name())
	if name := m.node.Recorder(); name != "" && !m.node.Leases.Lives(name) {
		m.r.log.Warn("nothing is recorded until the node that Config.cluster.recorder names has joined", "recorder", name, "radio", m.r.name)
	}
	m.r.work.Go(m.run)
	m.r.work.Go(m.forwardAll)
	m.r.work.Go(m.watch)
}

// close ends it. The engine, which closes the source, ends later.
func (m *member) close() {
	if m == nil {
		return
	}
	for _, s := range m.subs {
		_ = s.Unsubscribe()
	}
	if m.voice != nil {
		m.voice.Close()
	}
}

// record says whether what is said on the radio is recorded here.
func (m *member) record(yes bool) {
	if m.r.recorder == nil {
		return
	}
	m.r.recorder.Record(yes)
	m.voice.SetAll(yes)
}

// leave gives the radio to another node, before this node's clients go there.
func (m *member) leave(ctx context.Context) {
	if m == nil {
		return
	}
	m.node.Leases.Leave()
	if m.source == nil || len(m.node.Nodes()) < 2 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, moveTime)
	defer cancel()
	if err := m.source.Give(ctx, ""); err != nil && !errors.Is(err, lease.ErrTaken) {
		m.r.log.Warn("the radio could not be given to another node: that takes it when this one is gone", "error", err)
	}
}

// owns is called by the source, and must not block.
func (m *member) owns(yes bool) {
	m.wanted.Store(yes)
	select {
	case m.turn <- struct{}{}:
	default:
	}
}

func (m *member) run() {
	for {
		switch {
		case m.wanted.Load() && !m.has.Load():
			if err := m.gain(); err != nil {
				m.r.log.Warn("this node owns the radio and could not take everything up yet", "radio", m.r.name, "error", err)
				select {
				case <-time.After(gainAgain):
					continue
				case <-m.r.quit:
					return
				}
			}
			continue
		case !m.wanted.Load() && m.has.Load():
			m.lose()
			continue
		}
		select {
		case <-m.turn:
		case <-m.r.quit:
			if m.has.Load() && len(m.node.Nodes()) > 1 {
				m.lose()
			}
			return
		}
	}
}

// gain takes up what the owner before has done.
func (m *member) gain() error {
	r := m.r
	ctx, cancel := context.WithTimeout(context.Background(), gainTime)
	defer cancel()
	owner := m.source.Epoch()
	if err := m.kept.Own(ctx); err != nil {
		return err
	}
	records, moments := m.source.Inherited()
	cold := m.source.Cold()
	if err := r.timeline.Own(ctx, moments, cold); err != nil {
		return err
	}
	m.has.Store(true)
	m.mu.Lock()
	close(m.gained)
	m.mu.Unlock()
	epoch, seq, whole, err := r.engine.Snapshot(ctx)
	if err != nil {
		return nil // the end
	}
	if err := r.keeper.Durable(ctx, &keeper.State{Data: whole.Data.Durable(), Owner: owner, Epoch: epoch, Seq: seq}, nil); err != nil {
		r.log.Warn("the radio as this node took it over is not stored yet", "error", err)
	}
	if err := r.keeper.Audit(r.audit).Inherit(ctx, records); err != nil {
		r.log.Error("records of the owner before may be missing in the audit log", "error", err)
	}
	if cold {
		if err := r.register(ctx); err != nil {
			r.log.Warn("players could not be registered again", "error", err)
		}
	}
	if reason := r.keeper.Reason(); reason != "" {
		r.tellStorage(reason)
	}
	if m.node.Recorder() == "" {
		m.record(true)
	}
	r.webhooks.Start()
	r.scripts.Start()
	return nil
}

// lose ends what only an owner does.
func (m *member) lose() {
	r := m.r
	m.has.Store(false)
	m.mu.Lock()
	m.gained = make(chan struct{})
	m.mu.Unlock()
	if m.node.Recorder() == "" {
		m.record(false)
	}
	r.scripts.Close()
	r.webhooks.Close()
	r.timeline.Disown()
}

var errNotOwner = errors.New("this node does not own the radio any more")

// keep stores what orders of this owner have changed.
func (m *member) keep(ctx context.Context, owner uint64, at cluster.Place, snap *core.Data, log []core.Record, moments []core.Moment) error {
	m.mu.Lock()
	gained := m.gained
	m.mu.Unlock()
	for {
		select {
		case <-gained:
			return m.r.keep(ctx, stateAfter(owner, at, snap), log, moments)
		case <-ctx.Done():
			return ctx.Err()
		case <-m.r.quit:
			return engine.ErrClosed
		case <-time.After(gainAgain):
			if !m.wanted.Load() {
				return errNotOwner
			}
		}
	}
}

func stateAfter(owner uint64, at cluster.Place, d *core.Data) *keeper.State {
	if d == nil {
		return nil
	}
	return &keeper.State{Data: *d, Owner: owner, Epoch: at.Epoch, Seq: at.Seq}
}

// claim reads what owners before have stored, and ends that.
func (m *member) claim(ctx context.Context, owner uint64) (at cluster.Place, start wire.Start, err error) {
	snap, err := m.kept.Claim(ctx, owner)
	if err != nil || snap.Data == nil {
		return at, start, err
	}
	if start.Data, err = m.r.restored(ctx, snap); err != nil {
		return at, start, err
	}
	if err := m.started(ctx); err != nil {
		return at, start, err
	}
	_, _, now, err := m.r.engine.Snapshot(ctx)
	if err != nil {
		return at, start, err
	}
	// Of live edits that are stored this replica may not have the order.
	if err := m.kept.Config.CatchUp(ctx); err != nil {
		return at, start, err
	}
	start.Config, err = m.r.editor.Stored(now.Config)
	return cluster.Place{Epoch: snap.Epoch, Seq: snap.Seq}, start, err
}

// mayTell says whether the state of this node's storage concerns the whole radio.
func (m *member) mayTell() bool { return m == nil || m.has.Load() }

// owner names the node that owns the radio; nil: there is one node.
func (m *member) owner() func() string {
	if m == nil {
		return nil
	}
	return func() string { return m.node.Leases.Owner(m.r.name).Node }
}

// refresh looks for a session at the leader of the streams; nil: there is one node.
func (m *member) refresh() func(key string) bool {
	if m == nil {
		return nil
	}
	return func(key string) bool {
		if !m.asks.Allow() {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), refreshTime)
		defer cancel()
		found, err := m.kept.Sessions.Refresh(ctx, key)
		return err == nil && found
	}
}

// inUse says whether a login has somebody on the radio, at whatever node; nil: there is one
// node.
func (m *member) inUse() func(lineage string) bool {
	if m == nil {
		return nil
	}
	return func(lineage string) (used bool) {
		ctx, cancel := context.WithTimeout(context.Background(), refreshTime)
		defer cancel()
		if err := m.view(ctx, func(v core.View) { used = len(door.Users(v, lineage)) > 0 }); err != nil {
			return true // it is not known
		}
		return used
	}
}

// isDeaf is called by the source, and must not block.
func (m *member) isDeaf(yes bool) {
	if yes {
		m.deaf.CompareAndSwap(0, time.Now().UnixMilli())
	} else {
		m.deaf.Store(0)
	}
	select {
	case m.heard <- struct{}{}:
	default:
	}
}

// watch keeps voice from crossing to and from a node that is cut off, and sends its clients
// elsewhere.
func (m *member) watch() {
	silent, moved := false, false
	for since := int64(0); ; {
		var again <-chan time.Time
		if since != 0 {
			again = time.After(lookEvery)
		}
		select {
		case <-m.heard:
		case <-again:
		case <-m.r.quit:
			return
		}
		since = m.deaf.Load()
		isolated := since != 0 && !m.node.Majority()
		if isolated != silent {
			silent = isolated
			m.r.sfu.Isolate(silent) // others may have given the floor away
		}
		switch gone := since != 0 && time.Since(time.UnixMilli(since)) > moveAfter; {
		case gone && !moved:
			moved = true
			m.r.log.Warn("no node decides about the radio: clients are sent to other nodes", "radio", m.r.name)
			ctx, cancel := context.WithTimeout(context.Background(), moveTime)
			_ = m.r.hub.Move(ctx) // those that have not gone are cut off
			cancel()
		case since == 0 && moved:
			moved = false
			m.r.hub.Stay()
		}
	}
}
