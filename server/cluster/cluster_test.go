package cluster_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/trial"
	"squelch/server/internal/loopback"
)

const patience = time.Minute

// threeNodes starts three nodes in this process.
func threeNodes(t *testing.T, slow int) []*trial.Node {
	t.Helper()
	routes, err := loopback.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := trial.Three(t.Context(), routes, []string{t.TempDir(), t.TempDir(), t.TempDir()}, quiet(t), func(o *trial.NodeOptions) { o.Slow = slow })
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		t.Cleanup(n.Close)
	}
	return nodes
}

// quiet logs until the test ends.
func quiet(t *testing.T) func(string, ...any) {
	var mu sync.Mutex
	over := false
	t.Cleanup(func() { mu.Lock(); defer mu.Unlock(); over = true })
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if !over && testing.Verbose() {
			t.Logf(format, args...)
		}
	}
}

func onAll(t *testing.T, nodes []*trial.Node, o trial.RadioOptions) []*trial.Radio {
	t.Helper()
	radios := make([]*trial.Radio, len(nodes))
	var wait sync.WaitGroup
	for i, n := range nodes {
		wait.Go(func() {
			var err error
			if radios[i], err = n.Radio(t.Context(), o); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, r := range radios {
		t.Cleanup(r.Close)
	}
	return radios
}

func do(t *testing.T, r *trial.Radio, by core.UserID, c core.Command) error {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := r.Do(ctx, core.Actor{User: by, Surface: core.BySocket}, c)
	return err
}

// join puts users on the air, one after the other.
func join(t *testing.T, r *trial.Radio, channel int, users ...core.UserID) {
	t.Helper()
	for _, u := range users {
		for _, c := range []core.Command{core.Connect{Want: u, Owner: u.String()}, core.JoinAsSpeaker{User: u, Frequency: trial.Frequency(channel)}} {
			if err := do(t, r, u, c); err != nil {
				t.Fatal(u, err)
			}
		}
	}
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

func same(t *testing.T, radios ...*trial.Radio) {
	t.Helper()
	until(t, "all replicas are the same", func() bool {
		at, hash, err := radios[0].Hash(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range radios[1:] {
			if a, h, err := r.Hash(t.Context()); err != nil || a != at || h != hash {
				return false
			}
		}
		return true
	})
}

// owner is the node that decides.
func owner(t *testing.T, radios []*trial.Radio) (owner int) {
	t.Helper()
	until(t, "one node decides", func() bool {
		all := 0
		for i, r := range radios {
			if r.Owns() {
				owner = i
				all++
			}
		}
		return all == 1
	})
	return owner
}

func county() trial.RadioOptions {
	return trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(20)}, Kept: true}
}

// TestARadioOnThreeNodes: users on each node talk; all replicas are the same. The owner dies,
// and the others go on.
func TestARadioOnThreeNodes(t *testing.T) {
	nodes := threeNodes(t, 1)
	radios := onAll(t, nodes, county())
	for i, r := range radios {
		for k := range 5 {
			join(t, r, k, core.UserID(1+i*5+k))
		}
	}
	same(t, radios...)
	began := time.Now()
	for range 100 {
		for i, r := range radios {
			u := core.UserID(1 + i*5 + i)
			for _, c := range []core.Command{core.KeyUp{User: u}, core.KeyDown{User: u}} {
				if err := do(t, r, u, c); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Log("600 commands in", time.Since(began))
	same(t, radios...)
	dead := owner(t, radios)
	rest := append(append([]*trial.Radio{}, radios[:dead]...), radios[dead+1:]...)
	died := time.Now()
	nodes[dead].Mesh.Close()
	n := rest[0]
	u := core.UserID(1)
	if dead == 0 {
		u = 6
	}
	until(t, "the others key", func() bool {
		err := do(t, n, u, core.KeyUp{User: u})
		var refused *core.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Log("others key again after", time.Since(died))
	until(t, "those on the dead node count as lost", func() bool {
		linked := 0
		if err := n.Engine.View(t.Context(), func(v core.View) {
			for _, u := range v.Snapshot().Users {
				if u.Linked && u.LostAt == 0 {
					linked++
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		return linked == 10
	})
	same(t, rest...)
}
