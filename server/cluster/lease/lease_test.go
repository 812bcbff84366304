package lease

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
)

const patience = time.Minute

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

// several are nodes that share the NATS of one process.
func several(t *testing.T, builds ...string) []*Leases {
	t.Helper()
	m, err := mesh.Open(t.Context(), mesh.Options{Name: "c", Node: "host", Secret: "s", Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	k, err := keep.Open(t.Context(), m.Log, m.Stream, 1, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	var all []*Leases
	for i, build := range builds {
		all = append(all, open(t, m, fmt.Sprint("n", i), build))
	}
	for _, l := range all {
		until(t, "all are known", func() bool { return len(l.Alive()) == len(builds) })
	}
	return all
}

func open(t *testing.T, m *mesh.Mesh, name, build string) *Leases {
	t.Helper()
	// All times are ten times longer, so that nobody is gone by a machine's pace alone.
	l, err := Open(t.Context(), Options{Mesh: m, Self: Node{Name: name, Build: build}, Replicas: 1, Slow: 10, Changed: func() {}, Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func end(all ...*Leases) {
	for _, l := range all {
		l.Close()
	}
}

// turn is whose turn it is to take a radio, when there is time enough for all.
func turn(all []*Leases, radio string) (mine []string) {
	for _, l := range all {
		l.mu.Lock()
		if l.place(radio, "") == 0 {
			mine = append(mine, l.self.Name)
		}
		l.mu.Unlock()
	}
	return mine
}

// TestARadioIsTakenOnce: of several who try, one succeeds, and all learn who it is. The next
// epoch is higher, and whoever goes by an old record is refused.
func TestARadioIsTakenOnce(t *testing.T) {
	all := several(t, "1.0.0", "1.0.0", "1.0.0")
	defer end(all...)
	if !all[0].Orphaned("county", time.Now()) {
		t.Error("a radio without an owner is not to be had")
	}
	type took struct {
		epoch uint64
		err   error
	}
	results := make(chan took, len(all))
	for _, l := range all {
		go func() {
			epoch, err := l.record(t.Context(), "county", 0, Owner{Node: l.o.Self.Name})
			results <- took{epoch, err}
		}()
	}
	won := took{}
	for range all {
		switch r := <-results; {
		case r.err == nil && won.epoch == 0:
			won = r
		case r.err == nil:
			t.Error("two have taken the radio")
		case !errors.Is(r.err, ErrTaken):
			t.Error(r.err)
		}
	}
	if won.epoch == 0 {
		t.Fatal("nobody has taken the radio")
	}
	for _, l := range all {
		until(t, "all know the owner", func() bool { return l.Owner("county").Epoch == won.epoch })
		if owner := l.Owner("county").Node; l.Orphaned("county", time.Now()) != (owner == l.self.Name) {
			t.Errorf("node %s: whose is the radio of %s?", l.self.Name, owner)
		}
	}
	for _, l := range all {
		if l.Owner("county").Node == l.self.Name {
			again, err := l.Take(t.Context(), "county") // by a process that was started anew
			if err != nil || again <= won.epoch {
				t.Errorf("taken again: epoch %d after %d (%v)", again, won.epoch, err)
			}
		}
	}
	if _, err := all[0].record(t.Context(), "county", won.epoch, Owner{Node: "n0"}); !errors.Is(err, ErrTaken) {
		t.Error("by an old record:", err)
	}
}

// TestARadioIsGiven to a node, which alone may take it, and to nobody who leaves.
func TestARadioIsGiven(t *testing.T) {
	all := several(t, "1.0.0", "1.0.0", "1.0.0")
	defer end(all...)
	if err := all[0].Give(t.Context(), "county", "n2"); !errors.Is(err, ErrTaken) {
		t.Error("a radio of nobody was given:", err)
	}
	if _, err := all[0].Take(t.Context(), "county"); err != nil {
		t.Fatal(err)
	}
	if err := all[0].Give(t.Context(), "county", "n2"); err != nil {
		t.Fatal(err)
	}
	for i, l := range all {
		until(t, "it is given", func() bool { return l.Owner("county").To == "n2" })
		if l.Orphaned("county", time.Now()) != (i == 2) {
			t.Errorf("node %d", i)
		}
		if !l.Orphaned("county", time.Now().Add(giveTime+3*stagger)) {
			t.Errorf("node %d never takes what n2 leaves", i)
		}
	}
	all[2].Leave()
	until(t, "it is known that n2 leaves", func() bool {
		for _, n := range all[0].Alive() {
			if n.Name == "n2" && n.Leaving {
				return true
			}
		}
		return false
	})
	if all[2].Orphaned("county", time.Now().Add(time.Hour)) {
		t.Error("a node that leaves takes a radio")
	}
}

// TestWhoIsFirst: exactly one node, the same for all; radios spread over nodes; a newer build
// comes first.
func TestWhoIsFirst(t *testing.T) {
	all := several(t, "1.0.0", "1.0.0", "1.0.0")
	defer end(all...)
	first := map[string]int{}
	for r := range 60 {
		mine := turn(all, fmt.Sprint("radio ", r))
		if len(mine) != 1 {
			t.Fatalf("radio %d is for %v", r, mine)
		}
		first[mine[0]]++
	}
	for _, l := range all {
		if first[l.self.Name] < 5 {
			t.Errorf("of 60 radios %s is first for %d", l.self.Name, first[l.self.Name])
		}
	}
	newest := open(t, all[0].o.Mesh, "n3", "1.1.0")
	defer newest.Close()
	four := append(all, newest)
	for _, l := range four {
		until(t, "all are known", func() bool { return len(l.Alive()) == 4 })
	}
	for r := range 10 {
		if mine := turn(four, fmt.Sprint("radio ", r)); len(mine) != 1 || mine[0] != "n3" {
			t.Errorf("radio %d is for %v, and not for the newest", r, mine)
		}
	}
}

// TestANodeIsGone when nobody answers for it any more, and its radios are for others then.
func TestANodeIsGone(t *testing.T) {
	all := several(t, "1.0.0", "1.0.0")
	defer all[0].Close()
	if _, err := all[1].Take(t.Context(), "county"); err != nil {
		t.Fatal(err)
	}
	until(t, "the owner is known", func() bool { return all[0].Owner("county").Node == "n1" })
	if all[0].Orphaned("county", time.Now()) {
		t.Error("a radio whose owner lives is to be had")
	}
	all[1].Close()
	until(t, "it is gone", func() bool { return !all[0].Lives("n1") })
	until(t, "its radio is for the other", func() bool { return all[0].Orphaned("county", time.Now()) })
}

// TestWithoutALease a node decides nothing, takes nothing and judges nobody.
func TestWithoutALease(t *testing.T) {
	all := several(t, "1.0.0", "1.0.0")
	defer end(all...)
	l := all[0]
	if !l.Holds() {
		t.Error("it has no lease")
	}
	late := time.Now().Add(l.town + l.gone)
	l.mu.Lock()
	l.o.Strict = true // nobody is asked
	holds := l.holds(late)
	l.mu.Unlock()
	if holds || l.Orphaned("county", late) {
		t.Error("long after its last renewal it holds its lease, or takes a radio")
	}
	l.look(late)
	if !l.Lives("n1") {
		t.Error("a node that stood still takes the other one for gone")
	}
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"1.2.3", "1.2.3", 0}, {"1.10.0", "1.9.9", 1}, {"v1.2.3", "1.2.4-rc1", -1}, {"2.0.0+x", "1.0.0", 1}, {"dev-0123", "1.0.0", 0}, {"", "", 0}, {"1.2", "1.1", 0}, {"1.2.x", "1.1.0", 0}} {
		if got := newer(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d", c.a, c.b, got)
		}
	}
}
