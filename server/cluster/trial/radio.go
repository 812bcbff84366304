package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/keep"
	"squelch/server/engine"
	"squelch/server/store"
)

// RadioOptions of Node.Radio.
type RadioOptions struct {
	Name  string
	Start wire.Start // what it is if this node is the first to own it
	// Wall is the clock by which orders are dated; nil: the machine's.
	Wall func() time.Time
	// Kept says that what must survive is stored.
	Kept bool
	// Step sees everything that happens, on the engine's goroutine; nil: nobody does.
	Step func(s *engine.Step)
	// Lose says of every message from the owner whether it gets lost, Twist changes an order
	// at this replica only; nil: neither.
	Lose  func() bool
	Twist func(o engine.Ordered) engine.Ordered
}

// Radio is a node's replica of a radio.
type Radio struct {
	Source *cluster.Source
	Engine *engine.Engine

	node    *Node
	kept    *keep.Radio
	started chan struct{} // closed when Engine is there: the source asks for it earlier

	mu    sync.Mutex
	users map[core.UserID]bool // with a live link here
	owns  bool
	deaf  bool
	owned uint64 // the epoch for which kept is prepared
}

// snapshotFormat is that of what a trial keeps: core.Data as JSON.
const snapshotFormat = 1

// Radio starts this node's replica of a radio. It returns when the replica has it.
func (n *Node) Radio(ctx context.Context, o RadioOptions) (*Radio, error) {
	r := &Radio{node: n, users: map[core.UserID]bool{}, started: make(chan struct{})}
	var stored cluster.Place
	if o.Kept {
		var err error
		if r.kept, err = n.Keep.Radio(ctx, o.Name, 0); err != nil {
			return nil, err
		}
		s, found, err := r.kept.LatestSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		if found {
			if err := json.Unmarshal(s.Data, &o.Start.Data); err != nil {
				return nil, err
			}
			stored = cluster.Place{Epoch: s.Epoch, Seq: s.Seq}
		}
	}
	state, err := core.Restore(o.Start.Config, o.Start.Data)
	if err != nil {
		return nil, err
	}
	wall := o.Wall
	if wall == nil && n.o.Ahead != 0 {
		wall = func() time.Time { return time.Now().Add(n.o.Ahead) }
	}
	r.Source, err = n.NewSource(cluster.Options{Radio: o.Name, Wall: wall, Lose: o.Lose,
		Snapshot: func(ctx context.Context) (cluster.Place, wire.Start, error) {
			<-r.started
			epoch, seq, whole, err := r.Engine.Snapshot(ctx)
			return cluster.Place{Epoch: epoch, Seq: seq}, whole, err
		},
		Users: r.here, Linked: r.linked, Keep: r.keep, Claim: r.claim, Stored: stored,
		Owns: func(yes bool) { r.mu.Lock(); defer r.mu.Unlock(); r.owns = yes },
		Deaf: func(yes bool) { r.mu.Lock(); defer r.mu.Unlock(); r.deaf = yes }})
	if err != nil {
		return nil, err
	}
	followers := []engine.Follower{r.Source.Hashes()}
	if o.Step != nil {
		followers = append(followers, &engine.Queue[struct{}]{Name: "watch", Most: 1,
			Prepare: func(s *engine.Step) (struct{}, bool) { o.Step(s); return struct{}{}, false },
			Deliver: func(context.Context, []struct{}) error { return nil }})
	}
	var source engine.Source = r.Source
	if o.Twist != nil {
		source = twist(r.Source, o.Twist)
	}
	r.Engine = engine.Start(state, source, engine.Options{Origin: n.Origin(), Followers: followers, Logf: n.o.Logf})
	close(r.started)
	select {
	case <-r.Source.Ready():
	case <-ctx.Done():
		r.Close()
		return nil, ctx.Err()
	}
	for { // until the engine has it too
		epoch, _, _, err := r.Engine.Snapshot(ctx)
		if err != nil {
			r.Close()
			return nil, err
		}
		if epoch > 0 {
			return r, nil
		}
		time.Sleep(time.Millisecond)
	}
}

