package radio

import (
	"context"
	"slices"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/config"
	"squelch/server/rest"
)

// nodes is what the radio's own interface says of its cluster; nil: there is one node.
func (r *Radio) nodes() rest.Cluster {
	if r.member == nil {
		return nil
	}
	return nodes{r.member.node, r.name}
}

// nodes shows the radio that is the host's own all radios, and any other one only itself: its
// master token is that of somebody who runs one of many.
type nodes struct {
	node  *cluster.Node
	radio string
}

func (n nodes) Status(ctx context.Context) (wire.Cluster, error) {
	is, err := n.node.Status(ctx)
	if err != nil || n.radio == config.MainRadio {
		return is, err
	}
	is.Radios = slices.DeleteFunc(is.Radios, func(r wire.ClusterRadio) bool { return r.Radio != n.radio })
	for i := range is.Nodes {
		is.Nodes[i].Radios = slices.DeleteFunc(is.Nodes[i].Radios, func(r wire.ClusterReplica) bool { return r.Radio != n.radio })
	}
	is.Problems = cluster.Problems(is)
	return is, nil
}

func (n nodes) Move(ctx context.Context, radio, to string) (wire.ClusterMoved, error) {
	if n.radio != config.MainRadio && radio != n.radio {
		return wire.ClusterMoved{}, &core.Error{Kind: core.Forbidden, Field: "radio", Message: "This token moves only radio " + n.radio}
	}
	return n.node.Move(ctx, radio, to)
}

// voiceCounts are the radio's frames to and from other nodes. The source may ask before they
// are carried.
func (m *member) voiceCounts() (c wire.ClusterVoice) {
	select {
	case <-m.r.onAir:
	default:
		return c
	}
	s := m.voice.Stats()
	return wire.ClusterVoice{Sent: s.Sent, Received: s.Received, Dropped: s.QueueFull + s.TooLong + s.Failed + s.Malformed + s.Slow + s.Far.Early + s.Far.Flooded + s.Far.Malformed}
}
