//go:build !wasm

package wire

// Shapes of a cluster: one radio on several nodes.
type (
	// ClusterStatus is how the cluster is doing.
	ClusterStatus struct {
		Cluster *Cluster `json:"cluster"` // null: the service is alone
	}
	// Cluster is what all nodes that answer say of themselves.
	Cluster struct {
		Name     string         `json:"name"`
		Node     string         `json:"node"` // that gives this answer
		Radios   []ClusterRadio `json:"radios"`
		Nodes    []ClusterNode  `json:"nodes"`
		Problems []string       `json:"problems"` // what is wrong, in words; none: all is well
	}
	// ClusterRadio is a radio and who decides about it.
	ClusterRadio struct {
		Radio string `json:"radio"`
		Owner string `json:"owner"` // the node that decides; "": none does
		Epoch uint64 `json:"epoch"` // grows with each change of the owner
		Seq   uint64 `json:"seq"`   // the owner's newest order
	}
	// ClusterNode is one node. Where answers is false, only the fields before it count.
	ClusterNode struct {
		Name    string `json:"name"`
		Build   string `json:"build"`
		URL     string `json:"url"`     // for clients; "": they are not told of it
		Lives   bool   `json:"lives"`   // its lease has not ended
		Leaving bool   `json:"leaving"` // it takes no radio any more, because it is about to stop
		Answers bool   `json:"answers"`
		// Routes is with how many other nodes it is connected; null: an existing NATS knows.
		Routes *int `json:"routes"`
		// Quorum: a majority of the nodes acknowledges what it writes.
		Quorum  bool             `json:"quorum"`
		StoreMs int64            `json:"storeMs"` // how long its newest write took until then
		Radios  []ClusterReplica `json:"radios"`
	}
	// ClusterReplica is a radio as one node has it. What it counts, it counts since the start.
	ClusterReplica struct {
		Radio string `json:"radio"`
		Owner string `json:"owner"` // as this node knows it
		Epoch uint64 `json:"epoch"`
		Seq   uint64 `json:"seq"` // the newest order that it has carried out
		Lag   uint64 `json:"lag"` // how many orders that is behind the owner
		// Hash is of the state after order HashSeq, the newest one that was compared with the
		// owner's; "": none was yet in this epoch.
		Hash    string `json:"hash"`
		HashSeq uint64 `json:"hashSeq"`
		Differs bool   `json:"differs"` // from the owner's: it takes a snapshot
		Pending int    `json:"pending"` // commands of its clients that wait for their order
		Deaf    bool   `json:"deaf"`    // it hears of no owner, and denies key-ups

		Gaps       uint64 `json:"gaps"`       // orders were missing
		Resyncs    uint64 `json:"resyncs"`    // it took a snapshot
		Mismatches uint64 `json:"mismatches"` // its state differed from the owner's
		Takeovers  uint64 `json:"takeovers"`  // it became the owner
		Stale      uint64 `json:"stale"`      // orders of an owner before came, and were dropped

		Voice ClusterVoice `json:"voice"`
	}
	// ClusterVoice counts a radio's frames to and from other nodes.
	ClusterVoice struct {
		Sent     uint64 `json:"sent"`
		Received uint64 `json:"received"`
		Dropped  uint64 `json:"dropped"` // of both
	}
	// ClusterMove has another node decide about a radio.
	ClusterMove struct {
		Radio string `json:"radio" wire:"required"`
		Node  string `json:"node" wire:"required"`
	}
	// ClusterMoved says who decides now.
	ClusterMoved struct {
		Success bool   `json:"success"`
		Radio   string `json:"radio"`
		From    string `json:"from"` // the owner before
		Owner   string `json:"owner"`
		Epoch   uint64 `json:"epoch"`
		TookMs  int64  `json:"tookMs"` // from the request until the new owner was known here
	}
)

// clusterRoutes are for those who run several nodes.
var clusterRoutes = []Route{
	{Method: get, Path: "/api/cluster", Auth: Master, Scope: ScopeMetrics, Reply: ClusterStatus{}, Status: 200, Errors: []int{401, 403, 429}, Extension: true,
		Doc: "The nodes of the cluster, who decides about each radio, and how far each node is; null if the service is alone"},
	{Method: post, Path: "/api/cluster/move", Auth: Master, NoKeys: true, Body: ClusterMove{}, Reply: ClusterMoved{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 409, 413, 429, 503}, Extension: true, Doc: "Have another node decide about a radio; answers when it does"},
}
