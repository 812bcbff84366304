package cluster_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/trial"
)

func status(t *testing.T, n *trial.Node) wire.Cluster {
	t.Helper()
	c, err := n.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStatusShowsOwnersHashesAndWhoIsMissing(t *testing.T) {
	nodes := threeNodes(t, 1)
	radios := onAll(t, nodes, trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(2)}})
	until(t, "all is well", func() bool { c := status(t, nodes[1]); return len(c.Problems) == 0 && len(c.Nodes) == 3 })
	join(t, radios[0], 0, 1)
	for range 120 { // more than are between two hashes
		if err := do(t, radios[0], 1, core.KeyUp{User: 1}); err != nil {
			t.Fatal(err)
		}
		if err := do(t, radios[0], 1, core.KeyDown{User: 1}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all nodes have compared their hashes and are as far as the owner", func() bool {
		for _, n := range status(t, nodes[0]).Nodes {
			if r := n.Radios[0]; r.Hash == "" || r.Differs || r.Lag != 0 || r.Seq < 200 || r.Owner == "" {
				return false
			}
		}
		return true
	})
	c := status(t, nodes[2])
	if c.Node != "n2" || len(c.Radios) != 1 || c.Radios[0].Radio != "county" || c.Radios[0].Seq < 200 || c.Radios[0].Epoch == 0 {
		t.Errorf("%+v", c)
	}
	for _, n := range c.Nodes {
		if n.Routes == nil || *n.Routes != 2 || !n.Quorum || !n.Answers || n.Radios[0].Hash != c.Nodes[0].Radios[0].Hash {
			t.Errorf("%+v", n)
		}
	}
	radios[1].Close()
	nodes[1].Close()
	until(t, "node n1 is missed", func() bool {
		return slices.Contains(status(t, nodes[0]).Problems, "node n1 is missing")
	})
}

func TestAMoveMakesThatNodeTheOwner(t *testing.T) {
	nodes := threeNodes(t, 1)
	radios := onAll(t, nodes, trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(2)}})
	join(t, radios[0], 0, 1)
	for i, n := range nodes { // asked at each node, it goes to each of them
		to := nodes[(i+1)%3].Name()
		moved, err := n.Move(t.Context(), "county", to)
		if err != nil {
			t.Fatal(err)
		}
		if moved.Owner != to || moved.Epoch == 0 || !moved.Success || n.Leases.Owner("county").Node != to {
			t.Errorf("%+v", moved)
		}
		t.Logf("from %s to %s in %d ms", moved.From, moved.Owner, moved.TookMs)
		if err := do(t, radios[i], 1, core.KeyUp{User: 1}); err != nil {
			t.Fatal(err)
		}
		if err := do(t, radios[i], 1, core.KeyDown{User: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMoveThatCannotBeIsRefused(t *testing.T) {
	nodes := threeNodes(t, 1)
	onAll(t, nodes, trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(2)}})
	for _, x := range []struct{ radio, node, want string }{
		{"couny", "n1", `Radio "couny" not found; did you mean county?`},
		{"county", "n9", `Node "n9" not found`},
		{"county", "node-without-likeness", `Node "node-without-likeness" not found`},
	} {
		if _, err := nodes[0].Move(t.Context(), x.radio, x.node); err == nil || !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%s to %s: %v, want %q", x.radio, x.node, err, x.want)
		}
	}
	owner := nodes[0].Leases.Owner("county").Node
	leaving := slices.IndexFunc(nodes, func(n *trial.Node) bool { return n.Name() != owner })
	nodes[leaving].Leases.Leave()
	asked := nodes[slices.IndexFunc(nodes, func(n *trial.Node) bool { return n.Name() == owner })]
	until(t, "the others know that it leaves", func() bool {
		_, err := asked.Move(t.Context(), "county", nodes[leaving].Name())
		return err != nil && strings.Contains(err.Error(), "is about to stop")
	})
}

func TestManyQuestionsHowItIsDoNotGrow(t *testing.T) {
	nodes := threeNodes(t, 1)
	onAll(t, nodes, trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(2)}})
	for range 5000 {
		if err := nodes[0].Mesh.Log.PublishRequest("squelch.status", "nobody", nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	until(t, "it answers again", func() bool {
		c, err := nodes[1].Status(ctx)
		return err == nil && len(cluster.Problems(c)) == 0
	})
}
