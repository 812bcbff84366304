package radio

import (
	"context"
	"slices"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/cluster/lease"
	"squelch/server/config"
	"squelch/server/metrics"
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

// notReady says why this node takes no clients; "": it does.
func (m *member) notReady() string {
	switch {
	case m == nil:
		return ""
	case !m.node.Majority():
		return "this node hears of no majority of the cluster's nodes"
	case m.deaf.Load() != 0:
		return "no node decides about the radio"
	}
	return ""
}

// figures are those for monitoring.
func (m *member) figures(ctx context.Context) *metrics.Cluster {
	owner, writes := m.node.Leases.Owner(m.r.name), m.node.Leases.Writes()
	c := &metrics.Cluster{Peers: m.node.Mesh.Peers(), Majority: m.node.Leases.Holds(), Writes: writes.Acknowledged, Failed: writes.Failed, Refused: writes.Refused,
		Bounds: lease.WriteBuckets[:], Within: writes.Within[:], Seconds: writes.Sum.Seconds(),
		Owned: owner.Node != "" && m.node.Leases.Lives(owner.Node), Owns: m.wanted.Load()}
	for _, n := range m.node.Leases.All() {
		switch {
		case !n.Gone:
			c.Alive++
		case !n.Leaving:
			c.Missing++
		}
	}
	if is, err := m.source.Status(ctx); err == nil { // one that is too busy shows nothing of the rest
		c.Deaf, c.Differs, c.Epoch, c.Order, c.Pending = is.Deaf, is.Differs, is.Epoch, is.Seq, is.Pending
		c.Gaps, c.Resyncs, c.Mismatches, c.Takeovers, c.Stale = is.Gaps, is.Resyncs, is.Mismatches, is.Takeovers, is.Stale
		c.VoiceSent, c.VoiceReceived, c.VoiceDropped = is.Voice.Sent, is.Voice.Received, is.Voice.Dropped
	}
	return c
}
