package trial

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"squelch/core/wire"
	"squelch/server/cluster/check"
	"squelch/server/cluster/mesh"
	"squelch/server/internal/loopback"
)

// patience ends a wait that would otherwise last for ever; nothing is measured with it.
const patience = 3 * time.Minute

// field is three nodes in processes of their own, with paths between them.
type field struct {
	t       *testing.T
	paths   *Paths
	listen  []string
	folders []string
	logs    []string
	nodes   []*Child
	edit    func(i int, o *NodeOptions)

	nats     *mesh.NATS // nil: it runs in each node
	isolated int        // the node that was cut off last
	cut      int        // the node whose paths were cut for a moment only; -1: none
}

func newField(t *testing.T, edit func(i int, o *NodeOptions), external bool) *field {
	t.Helper()
	f := &field{t: t, nodes: make([]*Child, 3), edit: edit}
	if external {
		f.nats = &mesh.NATS{URLs: []string{startNATS(t)}}
	}
	var err error
	if f.listen, err = loopback.Ports(3); err != nil {
		t.Fatal(err)
	}
	if f.paths, err = NewPaths(f.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.paths.Close)
	logs := t.TempDir()
	for i := range f.nodes {
		f.folders = append(f.folders, t.TempDir())
		f.logs = append(f.logs, filepath.Join(logs, fmt.Sprint("node", i)))
		f.launch(i)
	}
	t.Cleanup(func() {
		for _, n := range f.nodes {
			n.Kill()
		}
		if t.Failed() {
			for i := range f.nodes {
				t.Logf("node %d:\n%s", i, f.said(i, 60))
			}
		}
	})
	for i := range f.nodes {
		f.ready(i)
	}
	f.same()
	return f
}

// startNATS starts a NATS that dies with no node.
func startNATS(t *testing.T) (url string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, SyncAlways: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	return s.ClientURL()
}

// launch starts a node, without waiting for it.
func (f *field) launch(i int) {
	f.t.Helper()
	o := NodeOptions{Name: fmt.Sprint("n", i), Listen: f.listen[i], Advertise: Nowhere, Routes: f.paths.Routes(i), Folder: f.folders[i], NATS: f.nats}
	if runs() == 1 { // no node is to be taken for dead on a busy machine
		o.Slow = 5
	}
	if f.edit != nil {
		f.edit(i, &o)
	}
	c, err := Launch(nodeCommand(f.t), Job{Node: o, Index: i, Users: 4}, f.logs[i])
	if err != nil {
		f.t.Fatal(err)
	}
	f.nodes[i] = c
}

func (f *field) ready(i int) {
	f.t.Helper()
	if err := f.nodes[i].Ready(patience); err != nil {
		f.t.Fatalf("%v\n%s", err, f.said(i, 40))
	}
}

func (f *field) ask(i int, op, text string, n int) Report {
	f.t.Helper()
	r, err := f.nodes[i].Ask(op, text, n, patience)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// state is that of a node; nil: it does not answer.
func (f *field) state(i int) *State {
	s, err := f.nodes[i].State()
	if err != nil {
		return nil
	}
	return &s
}

func (f *field) until(what string, is func() bool) {
	f.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatal("not so: ", what)
		}
	}
}

func (f *field) work() {
	for i := range f.nodes {
		f.ask(i, "work", "", 20)
	}
}

// rest lets what is under way end.
func (f *field) rest(nodes ...int) {
	for _, i := range nodes {
		f.ask(i, "rest", "", 0)
	}
}

// same waits until all nodes have the same state, and returns how long that took.
func (f *field) same() time.Duration {
	f.t.Helper()
	f.rest(0, 1, 2)
	began := time.Now()
	f.until("all replicas are the same", func() bool {
		var first *State
		for _, n := range f.nodes {
			r, err := n.Ask("hash", "", 0, patience)
			if err != nil {
				return false
			}
			if first == nil {
				first = r.State
			}
			if *r.State != *first {
				return false
			}
		}
		return true
	})
	return time.Since(began)
}

// healed waits until every node has all that is kept: one fault at a time.
func (f *field) healed() {
	f.t.Helper()
	if f.nats != nil {
		return // nothing is kept at the nodes
	}
	f.until("every node has all that is kept", func() bool {
		for i := range f.nodes {
			if s := f.state(i); s == nil || !s.Current {
				return false
			}
		}
		return true
	})
}

