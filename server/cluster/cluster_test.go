package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/lease"
	"squelch/server/cluster/mesh"
	"squelch/server/engine"
)

const patience = time.Minute

// node is a node of a cluster in the process of the test.
type node struct {
	t      *testing.T
	name   string
	mesh   *mesh.Mesh
	leases *lease.Leases
	source *Source
	engine *engine.Engine

	mu    sync.Mutex
	users []core.UserID
	owns  bool
}

func freq(i int) core.Frequency { return core.Frequency(150_000_000 + i*12_500) }

func radio(t *testing.T) *core.State {
	c := core.DefaultConfig()
	z := core.Zone{Name: "All"}
	for i := range 20 {
		z.Channels = append(z.Channels, core.Channel{Name: "Ch " + strconv.Itoa(i), Type: core.Conventional, Frequency: freq(i)})
	}
	c.Zones = []core.Zone{z}
	s, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func freePorts(t *testing.T, n int) (all []string) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

func startThree(t *testing.T) []*node {
	routes := freePorts(t, 3)
	var nodes []*node
	var wait sync.WaitGroup
	for i := range 3 {
		n := &node{t: t, name: fmt.Sprint("n", i)}
		nodes = append(nodes, n)
		folder := t.TempDir()
		wait.Go(func() {
			var err error
			if n.mesh, err = mesh.Open(t.Context(), mesh.Options{Name: "c", Node: n.name, Secret: "s", Listen: routes[i], Routes: routes, Folder: folder}); err != nil {
				t.Error(err)
				return
			}
			if n.leases, err = lease.Open(t.Context(), lease.Options{Mesh: n.mesh, Self: lease.Node{Name: n.name}, Replicas: 3, Changed: func() {
				if n.source != nil {
					n.source.LeasesChanged()
				}
			}, Logf: func(string, ...any) {}}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for i, n := range nodes {
		var err error
		n.source, err = NewSource(Options{Radio: "county", Node: n.name, Build: "b", Origin: uint64(i + 1), Mesh: n.mesh, Leases: n.leases,
			Snapshot: func(ctx context.Context) (Place, wire.Start, error) {
				e, s, w, err := n.engine.Snapshot(ctx)
				return Place{e, s}, w, err
			},
			Users: func() []core.UserID { n.mu.Lock(); defer n.mu.Unlock(); return append([]core.UserID{}, n.users...) },
			Linked: func(ctx context.Context) (all []core.UserID, err error) {
				err = n.engine.View(ctx, func(v core.View) {
					for _, u := range v.Snapshot().Users {
						if u.Linked && u.LostAt == 0 {
							all = append(all, u.ID)
						}
					}
				})
				return all, err
			},
			Keep: func(context.Context, uint64, *core.Data, []core.Record, []core.Moment) error { return nil },
			Owns: func(yes bool) { n.mu.Lock(); defer n.mu.Unlock(); n.owns = yes }, Deaf: func(bool) {}, Now: time.Now, Logf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		n.engine = engine.Start(radio(t), n.source, engine.Options{Origin: uint64(i + 1), Followers: []engine.Follower{n.source.Hashes()}, Logf: t.Logf})
		t.Cleanup(n.stop)
	}
	for _, n := range nodes {
		<-n.source.Ready()
		until(t, n.name+" has the radio", func() bool {
			epoch, _, _, err := n.engine.Snapshot(t.Context())
			return err == nil && epoch > 0
		})
	}
	return nodes
}

func (n *node) stop() {
	n.mesh.Close()
	n.engine.Close()
	n.leases.Close()
}

func (n *node) do(by core.UserID, c core.Command) error {
	ctx, cancel := context.WithTimeout(n.t.Context(), 10*time.Second)
	defer cancel()
	_, err := n.engine.Do(ctx, core.Actor{User: by, Surface: core.BySocket}, c)
	return err
}

func (n *node) hash() string {
	h := ""
	_ = n.engine.View(n.t.Context(), func(v core.View) { h, _ = wire.Hash(v.Snapshot()) })
	return h
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

func same(t *testing.T, nodes []*node) {
	t.Helper()
	until(t, "all replicas are the same", func() bool {
		h := nodes[0].hash()
		for _, n := range nodes[1:] {
			if n.hash() != h {
				return false
			}
		}
		return true
	})
}

// TestARadioOnThreeNodes: users on each node talk; all replicas are the same. The owner dies,
// and the others go on.
func TestARadioOnThreeNodes(t *testing.T) {
	nodes := startThree(t)
	for i, n := range nodes {
		for k := range 5 {
			u := core.UserID(1 + i*5 + k)
			n.mu.Lock()
			n.users = append(n.users, u)
			n.mu.Unlock()
			for _, c := range []core.Command{core.Connect{Want: u, Owner: u.String()}, core.JoinAsSpeaker{User: u, Frequency: freq(k)}} {
				if err := n.do(u, c); err != nil {
					t.Fatal(n.name, u, err)
				}
			}
		}
	}
	same(t, nodes)
	began := time.Now()
	var times []time.Duration
	for range 100 {
		for i, n := range nodes {
			u := core.UserID(1 + i*5 + i)
			at := time.Now()
			if err := n.do(u, core.KeyUp{User: u}); err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(at))
			if err := n.do(u, core.KeyDown{User: u}); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Log("600 commands in", time.Since(began), "each of", times[:6])
	same(t, nodes)
	var rest []*node
	var dead *node
	for _, n := range nodes {
		n.mu.Lock()
		if n.owns {
			dead = n
		} else {
			rest = append(rest, n)
		}
		n.mu.Unlock()
	}
	if dead == nil || len(rest) != 2 {
		t.Fatal("there is no owner")
	}
	died := time.Now()
	dead.mesh.Close()
	n := rest[0]
	u := n.users[0]
	until(t, "the others key", func() bool {
		err := n.do(u, core.KeyUp{User: u})
		var refused *core.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Log("others key again after", time.Since(died))
	until(t, "those on the dead node count as lost", func() bool {
		linked, err := n.source.o.Linked(t.Context())
		return err == nil && len(linked) == 10
	})
	same(t, rest)
}
