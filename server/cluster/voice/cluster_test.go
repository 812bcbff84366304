package voice

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/mesh"
	"squelch/server/engine"
	"squelch/server/internal/loopback"
	"squelch/sfu"
)

const patience = time.Minute

// The channels of the test radio.
const (
	patrol   core.Frequency = 155_010_000
	fire     core.Frequency = 155_020_000
	tac      core.Frequency = 155_030_000
	digital1 core.Frequency = 460_250_000
	many     core.Frequency = 150_000_000 // the first of a hundred
)

func testRadio(t testing.TB) *core.State {
	t.Helper()
	cfg := core.DefaultConfig()
	z := core.Zone{Name: "City", Channels: []core.Channel{
		{Name: "Patrol", Type: core.Conventional, Frequency: patrol},
		{Name: "Fire", Type: core.Conventional, Frequency: fire},
		{Name: "Tac", Type: core.Conventional, Frequency: tac},
		{Name: "Digital", Type: core.Digital, Frequency: digital1},
	}}
	for i := range 100 {
		z.Channels = append(z.Channels, core.Channel{Name: fmt.Sprint("Ch ", i), Type: core.Conventional, Frequency: many + core.Frequency(i)*12_500})
	}
	cfg.Zones = []core.Zone{z}
	s, err := core.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// orders is the one log of a test's radio. Every node gets all of it, unless it is held.
type orders struct {
	mu    sync.Mutex
	seq   uint64
	nodes []*source
}

// source is one node's end of the log.
type source struct {
	log    *orders
	origin uint64
	out    chan engine.Ordered
	held   []engine.Ordered
	hold   bool
	closed bool
}

func (s *source) Propose(_ context.Context, id uint64, by core.Actor, c core.Command) error {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.closed {
		return engine.ErrClosed
	}
	s.log.seq++
	for _, n := range s.log.nodes {
		n.give(engine.Ordered{Seq: s.log.seq, Origin: s.origin, ID: id, Order: wire.Order{At: time.Now().UnixMilli(), By: by, Command: c}})
	}
	return nil
}

// give hands an order on. The caller holds the lock.
func (s *source) give(o engine.Ordered) {
	switch {
	case s.closed:
	case s.hold:
		s.held = append(s.held, o)
	default:
		s.out <- o
	}
}

// late holds the node's orders back, or gives them all.
func (s *source) late(yes bool) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.hold = yes
	if !yes {
		for _, o := range s.held {
			s.out <- o
		}
		s.held = nil
	}
}

func (s *source) Orders() <-chan engine.Ordered { return s.out }
func (s *source) Wake(time.Time)                {}
func (s *source) Durable(context.Context, uint64, uint64, *core.Data, []core.Record, []core.Moment) error {
	return nil
}

func (s *source) Close() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.closed = true
}

// node is a node of a cluster in the process of the test.
type node struct {
	t      testing.TB
	name   string
	mesh   *mesh.Mesh
	source *source
	engine *engine.Engine
	sfu    *sfu.SFU
	voice  *Voice

	mu    sync.Mutex
	heard []core.Frequency // as sfu.Options.Heard was told
}

