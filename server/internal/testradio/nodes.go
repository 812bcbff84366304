package testradio

import (
	"fmt"
	"sync"
	"testing"

	"squelch/server/cluster"
	"squelch/server/cluster/mesh"
	"squelch/server/internal/loopback"
)

// Member is a radio on the air at one node of a cluster.
type Member struct {
	*Service
	Node *cluster.Node
	once sync.Once
	t    testing.TB
}

// Stop takes the node out of the cluster, as a signal does.
func (m *Member) Stop() {
	m.once.Do(func() {
		if err := m.Service.Stop(); err != nil {
			m.t.Errorf("node %s ended with: %v", m.Node.Name(), err)
		}
		m.Node.Close()
	})
}

// Kill ends a node as a power cut does, as far as the others can tell: nothing that it says
// reaches anybody any more. Its clients find that their connections end.
func (m *Member) Kill() {
	m.Node.Mesh.Close()
	m.Stop()
}

// Nodes puts one radio on the air at several nodes. options is called for each.
func Nodes(t testing.TB, n int, options func() Options) []*Member {
	t.Helper()
	routes, err := loopback.Ports(n)
	if err != nil {
		t.Fatal(err)
	}
	members := make([]*Member, n)
	var starts sync.WaitGroup
	for i := range members {
		folder, o := t.TempDir(), options()
		starts.Go(func() {
			node, err := cluster.Join(t.Context(), cluster.NodeOptions{Build: "test", Replicas: n, URL: fmt.Sprintf("http://node%d.test", i),
				Mesh: mesh.Options{Name: "test", Node: fmt.Sprint("n", i+1), Secret: "the secret of the test", Listen: routes[i], Routes: routes, Folder: folder},
				Logf: func(format string, v ...any) { fmt.Fprintf(t.Output(), format+"\n", v...) }})
			if err != nil {
				t.Error(err)
				return
			}
			o.Node = node
			s, err := Open(t, o)
			if err != nil {
				node.Close()
				t.Error(err)
				return
			}
			members[i] = &Member{Service: s, Node: node, t: t}
		})
	}
	starts.Wait()
	t.Cleanup(func() {
		for _, m := range members {
			if m != nil {
				m.Stop()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return members
}