// owner is the node that decides, and leader the one that leads the leases; -1: unknown.
func (f *field) owner() (owner, leader int) {
	f.t.Helper()
	owner, leader = -1, -1
	f.until("one node decides", func() bool {
		owners := 0
		for i, n := range f.nodes {
			s := f.state(i)
			if s == nil {
				continue
			}
			if s.Owns {
				owner = i
				owners++
			}
			for k, other := range f.nodes {
				if s.Leader == other.Job.Node.Name {
					leader = k
				}
			}
			_ = n
		}
		return owners == 1 && (leader >= 0 || f.nats != nil)
	})
	return owner, leader
}

// give makes a node the owner.
func (f *field) give(to int) {
	f.t.Helper()
	f.until("a node was given the radio", func() bool {
		owner, _ := f.owner()
		if owner == to {
			return true
		}
		_, err := f.nodes[owner].Ask("give", f.nodes[to].Job.Node.Name, 0, patience)
		return err == nil
	})
}

// roles arranges that one node owns the radio and another leads the leases, or one does both.
func (f *field) roles(both bool) (owner, leader int) {
	f.t.Helper()
	owner, leader = f.owner()
	if both != (owner == leader) {
		to := leader
		if !both {
			to = (leader + 1) % 3
		}
		f.give(to)
		owner, leader = f.owner()
	}
	return owner, leader
}

// longest is the longest time without a key-up at a node, from the last one before a moment
// on until the end of what was reported, and when it ended.
func (f *field) longest(i int, from time.Time) (gap time.Duration, ended time.Time) {
	keys := f.nodes[i].Events("key", from.Add(-2*time.Second))
	for n := 1; n < len(keys); n++ {
		if keys[n].At < from.UnixNano() {
			continue
		}
		if d := time.Duration(keys[n].At - keys[n-1].At); d > gap {
			gap, ended = d, time.Unix(0, keys[n].At)
		}
	}
	return gap, ended
}

// keysAgain waits until nodes key again after a moment, and steadily.
func (f *field) keysAgain(from time.Time, nodes ...int) {
	f.t.Helper()
	for _, i := range nodes {
		f.until(fmt.Sprintf("node %d keys", i), func() bool {
			keys := f.nodes[i].Events("key", from)
			return len(keys) >= 30 && keys[len(keys)-1].At-keys[len(keys)-20].At < int64(2*time.Second)
		})
	}
}

// voiceGaps are the longest gap that some nodes heard in others' voice, and that of the node
// whose paths were cut for a moment.
func (f *field) voiceGaps(nodes ...int) (gap, cut time.Duration) {
	for _, i := range nodes {
		for from, g := range f.ask(i, "gaps", "", 0).Gaps {
			k := slices.IndexFunc(f.nodes, func(n *Child) bool { return n.Job.Node.Name == from })
			switch {
			case !slices.Contains(nodes, k):
			case i == f.cut, k == f.cut:
				cut = max(cut, g.Longest)
			default:
				gap = max(gap, g.Longest)
			}
		}
	}
	return gap, cut
}

// said are the newest lines of a node's log.
func (f *field) said(i, most int) string {
	text, _ := os.ReadFile(f.logs[i])
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// lost is how many acknowledged changes are not there: the number of a patch is never given
// twice, and all are known to have been given. acks are those of processes that have ended.
func (f *field) lost(acks []Report) (acked, lost int) {
	f.t.Helper()
	for _, n := range f.nodes {
		acks = append(acks, n.Events("ack", time.Time{})...)
	}
	seen := map[int64]bool{}
	highest := int64(0)
	for _, a := range acks {
		if seen[a.N] {
			lost++
		}
		seen[a.N] = true
		highest = max(highest, a.N)
	}
	for i := range f.nodes {
		s := f.state(i)
		if s == nil {
			f.t.Fatalf("node %d does not answer", i)
		}
		if int64(s.LastPatch) < highest {
			lost++
		}
	}
	return len(acks), lost
}

// judge checks what all nodes have applied.
func (f *field) judge() check.Report {
	f.t.Helper()
	logs := map[string][]check.Applied{}
	for i, folder := range f.folders {
		file, err := os.Open(filepath.Join(folder, OrdersFile))
		if err != nil {
			f.t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		part := 0
		name := func() string { return fmt.Sprintf("n%d, process %d", i, part) }
		for lines.Scan() {
			var a check.Applied
			if len(lines.Bytes()) == 0 { // a process has begun
				part++
				continue
			}
			if json.Unmarshal(lines.Bytes(), &a) != nil {
				continue // a process was killed while it wrote
			}
			logs[name()] = append(logs[name()], a)
		}
	}
	r, err := check.Orders(wire.Start{Config: Config(channels)}, logs)
	if err != nil {
		f.t.Error(err)
	}
	return r
}
