package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// cluster is the Source of a clustered service. The test is the owner of the radio:
// it gets the proposals and sends the orders.
type cluster struct {
	orders chan Ordered

	mu       sync.Mutex
	proposed []Ordered // with Origin 1, which is ours
	stored   []uint64  // seqs that Durable was called with
	snaps    []*core.Data
	hold     chan struct{} // Durable waits until it is closed; nil: it does not
}

const ours = 1

func (c *cluster) Propose(_ context.Context, id uint64, by core.Actor, cmd core.Command) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proposed = append(c.proposed, Ordered{Origin: ours, ID: id, Order: wire.Order{By: by, Command: cmd}})
	return nil
}
func (c *cluster) Orders() <-chan Ordered { return c.orders }
func (c *cluster) Wake(time.Time)         {}
func (c *cluster) Close()                 {}
func (c *cluster) Durable(_ context.Context, _, seq uint64, snap *core.Data, _ []core.Record, _ []core.Moment) error {
	if c.hold != nil {
		<-c.hold
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if snap == nil { // who came and went
		return nil
	}
	c.stored, c.snaps = append(c.stored, seq), append(c.snaps, snap)
	return nil
}

// replica is an engine of a cluster.
type replica struct {
	*Engine
	*cluster
	t     *testing.T
	steps []string // what its follower was given
	mu    sync.Mutex
}

func newReplica(t *testing.T) *replica {
	r := &replica{cluster: &cluster{orders: make(chan Ordered)}, t: t}
	watch := &Queue[string]{Name: "watch", Most: 100, Replies: true,
		Prepare: func(s *Step) (string, bool) {
			switch {
			case s.Snapshot != nil:
				return "anew", true
			case s.Refusal != nil:
				return "refused", true
			}
			return s.Order.By.Name, true
		},
		Deliver: func(_ context.Context, batch []string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.steps = append(r.steps, batch...)
			return nil
		}}
	r.Engine = Start(radio(t), r.cluster, Options{Origin: ours, Followers: []Follower{watch}, Logf: t.Logf})
	t.Cleanup(r.Engine.Close)
	return r
}

// order gives an order a place in the log, and waits until it has been taken.
func (r *replica) order(epoch, seq uint64, o Ordered) {
	r.t.Helper()
	o.Epoch, o.Seq = epoch, seq
	o.Order.At = 1_700_000_000_000 + int64(seq)
	r.orders <- o
	if err := r.View(r.t.Context(), func(core.View) {}); err != nil {
		r.t.Fatal(err)
	}
}

// ask proposes a command of ours.
func (r *replica) ask(ctx context.Context, name string, cmd core.Command) (o Ordered, answer chan error) {
	r.t.Helper()
	return r.askBound(ctx, name, cmd, nil)
}

// askBound is ask with a look at the outcome.
func (r *replica) askBound(ctx context.Context, name string, cmd core.Command, look func(core.Output)) (o Ordered, answer chan error) {
	r.t.Helper()
	r.cluster.mu.Lock()
	before := len(r.proposed)
	r.cluster.mu.Unlock()
	answer = make(chan error, 1)
	go func() {
		_, err := r.Bind(ctx, core.Actor{Name: name}, cmd, look)
		answer <- err
	}()
	until(r.t, name+" is proposed", func() bool {
		r.cluster.mu.Lock()
		defer r.cluster.mu.Unlock()
		if len(r.proposed) == before {
			return false
		}
		o = r.proposed[before]
		return true
	})
	return o, answer
}

func (r *replica) waits(answer chan error) {
	r.t.Helper()
	select {
	case err := <-answer:
		r.t.Fatalf("answered with %v before its order came", err)
	default:
	}
}

func (r *replica) saw(want ...string) {
	r.t.Helper()
	var got []string
	until(r.t, "the follower has all", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		got = slices.Clone(r.steps)
		return len(got) >= len(want)
	})
	if !slices.Equal(got, want) {
		r.t.Errorf("the follower saw %v, want %v", got, want)
	}
}

func others(origin uint64, name string, cmd core.Command) Ordered {
	return Ordered{Origin: origin, ID: 1, Order: wire.Order{By: core.Actor{Name: name}, Command: cmd}}
}

