package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/mesh"
	"squelch/server/cluster/trial"
)

// onNATS starts nodes that meet at a NATS server of somebody else's.
func onNATS(t *testing.T, count int) (nodes []*trial.Node) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	for i := range count {
		n, err := trial.Start(t.Context(), trial.NodeOptions{Name: fmt.Sprint("n", i), NATS: &mesh.NATS{URLs: []string{s.ClientURL()}}, Logf: quiet(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		nodes = append(nodes, n)
	}
	return nodes
}

// TestAnExistingNATS: two nodes meet at a NATS server of somebody else's. The owner dies without
// a word, and users of the other one key again.
func TestAnExistingNATS(t *testing.T) {
	nodes := onNATS(t, 2)
	radios := onAll(t, nodes, trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(2)}})
	join(t, radios[0], 0, 1)
	join(t, radios[1], 0, 2)
	until(t, "all is well", func() bool { return len(status(t, nodes[0]).Problems) == 0 })
	for _, n := range status(t, nodes[0]).Nodes {
		if n.Routes != nil {
			t.Error("an existing NATS knows of its routes")
		}
	}
	owner := 0
	if nodes[1].Leases.Owner("county").Node == "n1" {
		owner = 1
	}
	other, user := 1-owner, core.UserID(2-owner)
	nodes[owner].Mesh.Log.Close()
	nodes[owner].Mesh.Voice.Close()
	began := time.Now()
	until(t, "the other keys", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := radios[other].Do(ctx, core.Actor{User: user, Surface: core.BySocket}, core.KeyUp{User: user})
		return err == nil
	})
	t.Logf("the other keys %d ms after the owner has died", time.Since(began).Milliseconds())
	if is := nodes[other].Leases.Owner("county").Node; is != nodes[other].Name() {
		t.Errorf("%s decides", is)
	}
}

// TestWhatWasAcknowledgedIsThere, even if the only node that is left has heard nothing of it.
// What no other node has is not acknowledged.
func TestWhatWasAcknowledgedIsThere(t *testing.T) {
	nodes := onNATS(t, 3)
	var hears [3]atomic.Bool
	radios := make([]*trial.Radio, 3)
	for i, n := range nodes {
		hears[i].Store(true)
		o := county()
		o.Lose = func() bool { return !hears[i].Load() }
		var err error
		if radios[i], err = n.Radio(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(radios[i].Close)
	}
	owner := owner(t, radios)
	witness, deaf := (owner+1)%3, (owner+2)%3
	patch := core.CreatePatch{Frequencies: []core.Frequency{trial.Frequency(1), trial.Frequency(2)}}
	system := func(i int, c core.Command) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err := radios[i].Do(ctx, core.Actor{Surface: core.BySystem}, c)
		return err
	}
	same(t, radios...)

	hears[deaf].Store(false)
	if err := system(owner, patch); err != nil {
		t.Fatal("one more node has it:", err)
	}
	hears[witness].Store(false)
	if err := system(owner, core.RemovePatch{ID: "p-1"}); !errors.Is(err, cluster.ErrUnknown) {
		t.Errorf("no other node has it: %v", err)
	}

	for _, gone := range []int{owner, witness} {
		nodes[gone].Mesh.Log.Close()
		nodes[gone].Mesh.Voice.Close()
	}
	hears[deaf].Store(true)
	until(t, "the node that is left decides", func() bool { return radios[deaf].Owns() })
	if err := system(deaf, patch); err != nil {
		t.Fatal(err)
	}
	if err := radios[deaf].Engine.View(t.Context(), func(v core.View) {
		if got := v.Snapshot().LastPatch; got != 2 {
			t.Errorf("the newest patch is number %d, want 2: the one that was acknowledged is forgotten", got)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
