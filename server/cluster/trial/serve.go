package trial

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/check"
	"squelch/server/cluster/keep"
	"squelch/server/cluster/lease"
	"squelch/server/engine"
)

// Job is the first line that a child reads: the node, and what it does.
type Job struct {
	Node NodeOptions `json:"node"`
	// Index of the node, from 0: its users have the ids from 100*Index+1 on.
	Index int `json:"index"`
	// Users connect here, each on a channel of its own.
	Users int `json:"users"`
}

// channels is how many a child's radio has: 15 for each of three nodes.
const channels = 45

// radioName is that of a child's radio.
const radioName = "county"

// order is what a child is told after that.
type order struct {
	ID int    `json:"i"`
	Op string `json:"op"`
	// Text and N are its arguments.
	Text string `json:"s,omitempty"`
	N    int    `json:"n,omitempty"`
}

// Report is a line that a child writes: an answer, or what has just happened.
type Report struct {
	ID    int    `json:"i,omitempty"` // of the order; 0: an event
	Event string `json:"e,omitempty"` // "key": a key-up was granted; "ack": a durable change was acknowledged; "fail": a call failed
	At    int64  `json:"at"`          // ns since the epoch
	N     int64  `json:"n,omitempty"` // the change's number; how long a key-up took, ns
	Error string `json:"err,omitempty"`

	State *State         `json:"state,omitempty"`
	Gaps  map[string]Gap `json:"gaps,omitempty"`
	Times []int64        `json:"times,omitempty"` // ns
}

// State is how a replica is.
type State struct {
	Place      cluster.Place `json:"place"`
	Hash       string        `json:"hash"`
	Owns       bool          `json:"owns"`
	Deaf       bool          `json:"deaf"`
	Owner      string        `json:"owner"`
	Leader     string        `json:"leader"` // of the leases
	Alive      int           `json:"alive"`
	Current    bool          `json:"current"` // every node has all that is kept
	LastPatch  int           `json:"lastPatch"`
	Mismatches uint64        `json:"mismatches"`
	Resyncs    uint64        `json:"resyncs"`
}

// Gap is what was heard of a node's talker.
type Gap struct {
	Frames  int           `json:"frames"`
	Longest time.Duration `json:"longest"` // between two frames
	Late    []int64       `json:"late,omitempty"`
}

// child is a node in a process of its own.
type child struct {
	job   Job
	node  *Node
	radio *Radio
	log   *os.File // of the orders

	out struct {
		mu sync.Mutex
		w  io.Writer
	}
	lose    atomic.Int32 // how many of a hundred orders get lost
	working sync.Once
	resting atomic.Bool
	busy    sync.RWMutex               // held by what is under way
	was     atomic.Pointer[wire.Order] // the order that was left out
	twisted atomic.Bool                // the next key-up does nothing here

	voice struct {
		mu   sync.Mutex
		last map[string]time.Time
		gaps map[string]Gap
		keep bool // every frame's time
	}
}

// Serve is a child: it reads a Job and then orders from in, and reports to out, until in
// ends.
func Serve(in io.Reader, out io.Writer) error {
	ignoreLimits()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	c := &child{}
	c.out.w = out
	c.voice.last, c.voice.gaps = map[string]time.Time{}, map[string]Gap{}
	if !lines.Scan() {
		return errors.New("there is no job")
	}
	if err := json.Unmarshal(lines.Bytes(), &c.job); err != nil {
		return err
	}
	if err := c.start(); err != nil {
		return err
	}
	defer c.node.Close()
	defer c.radio.Close()
	c.report(Report{Event: "ready"})
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		go func() {
			r := c.obey(o)
			r.ID = o.ID
			c.report(r)
		}()
	}
	return lines.Err()
}

func (c *child) report(r Report) {
	r.At = time.Now().UnixNano()
	b, err := json.Marshal(r)
	if err != nil {
		return
	}
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	_, _ = c.out.w.Write(append(b, '\n'))
}

