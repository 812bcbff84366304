package engine

import (
	"context"
	"slices"
	"sync"
	"testing"

	"squelch/core"
)

// kinds notes the moments that are kept, in order.
type kinds struct {
	mu  sync.Mutex
	all []string
}

func (k *kinds) add(moments []core.Moment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range moments {
		k.all = append(k.all, m.Kind)
	}
}

func (k *kinds) seen() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.all)
}

// TestAKeyUpWaitsForNoDisk: while the disk takes its time, users come and key. Whoever
// makes a patch waits for its record and moment, which come with those before them, in
// order.
func TestAKeyUpWaitsForNoDisk(t *testing.T) {
	var k kinds
	hold := make(chan struct{})
	e := start(t, func(_ context.Context, _ *core.Data, _ []core.Record, moments []core.Moment) error {
		<-hold
		k.add(moments)
		return nil
	})
	for _, c := range []core.Command{core.Connect{Want: 12}, core.JoinAsSpeaker{User: 12, Frequency: north}, core.KeyUp{User: 12}, core.KeyDown{User: 12}} {
		if _, err := e.Do(t.Context(), core.Actor{User: 12}, c); err != nil {
			t.Fatal(err)
		}
	}
	answer := make(chan error, 1)
	go func() {
		_, err := e.Do(t.Context(), core.Actor{Surface: core.ByLua}, core.CreatePatch{Frequencies: []core.Frequency{north, tac}})
		answer <- err
	}()
	until(t, "the patch is made", func() (made bool) {
		_ = e.View(t.Context(), func(v core.View) { made = len(v.Patches()) == 1 })
		return made
	})
	select {
	case err := <-answer:
		t.Fatalf("the patch was answered before it was kept: %v", err)
	default:
	}
	if got := k.seen(); len(got) != 0 {
		t.Fatalf("kept before the disk answers: %v", got)
	}
	close(hold)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	want := []string{core.MomentConnected, core.MomentKeyed, core.MomentTransmission, core.MomentPatchOn}
	if got := k.seen(); !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
}

// TestNoMomentIsLost to a full queue of steps: they are joined, in order.
func TestNoMomentIsLost(t *testing.T) {
	var k kinds
	hold := make(chan struct{})
	e := start(t, func(_ context.Context, _ *core.Data, _ []core.Record, moments []core.Moment) error {
		<-hold
		k.add(moments)
		return nil
	})
	if _, err := e.Do(t.Context(), core.Actor{}, core.Connect{Want: 12}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Do(t.Context(), core.Actor{}, core.JoinAsSpeaker{User: 12, Frequency: north}); err != nil {
		t.Fatal(err)
	}
	const bursts = 3 * durableLength
	for range bursts {
		for _, c := range []core.Command{core.KeyUp{User: 12}, core.KeyDown{User: 12}} {
			if _, err := e.Do(t.Context(), core.Actor{User: 12}, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(hold)
	until(t, "all are kept", func() bool { return len(k.seen()) == 1+2*bursts })
	for i, kind := range k.seen()[1:] {
		if want := []string{core.MomentKeyed, core.MomentTransmission}[i%2]; kind != want {
			t.Fatalf("moment %d is %s, want %s", i, kind, want)
		}
	}
}

// TestWhatIsWaitedFor: of joined steps the newest that changed something durable counts, and
// not a key-up after it: whoever has stored the former tells of nothing more.
func TestWhatIsWaitedFor(t *testing.T) {
	state, log, moments := &core.Data{}, []core.Record{{}}, []core.Moment{{}}
	for _, c := range []struct {
		steps []kept
		want  uint64
	}{
		{[]kept{{seq: 1, snap: state}, {seq: 2, moments: moments}, {seq: 3, moments: moments}}, 1},
		{[]kept{{seq: 1, moments: moments}, {seq: 2, log: log}, {seq: 3, moments: moments}}, 2},
		{[]kept{{seq: 1, snap: state}, {seq: 2, moments: moments}, {seq: 3, log: log}}, 3},
		{[]kept{{seq: 1, moments: moments}, {seq: 2, moments: moments}}, 2},
	} {
		all := c.steps[0]
		for _, k := range c.steps[1:] {
			all = merge(all, k)
		}
		if all.seq != c.want {
			t.Errorf("%d is waited for, not %d", all.seq, c.want)
		}
	}
}
