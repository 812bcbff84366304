package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core/wire"
	"squelch/server/engine"
)

// statusSubject is on what all nodes are asked how they are doing.
const statusSubject = "squelch.status"

// reported is a node's answer.
type reported struct {
	wire.ClusterNode
	// Members are the nodes that JetStream counts; none: this node does not lead it.
	Members []string `json:"members,omitempty"`
}

// Status asks all nodes how they are doing. It returns when all that live have answered, or
// after statusTime.
func (n *Node) Status(ctx context.Context) (wire.Cluster, error) {
	answers, err := n.askStatus(ctx)
	if err != nil {
		return wire.Cluster{}, err
	}
	return n.summary(answers), nil
}

// Self is how this node alone is doing. A radio that is too busy to say is left out.
func (n *Node) Self(ctx context.Context) wire.ClusterNode {
	ctx, cancel := context.WithTimeout(ctx, statusTime/2)
	defer cancel()
	self := n.Leases.All()[0]
	out := wire.ClusterNode{Name: self.Name, Build: self.Build, URL: self.URL, Lives: true, Leaving: self.Leaving, Answers: true,
		Quorum: n.Leases.Holds(), StoreMs: n.Leases.Writes().Last.Milliseconds(), Radios: []wire.ClusterReplica{}}
	if peers := n.Mesh.Peers(); peers >= 0 {
		out.Routes = &peers
	}
	n.mu.Lock()
	sources := n.sources
	n.mu.Unlock()
	for _, s := range sources {
		if r, err := s.Status(ctx); err == nil {
			out.Radios = append(out.Radios, r)
		}
	}
	slices.SortFunc(out.Radios, func(a, b wire.ClusterReplica) int { return cmp.Compare(a.Radio, b.Radio) })
	return out
}

// Status is how this replica is doing. Who asks adds how far it is behind.
func (s *Source) Status(ctx context.Context) (wire.ClusterReplica, error) {
	got := make(chan wire.ClusterReplica, 1)
	read := func() {
		at := s.applied.get()
		got <- wire.ClusterReplica{Radio: s.o.Radio, Owner: s.o.Leases.Owner(s.o.Radio).Node, Epoch: at.Epoch, Seq: at.Seq,
			Hash: s.compared.hash, HashSeq: s.compared.Seq, Differs: s.differs, Pending: len(s.pending), Deaf: s.isDeaf.Load(),
			Gaps: s.gaps.Load(), Resyncs: s.resyncs.Load(), Mismatches: s.mismatches.Load(), Takeovers: s.takes.Load(), Stale: s.stale.Load()}
	}
	var r wire.ClusterReplica
	select {
	case s.calls <- read:
	case <-s.quit:
		return r, engine.ErrClosed
	case <-ctx.Done():
		return r, ctx.Err()
	}
	select {
	case r = <-got:
	case <-s.quit:
		return r, engine.ErrClosed
	case <-ctx.Done():
		return r, ctx.Err()
	}
	if s.o.Voice != nil {
		r.Voice = s.o.Voice()
	}
	return r, nil
}

// askedStatus answers another node, or this one. What it reads takes time, so NATS's goroutine
// does not wait for it; more questions than mostAsked at once have no answer.
func (n *Node) askedStatus(m *nats.Msg) {
	if n.asked.Add(1) > mostAsked {
		n.asked.Add(-1)
		return
	}
	n.start(func() {
		defer n.asked.Add(-1)
		if b, err := json.Marshal(reported{n.Self(context.Background()), n.Mesh.Members()}); err == nil {
			_ = m.Respond(b)
		}
	})
}

// start runs f, unless the end has begun. Close waits for it.
func (n *Node) start(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.over {
		n.work.Go(f)
	}
}

func (n *Node) askStatus(ctx context.Context) (map[string]reported, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	inbox := n.Mesh.Log.NewRespInbox()
	got := make(chan *nats.Msg, 64)
	sub, err := n.Mesh.Log.ChanSubscribe(inbox, got)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := n.Mesh.Log.PublishRequest(statusSubject, inbox, nil); err != nil {
		return nil, err
	}
	answers := map[string]reported{}
	look := time.NewTicker(lookAgain) // a node may be found to have gone meanwhile
	defer look.Stop()
	for {
		missing := false
		for _, alive := range n.Leases.Alive() {
			_, is := answers[alive.Name]
			missing = missing || !is
		}
		if !missing {
			return answers, nil
		}
		select {
		case m := <-got:
			var a reported
			if json.Unmarshal(m.Data, &a) == nil && a.Name != "" {
				answers[a.Name] = a
			}
		case <-look.C:
		case <-ctx.Done(): // whoever has not answered is shown so
			return answers, nil
		}
	}
}

