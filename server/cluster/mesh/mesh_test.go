package mesh

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/internal/loopback"
)

const patience = time.Minute

// three starts a cluster of three nodes.
func three(t *testing.T) (nodes []*Mesh, routes []string) {
	t.Helper()
	routes, err := loopback.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	type opened struct {
		m   *Mesh
		err error
	}
	all := make([]chan opened, 3)
	for i := range all {
		all[i] = make(chan opened, 1)
		o := Options{Name: "county", Node: fmt.Sprint("node-", i), Secret: "s3cret of the county", Listen: routes[i], Routes: routes, Folder: t.TempDir(), Logf: t.Logf}
		go func() {
			m, err := Open(t.Context(), o)
			all[i] <- opened{m, err}
		}()
	}
	for _, c := range all {
		o := <-c
		if o.err != nil {
			t.Fatal(o.err)
		}
		t.Cleanup(o.m.Close)
		nodes = append(nodes, o.m)
	}
	return nodes, routes
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

// TestThreeNodesAreOne: what one node stores outlives it, and voice goes from node to node.
func TestThreeNodesAreOne(t *testing.T) {
	nodes, routes := three(t)
	var err error
	until(t, "a stream on all three", func() bool {
		_, err = nodes[0].Stream.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: 3})
		return err == nil
	})
	got := make(chan string, 1000)
	if _, err := nodes[2].Voice.Subscribe("v.>", func(m *nats.Msg) { got <- string(m.Data) }); err != nil {
		t.Fatal(err)
	}
	until(t, "voice crosses", func() bool {
		_ = nodes[1].Voice.Publish("v.1", []byte("frame"))
		select {
		case f := <-got:
			return f == "frame"
		case <-time.After(20 * time.Millisecond):
			return false
		}
	})
	leaked := make(chan struct{}, 1)
	if _, err := nodes[2].Log.Subscribe("v.>", func(*nats.Msg) { leaked <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	if ack, err := nodes[1].Stream.Publish(t.Context(), "s", []byte("1")); err != nil || ack.Sequence != 1 {
		t.Fatal(ack, err)
	}

	free, err := loopback.Ports(1)
	if err != nil {
		t.Fatal(err)
	}
	wrong := Options{Name: "county", Node: "stranger", Secret: "guessed", Listen: free[0], Routes: routes, Folder: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if m, err := Open(ctx, wrong); err == nil {
		m.Close()
		t.Error("a node with another secret has joined")
	}
	if n := nodes[0].Peers(); n != 2 {
		t.Errorf("%d peers", n)
	}
	nodes[0].Close()
	until(t, "the other two go on", func() bool {
		_, err := nodes[1].Stream.Publish(t.Context(), "s", []byte("2"))
		return err == nil
	})
	s, err := nodes[2].Stream.Stream(t.Context(), "S")
	if err != nil {
		t.Fatal(err)
	}
	until(t, "what the node that died had stored is still there", func() bool {
		m, err := s.GetMsg(t.Context(), 1)
		return err == nil && string(m.Data) == "1"
	})
	select {
	case <-leaked:
		t.Error("voice came over the connection of the log")
	default:
	}
}

// TestRaftIsTuned: the variables that are set are those of NATS, so a leader that dies is
// replaced in less than the shortest time that NATS's own timers allow (4 s).
func TestRaftIsTuned(t *testing.T) {
	nodes, _ := three(t)
	if hbInterval != heartbeat || minElectionTimeout != electionMin || maxElectionTimeout != electionMax {
		t.Fatal("the timers of Raft are not ours")
	}
	leads := func(i int) bool { return nodes[i].server.Running() && nodes[i].server.JetStreamIsLeader() }
	leader := -1
	until(t, "there is a leader", func() bool {
		for i := range nodes {
			if leads(i) {
				leader = i
			}
		}
		return leader >= 0
	})
	nodes[leader].Close()
	began := time.Now()
	until(t, "another leads", func() bool { return leads((leader+1)%3) || leads((leader+2)%3) })
	t.Log("another leads after", time.Since(began))
}
