package mesh

import "time"

// Limits of the mesh. The origin is this project unless named.
const (
	// Raft's timers. NATS's own (1 s, 4 to 9 s) would keep a radio silent for seconds
	// after its node has died. etcd ships 100 ms and 1 s.
	heartbeat   = 300 * time.Millisecond
	electionMin = 650 * time.Millisecond
	electionMax = 1000 * time.Millisecond
	campaignMin = 20 * time.Millisecond
	campaignMax = 160 * time.Millisecond
	// quorumLost is how long a leader that hears no majority remains one, and quorumCheck how
	// often it looks.
	quorumLost  = 2 * time.Second
	quorumCheck = time.Second

	// reconnectDelay is how long after its end a route is made anew, and up to 100 ms more, by
	// which NATS keeps the two ends from doing it at once. NATS's own is 1 s.
	reconnectDelay = 10 * time.Millisecond
	// connectDelay is the pause after an attempt to reach a node that failed. NATS's own is
	// 1 s.
	connectDelay = 250 * time.Millisecond

	// startTime is how long a node waits for NATS to listen, and joinTime for the cluster to
	// have a majority.
	startTime = 30 * time.Second
	joinTime  = 10 * time.Minute

	// catchUpAgain is the pause before a node looks again whether its copy has caught up, and
	// askTime how long it waits for an answer.
	catchUpAgain = 20 * time.Millisecond
	askTime      = time.Second

	// MaxPayload is NATS's largest message in bytes (see server/store).
	MaxPayload = 8 << 20

	// maxPending is how many bytes may wait for a connection that does not read; NATS then
	// closes it. A snapshot of a full radio is some megabytes.
	maxPending = 64 << 20

	// writeTimeout is how long a durable write may take.
	writeTimeout = 5 * time.Second

	// maxStore and maxMemory are what JetStream may keep on the disk and in memory, in bytes.
	maxStore  = 64 << 30
	maxMemory = 64 << 20
)
