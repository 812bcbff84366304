package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/mesh"
	"squelch/server/cluster/trial"
)

// TestAnExistingNATS: two nodes meet at a NATS server of somebody else's. The owner dies without
// a word, and users of the other one key again.
func TestAnExistingNATS(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	var nodes []*trial.Node
	for i := range 2 {
		n, err := trial.Start(t.Context(), trial.NodeOptions{Name: fmt.Sprint("n", i), NATS: &mesh.NATS{URLs: []string{s.ClientURL()}}, Logf: quiet(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		nodes = append(nodes, n)
	}
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