// Close ends the replica.
func (r *Radio) Close() { r.Engine.Close() }

// Do does what a user of this node wants.
func (r *Radio) Do(ctx context.Context, by core.Actor, c core.Command) (core.Output, error) {
	return r.Engine.Bind(ctx, by, c, func(out core.Output) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, e := range out.Events {
			switch f := e.Fact.(type) {
			case core.UserConnected:
				r.users[f.User] = true
			case core.UserLeft:
				delete(r.users, f.User)
			}
		}
		if u, is := c.(core.Unlink); is {
			delete(r.users, u.User)
		}
	})
}

func (r *Radio) here() (all []core.UserID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for u := range r.users {
		all = append(all, u)
	}
	return all
}

func (r *Radio) linked(ctx context.Context) (all []core.UserID, err error) {
	<-r.started
	err = r.Engine.View(ctx, func(v core.View) {
		for _, u := range v.Snapshot().Users {
			if u.Linked && u.LostAt == 0 {
				all = append(all, u.ID)
			}
		}
	})
	return all, err
}

// keep stores what the owner's orders have changed.
func (r *Radio) keep(ctx context.Context, owner uint64, at cluster.Place, snap *core.Data, log []core.Record, _ []core.Moment) error {
	if r.kept == nil {
		return nil
	}
	time.Sleep(r.node.o.StoreDelay)
	if r.owned != owner {
		if err := r.kept.Own(ctx); err != nil {
			return err
		}
		r.owned = owner
	}
	var records [][]byte
	for _, l := range log {
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		records = append(records, b)
	}
	for len(records) > 0 {
		_, last := r.kept.Audit.Bounds()
		err := r.kept.Audit.AppendAt(ctx, last+1, records...)
		if err == nil {
			break
		}
		if !errors.Is(err, keep.ErrFenced) {
			return err
		}
	}
	if snap == nil {
		return nil
	}
	data, err := json.Marshal(snap.Durable())
	if err != nil {
		return err
	}
	return r.kept.SaveSnapshot(ctx, store.Snapshot{Format: snapshotFormat, Data: data, Owner: owner, Epoch: at.Epoch, Seq: at.Seq})
}

// claim reads what owners before have stored, and ends that.
func (r *Radio) claim(ctx context.Context, owner uint64) (at cluster.Place, start wire.Start, err error) {
	if r.kept == nil {
		return at, start, nil
	}
	s, err := r.kept.Claim(ctx, owner)
	if err != nil || s.Data == nil {
		return at, start, err
	}
	<-r.started
	if _, _, start, err = r.Engine.Snapshot(ctx); err != nil {
		return at, start, err
	}
	start.Data = core.Data{}
	return cluster.Place{Epoch: s.Epoch, Seq: s.Seq}, start, json.Unmarshal(s.Data, &start.Data)
}

// Hash is the state after an order, as 64 hex digits of its hash and of its configuration's.
func (r *Radio) Hash(ctx context.Context) (at cluster.Place, hash string, err error) {
	epoch, seq, whole, err := r.Engine.Snapshot(ctx)
	if err != nil {
		return at, "", err
	}
	data, err := wire.Hash(whole.Data)
	if err != nil {
		return at, "", err
	}
	config, err := wire.HashConfig(whole.Config)
	if err != nil {
		return at, "", err
	}
	return cluster.Place{Epoch: epoch, Seq: seq}, fmt.Sprintf("%.32s%.32s", data, config), nil
}

// Owns says whether this node decides, Deaf whether it hears of nobody who does.
func (r *Radio) Owns() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.owns }

// Deaf says whether this node has heard of nobody who decides.
func (r *Radio) Deaf() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.deaf }
