package lease

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
	"squelch/server/internal/loopback"
)

// machine runs one of three nodes. Its folder outlives the node.
type machine struct {
	mesh.Options
	mesh   *mesh.Mesh
	keep   *keep.Keep
	leases *Leases
}

func machines(t *testing.T) (all []*machine) {
	t.Helper()
	routes, err := loopback.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	for i, listen := range routes {
		m := &machine{Options: mesh.Options{Name: "county", Node: fmt.Sprint("n", i), Secret: "s3cret of the county", Listen: listen, Routes: routes, Folder: t.TempDir(), Logf: t.Logf}}
		all = append(all, m)
		t.Cleanup(m.stop)
	}
	return all
}

// start starts nodes, and waits until they hold their leases.
func start(t *testing.T, all ...*machine) {
	t.Helper()
	failed := make(chan error, len(all))
	for _, m := range all {
		go func() {
			failed <- func() (err error) {
				if m.mesh, err = mesh.Open(t.Context(), m.Options); err != nil {
					return err
				}
				if m.keep, err = keep.Open(t.Context(), m.mesh.Log, m.mesh.Stream, 3, t.Logf); err != nil {
					return err
				}
				m.leases, err = Open(t.Context(), Options{Mesh: m.mesh, Self: Node{Name: m.Node, Build: "1.0.0"}, Replicas: 3, Slow: 2, Changed: func() {}, Logf: t.Logf})
				return err
			}()
		}()
	}
	for range all {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
}

func (m *machine) stop() {
	if m.leases != nil {
		m.leases.Close()
		m.leases = nil
	}
	if m.keep != nil {
		m.keep.Close()
		m.keep = nil
	}
	if m.mesh != nil {
		m.mesh.Close()
		m.mesh = nil
	}
}

// TestTwoOfThreeComeBackAfterAPowerCut: the leases were in memory only, and two nodes make them
// anew. Once the third is back, it has a copy too.
func TestTwoOfThreeComeBackAfterAPowerCut(t *testing.T) {
	all := machines(t)
	start(t, all...)
	for _, m := range all {
		m.stop()
	}
	start(t, all[:2]...)
	for _, m := range all[:2] {
		until(t, "both hold their leases", m.leases.Holds)
	}
	start(t, all[2])
	until(t, "the leases are on three nodes", func() bool {
		s, err := all[0].mesh.Stream.Stream(t.Context(), Stream)
		return err == nil && s.CachedInfo().Config.Replicas == 3
	})
	for _, m := range all {
		until(t, "all hold their leases", func() bool { return m.leases.Holds() && len(m.leases.Alive()) == 3 })
	}
}

// TestANodeThatHasJustStartedIsNoLoss: two of three nodes die, and one comes back without its copy
// of the leases. It and the one that was there all the time hold theirs again.
func TestANodeThatHasJustStartedIsNoLoss(t *testing.T) {
	all := machines(t)
	start(t, all...)
	all[0].stop()
	all[1].stop()
	until(t, "the third no longer leads anything", func() bool { // raft notices that it has no majority after 2 to 3 s
		l := all[2].leases
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.failing.IsZero() && time.Since(l.failing) > 4*time.Second
	})
	start(t, all[1])
	for _, m := range all[1:] {
		until(t, "both hold their leases", m.leases.Holds)
	}
}

// TestTheLeasesOutliveNATS: an existing NATS, a single server, is restarted. Its streams on disk
// come back, those in memory do not.
func TestTheLeasesOutliveNATS(t *testing.T) {
	options := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()}
	begin := func() *server.Server {
		s, err := server.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(patience) {
			t.Fatal("NATS does not start")
		}
		return s
	}
	nats := begin()
	defer func() { nats.Shutdown() }()
	m, err := mesh.Open(t.Context(), mesh.Options{Node: "n0", NATS: &mesh.NATS{URLs: []string{nats.ClientURL()}}, Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	k, err := keep.Open(t.Context(), m.Log, m.Stream, 1, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	l, err := Open(t.Context(), Options{Mesh: m, Self: Node{Name: "n0"}, Replicas: 1, Changed: func() {}, Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	options.Port = nats.Addr().(*net.TCPAddr).Port
	nats.Shutdown()
	nats.WaitForShutdown()
	nats = begin()
	back := time.Now()
	until(t, "the lease is renewed", func() bool { return l.Renewed().After(back) })
}
