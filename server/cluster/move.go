package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/lease"
	"squelch/server/nearest"
)

// moveSubject and a node's name are on what that node is asked to give a radio away.
const moveSubject = "squelch.move."

type (
	// moving is the question whether a node gives a radio to another one.
	moving struct {
		Radio string `json:"radio"`
		To    string `json:"to"`
	}
	// moved is the answer.
	moved struct {
		Error string `json:"error,omitempty"`
	}
)

// Move has another node decide about a radio. It returns when that node does.
func (n *Node) Move(ctx context.Context, radio, to string) (out wire.ClusterMoved, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, moveTime)
	defer cancel()
	is, err := n.movable(radio, to)
	if err != nil {
		return out, err
	}
	from := is.Node
	if from != to {
		if err := n.askMove(ctx, from, moving{radio, to}); err != nil {
			return out, err
		}
		if is, err = n.nextOwner(ctx, radio, is.Epoch); err != nil {
			return out, err
		}
	}
	if is.Node != to {
		return out, unavailable("Node %s has not taken radio %s in time: node %s has it", to, radio, is.Node)
	}
	return wire.ClusterMoved{Success: true, Radio: radio, From: from, Owner: to, Epoch: is.Epoch, TookMs: time.Since(began).Milliseconds()}, nil
}

func unavailable(format string, args ...any) error {
	return &core.Error{Kind: core.Unavailable, Message: fmt.Sprintf(format, args...)}
}

// movable is the owner of a radio that may go to a node.
func (n *Node) movable(radio, to string) (is lease.Owner, err error) {
	owners := n.Leases.Owners()
	is, known := owners[radio]
	if !known {
		return is, unknown("radio", "Radio", radio, slices.Sorted(maps.Keys(owners)))
	}
	var names []string
	for _, seen := range n.Leases.All() {
		names = append(names, seen.Name)
	}
	if !slices.Contains(names, to) {
		return is, unknown("node", "Node", to, names)
	}
	if is.Node == to && n.Leases.Lives(to) {
		return is, nil
	}
	if is.Node == "" || !n.Leases.Lives(is.Node) {
		return is, unavailable("No node decides about radio %s at the moment: it is taken by itself as soon as a majority of the nodes is there", radio)
	}
	if why := n.Leases.NotFor(to, is.Node); why != "" {
		return is, &core.Error{Kind: core.Conflict, Field: "node", Message: why}
	}
	return is, nil
}

// unknown says that there is no such radio or node, and which one may have been meant.
func unknown(field, what, name string, known []string) error {
	text := fmt.Sprintf("%s %.60q not found", what, name)
	if near := nearest.Name(name, known); near != "" {
		text += "; did you mean " + near + "?"
	} else if len(known) <= mostNamed {
		text += "; there is " + strings.Join(known, ", ")
	}
	return &core.Error{Kind: core.NotFound, Field: field, Message: text}
}

// askMove asks the owner, which may be this node.
func (n *Node) askMove(ctx context.Context, owner string, ask moving) error {
	if owner == n.Name() {
		return n.give(ctx, ask)
	}
	data, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	m, err := n.Mesh.Log.RequestWithContext(ctx, moveSubject+owner, data)
	if err != nil {
		return unavailable("Node %s, which decides about radio %s, does not answer", owner, ask.Radio)
	}
	var a moved
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return err
	}
	if a.Error != "" {
		return unavailable("%s", a.Error)
	}
	return nil
}

// askedMove is asked by another node.
func (n *Node) askedMove(m *nats.Msg) {
	var ask moving
	if json.Unmarshal(m.Data, &ask) != nil {
		return
	}
	n.start(func() {
		ctx, cancel := context.WithTimeout(context.Background(), moveTime)
		defer cancel()
		var a moved
		if err := n.give(ctx, ask); err != nil {
			a.Error = err.Error()
		}
		if b, err := json.Marshal(a); err == nil {
			_ = m.Respond(b)
		}
	})
}

// give gives a radio of this node to another one.
func (n *Node) give(ctx context.Context, ask moving) error {
	n.mu.Lock()
	i := slices.IndexFunc(n.sources, func(s *Source) bool { return s.o.Radio == ask.Radio })
	var s *Source
	if i >= 0 {
		s = n.sources[i]
	}
	n.mu.Unlock()
	if s == nil {
		return unavailable("Node %s does not serve radio %s", n.Name(), ask.Radio)
	}
	err := s.Give(ctx, ask.To)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, lease.ErrTaken):
		return unavailable("Node %s does not decide about radio %s any more; try again", n.Name(), ask.Radio)
	}
	return unavailable("Node %s could not give radio %s away: %v", n.Name(), ask.Radio, err)
}

// nextOwner waits for the owner after an epoch, and until this node has an order of it.
func (n *Node) nextOwner(ctx context.Context, radio string, before uint64) (lease.Owner, error) {
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		is := n.Leases.Owner(radio)
		if is.Epoch > before && is.Node != "" && n.hasEpoch(radio, is.Epoch) {
			return is, nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return is, unavailable("No node has taken radio %s in time", radio)
		}
	}
}

// hasEpoch says whether this node has carried out an order of an epoch.
func (n *Node) hasEpoch(radio string, epoch uint64) bool {
	n.mu.Lock()
	sources := n.sources
	n.mu.Unlock()
	for _, s := range sources {
		if s.o.Radio == radio {
			return s.applied.get().Epoch >= epoch
		}
	}
	return true
}
