package lease

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// wrongSequence is the code of newer servers for a record that is not the one expected
// (JSStreamWrongLastSequenceConstantErr).
const wrongSequence jetstream.ErrorCode = 10164

// ErrTaken: somebody else has changed the owner meanwhile.
var ErrTaken = errors.New("another node has taken the radio")

// Owner is who decides about a radio; Node "" is nobody.
type Owner struct {
	Node  string `json:"node"`
	Epoch uint64 `json:"-"` // of the record
	// To is the node that is to take it, if Node has given it away; From is who gave it.
	To   string `json:"to,omitempty"`
	From string `json:"from,omitempty"`

	learned time.Time
}

// Owner is who owns a radio.
func (l *Leases) Owner(radio string) Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners[radio]
}

// Owners are who owns each radio.
func (l *Leases) Owners() map[string]Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.owners)
}

// NotFor says why a node may not take what another one owns; "": it may. What an older build
// stores lacks what it does not know.
func (l *Leases) NotFor(node, owner string) (why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	to, from := l.node(node), l.node(owner)
	switch {
	case !l.lives(node):
		return fmt.Sprintf("Node %s is gone", node)
	case to.Leaving:
		return fmt.Sprintf("Node %s is about to stop", node)
	case newer(to.Build, from.Build) < 0:
		return fmt.Sprintf("Node %s has build %s, which is older than %s of node %s: radios go to equal or newer ones", node, to.Build, from.Build, owner)
	}
	return ""
}

// Orphaned says, to a node that does not decide about a radio, whether it is its turn to
// take it. A radio whose owner has gone, or has given it away, is for the nodes that are not
// leaving: the newest build first, then in an order that spreads radios over nodes. A radio
// that is on this node's name belonged to an earlier process, or this node has let its lease
// end; it takes it again. Without a lease of its own a node takes nothing.
func (l *Leases) Orphaned(radio string, now time.Time) (mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.self.Leaving || !l.holds(now) {
		return false
	}
	o := l.owners[radio]
	switch {
	case o.Node == l.self.Name:
		return true
	case o.Node != "" && l.lives(o.Node):
		return false
	case o.Node == "" && o.To == l.self.Name:
		return true
	case o.Node == "" && o.To != "" && l.lives(o.To) && now.Sub(o.learned) < giveTime:
		return false
	}
	since := o.learned
	if n := l.nodes[o.Node]; n != nil {
		since = n.gone
	}
	return now.Sub(since) >= time.Duration(l.place(radio, cmp.Or(o.Node, o.From)))*stagger
}

// place is how many nodes are before this one in line.
func (l *Leases) place(radio, without string) (place int) {
	own := weight(l.self.Name, radio)
	if without == l.self.Name { // it has just given the radio away
		place++
	}
	for name, n := range l.nodes {
		if name == without || n.isGone() || n.Leaving {
			continue
		}
		if c := cmp.Or(newer(n.Build, l.self.Build), cmp.Compare(weight(name, radio), own)); c > 0 || without == l.self.Name {
			place++
		}
	}
	return place
}

// weight orders nodes for a radio (rendezvous hashing). FNV alone does not spread names that
// differ in their first characters only, so its bits are mixed (the finalizer of MurmurHash3).
func weight(node, radio string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(node + "\x00" + radio))
	w := h.Sum64()
	w ^= w >> 33
	w *= 0xff51afd7ed558ccd
	w ^= w >> 33
	w *= 0xc4ceb9fe1a85ec53
	return w ^ w>>33
}

// Take makes this node the owner of a radio, if nobody else has become it meanwhile.
func (l *Leases) Take(ctx context.Context, radio string) (epoch uint64, err error) {
	return l.record(ctx, radio, l.Owner(radio).Epoch, Owner{Node: l.o.Self.Name})
}

// Give gives a radio that this node owns to another one; "": to whoever is first in line.
func (l *Leases) Give(ctx context.Context, radio, to string) error {
	is := l.Owner(radio)
	if is.Node != l.o.Self.Name {
		return ErrTaken
	}
	_, err := l.record(ctx, radio, is.Epoch, Owner{To: to, From: is.Node})
	return err
}

func (l *Leases) record(ctx context.Context, radio string, expect uint64, o Owner) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	data, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	ack, err := l.o.Mesh.Stream.Publish(ctx, ownerSubject+radio, data, jetstream.WithExpectLastSequencePerSubject(expect), jetstream.WithRetryAttempts(0))
	var refused *jetstream.APIError
	if errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == wrongSequence) {
		l.mu.Lock()
		l.writes.Refused++
		l.mu.Unlock()
		l.catchUp(ctx, radio)
		return 0, ErrTaken
	}
	if err != nil {
		return 0, err
	}
	l.learn(radio, data, ack.Sequence)
	return ack.Sequence, nil
}

// catchUp reads a record that this node has missed.
func (l *Leases) catchUp(ctx context.Context, radio string) {
	s, err := l.o.Mesh.Stream.Stream(ctx, ownerStream)
	if err != nil {
		return
	}
	if m, err := s.GetLastMsgForSubject(ctx, ownerSubject+radio); err == nil {
		l.learn(radio, m.Data, m.Sequence)
	}
}

func (l *Leases) ownerSeen(m *nats.Msg) {
	epoch, err := sequenceOf(m)
	if err == nil {
		l.learn(m.Subject[len(ownerSeen):], m.Data, epoch)
	}
}

// learn takes an owner's record, unless a newer one is known.
func (l *Leases) learn(radio string, data []byte, epoch uint64) {
	var o Owner
	if json.Unmarshal(data, &o) != nil {
		return
	}
	o.Epoch, o.learned = epoch, time.Now()
	l.mu.Lock()
	newer := epoch > l.owners[radio].Epoch
	if newer {
		l.owners[radio] = o
		if o.Node != "" && o.Node != l.o.Self.Name && l.nodes[o.Node] == nil { // not heard of yet: it gets the time to be
			l.nodes[o.Node] = &seen{Node: Node{Name: o.Node}, at: time.Now()}
		}
	}
	l.mu.Unlock()
	if newer {
		l.o.Changed()
	}
}

func sequenceOf(m *nats.Msg) (n uint64, err error) {
	_, err = fmt.Sscan(m.Header.Get(nats.JSSequence), &n)
	return n, err
}