// meshes starts the meshes of a cluster.
func meshes(t testing.TB, n int) []*mesh.Mesh {
	routes, err := loopback.Ports(n)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*mesh.Mesh, n)
	var wait sync.WaitGroup
	for i := range n {
		folder := t.TempDir()
		wait.Go(func() {
			var err error
			if all[i], err = mesh.Open(context.Background(), mesh.Options{Name: "c", Node: fmt.Sprint("n", i), Secret: "s", Listen: routes[i], Routes: routes, Folder: folder}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, m := range all {
		t.Cleanup(m.Close)
	}
	return all
}

// start puts a radio on n nodes.
func start(t testing.TB, n int) []*node {
	t.Helper()
	return join(t, "county", meshes(t, n))
}

func join(t testing.TB, radio string, all []*mesh.Mesh) (nodes []*node) {
	log := &orders{}
	for i, m := range all {
		n := &node{t: t, name: fmt.Sprint("n", i), mesh: m, source: &source{log: log, origin: uint64(i + 1), out: make(chan engine.Ordered, 1<<16)}}
		log.nodes = append(log.nodes, n.source)
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		n.open(radio)
	}
	return nodes
}

func (n *node) open(radio string) {
	n.sfu = sfu.New(sfu.Options{Heard: func(_ core.UserID, f core.Frequency) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.heard = append(n.heard, f)
	}})
	var err error
	n.voice, err = Open(Options{Conn: n.mesh.Voice, Radio: radio, Node: n.name, Media: n.sfu, Logf: n.t.Logf})
	if err != nil {
		n.t.Fatal(err)
	}
	n.engine = engine.Start(testRadio(n.t), n.source, engine.Options{Origin: n.source.origin, Routes: n.sfu.SetRoutes, Followers: []engine.Follower{n.voice.Follower()}, Logf: n.t.Logf})
	n.t.Cleanup(func() {
		n.engine.Close()
		n.voice.Close()
		n.sfu.Close()
	})
}

func (n *node) try(c core.Command) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := n.engine.Do(ctx, core.Actor{Surface: core.ByLua}, c)
	return err
}

func (n *node) do(commands ...core.Command) {
	n.t.Helper()
	for _, c := range commands {
		if err := n.try(c); err != nil {
			n.t.Fatalf("%s: %T%+v: %v", n.name, c, c, err)
		}
	}
}

// ear is a legacy client that notes what it hears.
type ear struct {
	user core.UserID
	mu   sync.Mutex
	all  []heard
	at   func(m *sfu.Message) // called with each frame; nil: none
}

type heard struct {
	from  core.UserID
	on    core.Frequency
	patch int
	why   core.Reason
	imbe  bool
	text  string
}

func (e *ear) Send(m *sfu.Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, heard{m.Talker, m.Leg.Frequency, m.Leg.Patch, m.Leg.Reason, m.Encoding == sfu.IMBE, m.Base64()})
	if e.at != nil {
		e.at(m)
	}
}

func (e *ear) heard() []heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]heard(nil), e.all...)
}

func (e *ear) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = nil
}

func (e *ear) texts() (all []string) {
	for _, h := range e.heard() {
		all = append(all, h.text)
	}
	return all
}

// user attaches a legacy client to this node, tuned to a channel (0: none).
func (n *node) user(id core.UserID, f core.Frequency) *ear {
	n.t.Helper()
	e := &ear{user: id}
	n.sfu.Attach(id, e)
	n.do(core.Connect{Want: id, Owner: id.String()})
	if f != 0 {
		n.do(core.JoinAsSpeaker{User: id, Frequency: f})
	}
	return e
}

// say publishes frames of a user of this node, at the pace of voice.
func (n *node) say(id core.UserID, keyed core.Frequency, texts ...string) {
	for i, x := range texts {
		if i > 0 {
			time.Sleep(20 * time.Millisecond)
		}
		n.sfu.Publish(&sfu.Frame{Talker: id, Keyed: keyed, Text: x})
	}
}

func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

// settled waits until all nodes have replayed all orders, receive what they must, and each
// other node knows.
func settled(t testing.TB, nodes ...*node) {
	t.Helper()
	for _, n := range nodes {
		until(t, n.name+" has all orders and receives what it must", func() bool {
			n.source.log.mu.Lock()
			seq := n.source.log.seq
			n.source.log.mu.Unlock()
			_, have, _, err := n.engine.Snapshot(context.Background())
			var want []core.Frequency
			users := n.sfu.Attached()
			_ = n.engine.View(context.Background(), func(v core.View) {
				if want = v.Interest(users); n.voice.all.Load() {
					want = nil
					for _, c := range v.Channels() {
						want = append(want, c.Frequency)
					}
				}
			})
			n.voice.mu.Lock()
			defer n.voice.mu.Unlock()
			for _, f := range want {
				if n.voice.on[f] == nil {
					return false
				}
			}
			return err == nil && have == seq && len(n.voice.on) == len(want)
		})
		if err := n.mesh.Voice.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	// Interest travels over a route after it has reached the server; a message to all that is
	// answered by all follows it.
	for _, n := range nodes {
		for _, m := range nodes {
			if n == m {
				continue
			}
			subject := "test." + n.name + "." + m.name
			sub, err := n.mesh.Voice.SubscribeSync(subject)
			if err != nil {
				t.Fatal(err)
			}
			until(t, n.name+" hears "+m.name, func() bool {
				if err := m.mesh.Voice.Publish(subject, nil); err != nil {
					t.Fatal(err)
				}
				_, err := sub.NextMsg(10 * time.Millisecond)
				return err == nil
			})
			_ = sub.Unsubscribe()
		}
	}
}
