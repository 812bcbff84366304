package metrics

import "github.com/prometheus/client_golang/prometheus"

// Cluster is the radio's place among several nodes, as this one sees it. What counts, counts
// since the start.
type Cluster struct {
	Alive, Missing int
	Peers          int // other nodes with a connection; -1: an existing NATS knows
	Majority       bool

	// Writes that a majority acknowledged, and how many of them took at most each of Bounds,
	// in seconds; those that failed; changes of an owner that another node had made before.
	Writes, Failed, Refused uint64
	Bounds                  []float64
	Within                  []uint64
	Seconds                 float64

	Owned, Owns, Deaf, Differs                  bool
	Epoch, Order                                uint64
	Pending                                     int
	Gaps, Resyncs, Mismatches, Takeovers, Stale uint64
	VoiceSent, VoiceReceived, VoiceDropped      uint64
}

var (
	clNodes      = describe("cluster_nodes", "Nodes of the cluster, by state: alive, missing. A node that has left is neither.", "state")
	clPeers      = describe("cluster_peers", "Other nodes with which this one is connected.")
	clMajority   = describe("cluster_majority", "1 while a majority of the nodes acknowledges what this one writes.")
	clWrites     = describe("cluster_write_seconds", "How long renewals of this node's lease took until a majority of the nodes had them: what any durable change costs at least.")
	clFailed     = describe("cluster_writes_failed_total", "Renewals that no majority acknowledged in time.")
	clRefused    = describe("cluster_takes_refused_total", "Radios that this node wanted to take and another one had taken first.")
	clOwned      = describe("cluster_owned", "1 while some node that lives decides about the radio.")
	clOwns       = describe("cluster_owns", "1 while this node decides about the radio.")
	clDeaf       = describe("cluster_deaf", "1 while this node hears of nobody who decides, and denies key-ups.")
	clDiffers    = describe("cluster_differs", "1 while this node's state is known to differ from the owner's.")
	clEpoch      = describe("cluster_epoch", "Epoch of the radio: it grows with each change of the owner.")
	clOrder      = describe("cluster_order", "The newest order that this node has carried out; the difference between nodes is how far one is behind.")
	clPending    = describe("cluster_pending_commands", "Commands of this node's clients that wait for their order.")
	clGaps       = describe("cluster_gaps_total", "Times that orders were missing at this node.")
	clResyncs    = describe("cluster_resyncs_total", "Times that this node took a snapshot of the radio.")
	clMismatches = describe("cluster_mismatches_total", "Times that this node's state differed from the owner's.")
	clTakeovers  = describe("cluster_takeovers_total", "Times that this node became the owner.")
	clStale      = describe("cluster_stale_orders_total", "Orders of an earlier owner that came too late and were dropped.")
	clVoice      = describe("cluster_voice_frames_total", "Frames of voice to and from other nodes: sent, received.", "direction")
	clDropped    = describe("cluster_voice_frames_dropped_total", "Frames of voice to and from other nodes that were dropped.")
)

func (c *Cluster) collect(to chan<- prometheus.Metric, gauge func(*prometheus.Desc, float64, ...string), counter func(*prometheus.Desc, uint64, ...string)) {
	gauge(clNodes, float64(c.Alive), "alive")
	gauge(clNodes, float64(c.Missing), "missing")
	if c.Peers >= 0 {
		gauge(clPeers, float64(c.Peers))
	}
	gauge(clMajority, yes(c.Majority))
	within := make(map[float64]uint64, len(c.Bounds))
	for i, b := range c.Bounds {
		within[b] = c.Within[i]
	}
	to <- prometheus.MustNewConstHistogram(clWrites, c.Writes, c.Seconds, within)
	counter(clFailed, c.Failed)
	counter(clRefused, c.Refused)
	gauge(clOwned, yes(c.Owned))
	gauge(clOwns, yes(c.Owns))
	gauge(clDeaf, yes(c.Deaf))
	gauge(clDiffers, yes(c.Differs))
	gauge(clEpoch, float64(c.Epoch))
	gauge(clOrder, float64(c.Order))
	gauge(clPending, float64(c.Pending))
	counter(clGaps, c.Gaps)
	counter(clResyncs, c.Resyncs)
	counter(clMismatches, c.Mismatches)
	counter(clTakeovers, c.Takeovers)
	counter(clStale, c.Stale)
	counter(clVoice, c.VoiceSent, "sent")
	counter(clVoice, c.VoiceReceived, "received")
	counter(clDropped, c.VoiceDropped)
}