// TestOrdersOfOthers: everybody's orders are applied as they come; a caller is
// answered by its own order, not by another process's order with the same number.
func TestOrdersOfOthers(t *testing.T) {
	r := newReplica(t)
	mine, answer := r.ask(t.Context(), "ours", core.Connect{Want: 7})
	r.order(1, 1, others(2, "theirs", core.Connect{Want: 8}))
	r.waits(answer)
	r.order(1, 2, Ordered{}) // a tick
	r.waits(answer)
	r.order(1, 3, mine)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{7, 8}) {
		t.Errorf("on the radio are %v", ids)
	}
	var now int64
	if err := r.View(t.Context(), func(v core.View) { now = v.Snapshot().Now }); err != nil || now != 1_700_000_000_003 {
		t.Errorf("%v: it is %d, not the order's moment", err, now)
	}
	r.saw("theirs", "", "ours")
}

// TestAnOrderThatComesTwice: a place in the log is applied once; a proposal that was
// ordered twice is answered once.
func TestAnOrderThatComesTwice(t *testing.T) {
	r := newReplica(t)
	patch := core.CreatePatch{Frequencies: []core.Frequency{north, tac}}
	mine, answer := r.ask(t.Context(), "ours", patch)
	r.order(1, 1, mine)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	r.order(1, 1, mine)
	patches := func() (n int) {
		if err := r.View(t.Context(), func(v core.View) { n = v.Snapshot().LastPatch }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := patches(); n != 1 {
		t.Errorf("%d patches of one order", n)
	}
	r.order(1, 2, mine) // at a place of its own, so every replica applies it again
	r.order(1, 3, others(2, "theirs", core.Connect{Want: 8}))
	r.saw("ours", "refused", "theirs")
}

// TestAnEpochThatHasPassed: orders of a former owner are ignored.
func TestAnEpochThatHasPassed(t *testing.T) {
	r := newReplica(t)
	r.order(1, 1, others(2, "old", core.Connect{Want: 8}))
	r.order(2, 2, others(3, "new", core.Connect{Want: 9}))
	r.order(1, 2, others(2, "deposed", core.Connect{Want: 10}))
	r.order(1, 3, others(2, "deposed", core.Connect{Want: 10}))
	r.order(2, 3, others(3, "new", core.Connect{Want: 11}))
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{8, 9, 11}) {
		t.Errorf("on the radio are %v", ids)
	}
	r.saw("old", "new", "new")
}

// TestAHoleIsFound: nobody knows what missing orders did, so the replica waits for a
// snapshot; also when a new owner knows less than this replica.
func TestAHoleIsFound(t *testing.T) {
	for name, hole := range map[string]Ordered{"missing": {Epoch: 1, Seq: 3}, "a new owner behind": {Epoch: 2, Seq: 1}} {
		t.Run(name, func(t *testing.T) {
			r := newReplica(t)
			r.order(1, 1, others(2, "first", core.Connect{Want: 8}))
			mine, answer := r.ask(t.Context(), "ours", core.Connect{Want: 7})
			hole.Order = others(2, "third", core.Connect{Want: 9}).Order
			r.order(hole.Epoch, hole.Seq, hole)
			r.order(hole.Epoch, hole.Seq+1, mine)
			r.waits(answer)
			if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{8}) {
				t.Fatalf("on the radio are %v", ids)
			}
			r.order(2, 40, whole(t, 33))
			if err := <-answer; !errors.Is(err, ErrResync) {
				t.Errorf("who waited is told %v", err)
			}
			r.order(2, 41, others(2, "on", core.Connect{Want: 34}))
			if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{33, 34}) {
				t.Errorf("on the radio are %v", ids)
			}
			r.saw("first", "anew", "on")
			until(t, "the radio is stored", func() bool {
				r.cluster.mu.Lock()
				defer r.cluster.mu.Unlock()
				var with []uint64 // the other orders have only moments; 41 may be stored together with 40
				for i, seq := range r.stored {
					if r.snaps[i] != nil {
						with = append(with, seq)
					}
				}
				return len(with) == 1 && (with[0] == 40 || with[0] == 41)
			})
		})
	}
}

// whole is a radio with one user, as a snapshot.
func whole(t *testing.T, user core.UserID) Ordered {
	t.Helper()
	truth := radio(t)
	if _, err := truth.Step(time.UnixMilli(1_700_000_000_000), core.Actor{}, core.Connect{Want: user}); err != nil {
		t.Fatal(err)
	}
	return Ordered{Snapshot: &wire.Start{Config: *truth.View().Config(), Data: truth.Snapshot()}}
}

