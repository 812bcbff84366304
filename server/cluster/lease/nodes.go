package lease

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// seen is what is known of another node.
type seen struct {
	Node
	at     time.Time // of the newest renewal
	sign   time.Time // of the newest sign of life, a renewal or another
	silent int       // how often nobody answered for it
	gone   time.Time // since when it counts as gone; zero: it lives
}

func (s *seen) isGone() bool { return !s.gone.IsZero() }

// Alive lists the nodes that live, this one first, then by name.
func (l *Leases) Alive() []Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []Node{l.self}
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		if n := l.nodes[name]; !n.isGone() {
			all = append(all, n.Node)
		}
	}
	return all
}

func (l *Leases) node(name string) Node {
	if n := l.nodes[name]; n != nil && name != l.self.Name {
		return n.Node
	}
	return l.self
}

// Seen is a node and whether it has gone.
type Seen struct {
	Node
	Gone bool
}

// All lists all nodes that were heard of, this one first, then by name.
func (l *Leases) All() []Seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []Seen{{Node: l.self}}
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		n := l.nodes[name]
		all = append(all, Seen{n.Node, n.isGone()})
	}
	return all
}

// Hears says whether this node and those that it has heard of within some time are a majority
// of all that it knows. A node that has left counts as well if the nodes carry NATS themselves,
// because raft counts it.
func (l *Leases) Hears(within time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard, known := 1, 1
	for _, n := range l.nodes {
		if n.isGone() && n.Leaving && !l.Carried() {
			continue
		}
		known++
		if time.Since(n.sign) < within {
			heard++
		}
	}
	return 2*heard > known
}

// Lives says whether a node counts as alive.
func (l *Leases) Lives(node string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lives(node)
}

func (l *Leases) lives(node string) bool {
	if node == l.self.Name {
		return true
	}
	n := l.nodes[node]
	return n != nil && !n.isGone()
}

// Leave says that this node takes no radio any more.
func (l *Leases) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.self.Leaving, l.due = true, time.Time{}
	l.lookSooner()
}

func (l *Leases) lookSooner() {
	select {
	case l.sooner <- struct{}{}:
	default:
	}
}

func (l *Leases) leaseSeen(m *nats.Msg) { l.heardOf(m.Data) }

// heardOf takes a node's lease.
func (l *Leases) heardOf(data []byte) {
	var n Node
	if json.Unmarshal(data, &n) != nil || n.Name == "" || n.Name == l.o.Self.Name {
		return
	}
	l.mu.Lock()
	s := l.nodes[n.Name]
	changed := s == nil || s.isGone() || s.Node != n
	if s != nil && s.isGone() && !n.Leaving {
		l.o.Logf("node %s is there again", n.Name)
	}
	if s == nil {
		s = &seen{}
		l.nodes[n.Name] = s
	}
	s.Node, s.at, s.silent, s.gone = n, time.Now(), 0, time.Time{}
	s.sign = s.at
	l.mu.Unlock()
	if changed {
		l.o.Changed()
	}
}

// Heard takes a sign of life that is no renewal. It does not keep a node alive that cannot
// renew, but says that this one is not alone.
func (l *Leases) Heard(node string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.nodes[node]; n != nil {
		n.sign = time.Now()
	}
}

// hears says whether this node and those that it hears are a majority.
func (l *Leases) hears(now time.Time) bool {
	heard := 1
	for _, n := range l.nodes {
		if now.Sub(n.sign) < hearTime {
			heard++
		}
	}
	return 2*heard > len(l.nodes)+1
}

// look finds out who is gone. A node that could not renew its own lease, and was cut off from
// the others or stood still, knows nothing about them: it lets some time pass first in which
// they can be heard. It returns when to look again.
func (l *Leases) look(now time.Time) (next time.Time) {
	changed := false
	l.mu.Lock()
	switch {
	case !l.holds(now):
		if !l.since.IsZero() {
			l.o.Logf("this node holds no lease: no renewal was acknowledged for %s", now.Sub(l.held).Round(time.Millisecond))
		}
		l.since = time.Time{}
	case l.since.IsZero():
		l.since, changed = now, true
		l.o.Logf("this node holds its lease")
	}
	switch {
	case !l.hears(now):
		l.joined = time.Time{}
	case l.joined.IsZero():
		l.joined = now
	}
	// While nobody can renew, because the leader has died, those that are heard all the same
	// live.
	renews := !l.since.IsZero() && now.Sub(l.since) > l.settle && now.Sub(l.held) <= l.settle
	hears := !l.joined.IsZero() && now.Sub(l.joined) > l.settle
	next = earlier(l.due, l.held.Add(l.town))
	if !renews || !hears || next.Before(now) {
		next = now.Add(tick)
	}
	for name, n := range l.nodes {
		silent := now.Sub(n.at)
		switch {
		case n.isGone():
			if now.Sub(n.gone) > forget {
				delete(l.nodes, name)
			}
		case silent > l.gone && (renews || hears && now.Sub(n.sign) > l.gone), !l.o.Strict && n.silent >= refusals:
			n.gone, changed = now, true
			l.o.Logf("warning: node %s is gone: nothing was heard of it for %s", name, silent.Round(time.Millisecond))
		case now.Sub(n.sign) > askAfter:
			if !l.o.Strict && !l.pending[name] {
				l.pending[name] = true
				l.work.Go(func() { l.ask(name) })
			}
			next = earlier(next, now.Add(tick))
		default:
			next = earlier(next, n.sign.Add(askAfter))
		}
	}
	l.mu.Unlock()
	if changed {
		l.o.Changed()
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// ask asks a node whether it lives. What counts is that nobody answers for it: an answer
// that does not come in time may be on its way.
func (l *Leases) ask(name string) {
	_, err := l.o.Mesh.Log.Request(askSubject+name, nil, askTime)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, name)
	switch n := l.nodes[name]; {
	case n == nil:
	case errors.Is(err, nats.ErrNoResponders):
		n.silent++
	default:
		n.silent = 0
	}
}