func (c *child) start() (err error) {
	ctx := context.Background()
	o := c.job.Node
	o.Logf = func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, args...))
	}
	if c.node, err = Start(ctx, o); err != nil {
		return err
	}
	if c.log, err = os.OpenFile(filepath.Join(o.Folder, OrdersFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	_, _ = c.log.WriteString("\n") // a process begins
	config := Config(channels)
	if c.radio, err = c.node.Radio(ctx, RadioOptions{Name: radioName, Start: wire.Start{Config: config}, Kept: true, Step: c.step,
		Lose: func() bool { return rand.Int32N(100) < c.lose.Load() }, Twist: c.twist}); err != nil {
		return err
	}
	if _, err := c.node.Mesh.Voice.Subscribe("trial.voice.*", c.hear); err != nil {
		return err
	}
	for n := range c.job.Users {
		if err := c.join(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// OrdersFile is where a child writes what it applies, in its folder: lines of check.Applied.
const OrdersFile = "orders.jsonl"

func (c *child) step(s *engine.Step) {
	if u, is := s.Order.Command.(core.Unlink); is && s.Order.By.Surface == core.BySystem && s.Refusal == nil && int(u.User)/100 == c.job.Index {
		c.report(Report{Event: "lost"}) // that a user of this node is gone
	}
	a := check.Applied{Epoch: s.Epoch, Seq: s.Seq, Start: s.Snapshot}
	if s.Snapshot == nil {
		a.Order = &s.Order
		if was := c.was.Load(); was != nil && was.At == s.Order.At && s.Order.Command == nil {
			a.Order = was // what was decided
		}
	}
	if b, err := json.Marshal(a); err == nil {
		_, _ = c.log.Write(append(b, '\n'))
	}
}

func (c *child) twist(o engine.Ordered) engine.Ordered {
	if _, is := o.Order.Command.(core.KeyUp); is && c.twisted.Swap(false) {
		was := o.Order
		c.was.Store(&was)
		o.Order.Command = nil
	}
	return o
}

func (c *child) obey(o order) Report {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	failed := func(err error) Report {
		if err == nil {
			return Report{}
		}
		return Report{Error: err.Error()}
	}
	switch o.Op {
	case "state":
		s, err := c.state(ctx)
		if err != nil {
			return failed(err)
		}
		return Report{State: s}
	case "hash": // say how far this replica is, which asks no stream
		at, hash, err := c.radio.Hash(ctx)
		return Report{State: &State{Place: at, Hash: hash}, Error: failed(err).Error}
	case "work": // key and write without end
		c.resting.Store(false)
		c.working.Do(func() {
			go c.key()
			go c.write()
			go c.talk(time.Duration(o.N) * time.Millisecond)
		})
		return Report{}
	case "rest": // stop with that
		c.resting.Store(true)
		c.busy.Lock() // until nothing is under way
		defer c.busy.Unlock()
		return Report{}
	case "key": // so many key-ups, one after the other
		times, err := c.keys(ctx, o.N)
		return Report{Times: times, Error: failed(err).Error}
	case "flood": // so many callers for a second each
		n, err := c.flood(ctx, o.N)
		return Report{N: n, Error: failed(err).Error}
	case "talkers": // so many talkers, for talkersTime
		c.talkers(o.N)
		return Report{}
	case "gaps":
		return Report{Gaps: c.takeGaps()}
	case "give":
		return failed(c.radio.Source.Give(ctx, o.Text))
	case "leave":
		return failed(c.node.Leave(ctx))
	case "session": // log somebody in
		return failed(c.radio.kept.Sessions.Put(ctx, o.Text, []byte(o.Text)))
	case "knows": // say whether somebody is logged in
		found, err := c.radio.kept.Sessions.Refresh(ctx, o.Text)
		if err == nil && !found {
			err = fmt.Errorf("session %q is not known", o.Text)
		}
		return failed(err)
	case "lose":
		c.lose.Store(int32(o.N))
		return Report{}
	case "twist": // this replica alone leaves an order out
		c.twisted.Store(true)
		return Report{}
	}
	return Report{Error: "no such order: " + o.Op}
}

func (c *child) state(ctx context.Context) (*State, error) {
	at, hash, err := c.radio.Hash(ctx)
	if err != nil {
		return nil, err
	}
	stats, err := c.radio.Source.Status(ctx)
	if err != nil {
		return nil, err
	}
	s := &State{Place: at, Hash: hash, Owns: c.radio.Owns(), Deaf: c.radio.Deaf(), Owner: stats.Owner, Alive: len(c.node.Leases.Alive()), Mismatches: stats.Mismatches, Resyncs: stats.Resyncs}
	try, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s.Current = true
	for _, name := range []string{lease.Stream, keep.StateStream, keep.LogStream} {
		stream, err := c.node.Mesh.Stream.Stream(try, name)
		if err != nil || stream.CachedInfo().Cluster == nil {
			s.Current = false
			continue
		}
		is := stream.CachedInfo().Cluster
		if name == lease.Stream {
			s.Leader = is.Leader
		}
		s.Current = s.Current && is.Leader != "" && !slices.ContainsFunc(is.Replicas, func(p *jetstream.PeerInfo) bool { return !p.Current || p.Offline })
	}
	return s, c.radio.Engine.View(ctx, func(v core.View) { s.LastPatch = v.Snapshot().LastPatch })
}