// summary puts the answers together.
func (n *Node) summary(answers map[string]reported) wire.Cluster {
	out := wire.Cluster{Name: n.o.Mesh.Name, Node: n.Name(), Radios: []wire.ClusterRadio{}, Nodes: []wire.ClusterNode{}}
	members := map[string]bool{}
	for _, a := range answers {
		for _, name := range a.Members {
			members[name] = true
		}
	}
	for _, seen := range n.Leases.All() {
		node := answers[seen.Name].ClusterNode
		if !node.Answers {
			node = wire.ClusterNode{Name: seen.Name, Build: seen.Build, URL: seen.URL, Leaving: seen.Leaving, Radios: []wire.ClusterReplica{}}
		}
		node.Lives = !seen.Gone
		// One that has left an existing NATS is not missed; in one of these nodes', it is
		// where streams are kept.
		if seen.Gone && seen.Leaving && !members[seen.Name] {
			continue
		}
		delete(members, seen.Name)
		out.Nodes = append(out.Nodes, node)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out.Nodes = append(out.Nodes, wire.ClusterNode{Name: name, Radios: []wire.ClusterReplica{}})
	}
	slices.SortFunc(out.Nodes, func(a, b wire.ClusterNode) int { return cmp.Compare(a.Name, b.Name) })
	out.Radios = n.radios(out.Nodes)
	lag(&out)
	out.Problems = Problems(out)
	return out
}

// radios are those that any node has.
func (n *Node) radios(nodes []wire.ClusterNode) []wire.ClusterRadio {
	names := map[string]bool{}
	for _, node := range nodes {
		for _, r := range node.Radios {
			names[r.Radio] = true
		}
	}
	out := make([]wire.ClusterRadio, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		owner := n.Leases.Owner(name)
		out = append(out, wire.ClusterRadio{Radio: name, Owner: owner.Node, Epoch: owner.Epoch})
	}
	return out
}

// lag fills in how far the owners are, and how far the others are behind. The nodes have
// answered one after the other, so that a busy radio shows a few.
func lag(c *wire.Cluster) {
	for i := range c.Radios {
		radio := &c.Radios[i]
		if r := replica(c, radio.Owner, radio.Radio); r != nil {
			radio.Seq = r.Seq
		}
		for _, node := range c.Nodes {
			if r := replica(c, node.Name, radio.Radio); r != nil && radio.Seq > r.Seq {
				r.Lag = radio.Seq - r.Seq
			}
		}
	}
}

// replica is a radio at a node; nil: it has none.
func replica(c *wire.Cluster, node, radio string) *wire.ClusterReplica {
	for i := range c.Nodes {
		if c.Nodes[i].Name != node {
			continue
		}
		for j := range c.Nodes[i].Radios {
			if r := &c.Nodes[i].Radios[j]; r.Radio == radio {
				return r
			}
		}
	}
	return nil
}

// Problems says what is wrong with a cluster.
func Problems(c wire.Cluster) []string {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	alive := 0
	for _, n := range c.Nodes {
		if n.Lives {
			alive++
		}
	}
	for _, n := range c.Nodes {
		switch {
		case !n.Lives && n.Leaving:
			say("node %s has left", n.Name)
		case !n.Lives:
			say("node %s is missing", n.Name)
		case !n.Answers:
			say("node %s lives and does not answer", n.Name)
		case !n.Quorum:
			say("node %s writes and no majority acknowledges it", n.Name)
		case n.Routes != nil && *n.Routes < alive-1:
			say("node %s is connected with %d of %d other nodes", n.Name, *n.Routes, alive-1)
		}
	}
	for _, radio := range c.Radios {
		owner := slices.IndexFunc(c.Nodes, func(n wire.ClusterNode) bool { return n.Name == radio.Owner })
		switch {
		case radio.Owner == "":
			say("radio %s has no owner", radio.Radio)
		case owner < 0 || !c.Nodes[owner].Lives:
			say("radio %s has no owner: node %s is gone", radio.Radio, radio.Owner)
		}
		for _, n := range c.Nodes {
			if !n.Answers {
				continue
			}
			r := replica(&c, n.Name, radio.Radio)
			switch {
			case r == nil:
				say("node %s does not serve radio %s", n.Name, radio.Radio)
			case r.Deaf:
				say("node %s hears of nobody who decides about radio %s", n.Name, radio.Radio)
			case r.Differs:
				say("node %s: the state of radio %s differs from that of its owner %s", n.Name, radio.Radio, radio.Owner)
			case r.Lag > farBehind:
				say("node %s is %d orders behind on radio %s", n.Name, r.Lag, radio.Radio)
			}
		}
	}
	return out
}
