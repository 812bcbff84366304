package mesh

import (
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	_ "github.com/nats-io/nats-server/v2/server"
)

// NATS has no option for the timers of Raft and of its routes: they are variables of its
// package (server/raft.go and route.go of v2.15.2). Should they go, the build fails; should
// their meaning change, TestRaftIsTuned does.

//go:linkname hbInterval github.com/nats-io/nats-server/v2/server.hbInterval
var hbInterval time.Duration

//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
var minElectionTimeout time.Duration

//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var maxElectionTimeout time.Duration

//go:linkname minCampaignTimeout github.com/nats-io/nats-server/v2/server.minCampaignTimeout
var minCampaignTimeout time.Duration

//go:linkname maxCampaignTimeout github.com/nats-io/nats-server/v2/server.maxCampaignTimeout
var maxCampaignTimeout time.Duration

//go:linkname lostQuorumInterval github.com/nats-io/nats-server/v2/server.lostQuorumInterval
var lostQuorumInterval time.Duration

//go:linkname lostQuorumCheck github.com/nats-io/nats-server/v2/server.lostQuorumCheck
var lostQuorumCheck time.Duration

//go:linkname routeReconnectDelay github.com/nats-io/nats-server/v2/server.routeReconnectDelay
var routeReconnectDelay time.Duration

//go:linkname routeConnectDelay github.com/nats-io/nats-server/v2/server.routeConnectDelay
var routeConnectDelay time.Duration

// tune must run before a server is made. A process may make several.
var tune = sync.OnceFunc(func() {
	hbInterval, minElectionTimeout, maxElectionTimeout = heartbeat, electionMin, electionMax
	minCampaignTimeout, maxCampaignTimeout = campaignMin, campaignMax
	lostQuorumInterval, lostQuorumCheck = quorumLost, quorumCheck
	routeReconnectDelay, routeConnectDelay = reconnectDelay, connectDelay
})