// TestALateSnapshot of the same epoch does not rewind the radio; a newer one, and
// one of a new owner, replaces it.
func TestALateSnapshot(t *testing.T) {
	r := newReplica(t)
	r.order(1, 1, others(2, "first", core.Connect{Want: 8}))
	r.order(1, 2, others(2, "second", core.Connect{Want: 9}))
	for _, late := range []uint64{1, 2} {
		r.order(1, late, whole(t, 33))
	}
	r.order(1, 3, others(2, "third", core.Connect{Want: 10}))
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{8, 9, 10}) {
		t.Errorf("on the radio are %v", ids)
	}
	r.order(1, 4, whole(t, 33))
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{33}) {
		t.Errorf("after a newer snapshot %v are on the radio", ids)
	}
	r.order(2, 2, whole(t, 34))
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{34}) {
		t.Errorf("after a new owner's snapshot %v are on the radio", ids)
	}
	r.saw("first", "second", "third", "anew", "anew")
}

// TestAChangeBeforeASnapshotOfAnotherEpoch: while an owner that is cut off stores a change, it
// makes another one; then it learns that another owner decides. That the radio as it is there
// is stored does not mean that the second change is.
func TestAChangeBeforeASnapshotOfAnotherEpoch(t *testing.T) {
	r := newReplica(t)
	r.hold = make(chan struct{})
	change := func(seq uint64, name string, c core.Command) chan error {
		mine, answer := r.ask(t.Context(), name, c)
		mine.Order.By.Surface = core.ByLua
		r.order(1, seq, mine)
		return answer
	}
	first := change(1, "first", core.CreatePatch{Frequencies: []core.Frequency{north, tac}})
	second := change(2, "second", core.RemovePatch{ID: "p-1"})
	r.order(2, 40, whole(t, 33))
	r.waits(second)
	close(r.hold)
	if err := <-first; err != nil && !errors.Is(err, ErrResync) { // it may have been in the same batch
		t.Error(err)
	}
	if err := <-second; !errors.Is(err, ErrResync) {
		t.Errorf("the second change is answered with %v", err)
	}
}

// TestWhoIsConnectedAfterAResync: a caller that got ErrResync is not bound to the
// user whom its order connects later. That user leaves again, even if the radio was
// replaced twice meanwhile.
func TestWhoIsConnectedAfterAResync(t *testing.T) {
	r := newReplica(t)
	r.order(1, 1, Ordered{})
	mine, answer := r.askBound(t.Context(), "ours", core.Connect{Want: 7}, func(core.Output) { t.Error("it was bound") })
	r.order(1, 5, whole(t, 33))
	if err := <-answer; !errors.Is(err, ErrResync) {
		t.Fatalf("who waited is told %v", err)
	}
	r.order(1, 9, whole(t, 33))
	r.order(1, 10, mine)
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{7, 33}) {
		t.Fatalf("on the radio are %v", ids)
	}
	var goodbye Ordered
	until(t, "the ghost is to leave", func() bool {
		r.cluster.mu.Lock()
		defer r.cluster.mu.Unlock()
		if len(r.proposed) < 2 {
			return false
		}
		goodbye = r.proposed[1]
		return true
	})
	r.order(1, 11, goodbye)
	if ids := onTheRadio(t, r.Engine); !slices.Equal(ids, []core.UserID{33}) {
		t.Errorf("on the radio are %v", ids)
	}
}

// TestManyAtAResync: the callers remembered after it are bounded, and the oldest are
// dropped.
func TestManyAtAResync(t *testing.T) {
	r := newReplica(t)
	var all sync.WaitGroup
	for range maxAbandoned + 10 {
		all.Go(func() {
			if _, err := r.Bind(t.Context(), core.Actor{}, core.Connect{}, func(core.Output) {}); !errors.Is(err, ErrResync) {
				t.Error(err)
			}
		})
	}
	until(t, "all are proposed", func() bool {
		r.cluster.mu.Lock()
		defer r.cluster.mu.Unlock()
		return len(r.proposed) == maxAbandoned+10
	})
	r.order(1, 5, whole(t, 33))
	all.Wait()
	r.Engine.mu.Lock()
	defer r.Engine.mu.Unlock()
	if _, old := r.waiting[10]; len(r.waiting) != maxAbandoned || old {
		t.Errorf("%d are remembered, the oldest among them: %t", len(r.waiting), old)
	}
}

// TestALostProposal: the caller's own context ends the wait, and nothing has
// happened.
func TestALostProposal(t *testing.T) {
	r := newReplica(t)
	ctx, giveUp := context.WithCancel(t.Context())
	_, answer := r.ask(ctx, "lost", core.Connect{Want: 7})
	r.order(1, 1, others(2, "theirs", core.Connect{Want: 8}))
	r.waits(answer)
	giveUp()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up is told %v", err)
	}
	if len(r.waiting) != 0 {
		t.Error("somebody is waited for who has gone")
	}
}
