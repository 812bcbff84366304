package socket

import "time"

// Limits and timeouts of the adapter.
const (
	// probeTime is how long an older socket of the same identity has to answer
	// before it counts as dead (RATIONALE, "How does a login get its id back?").
	probeTime = 2 * time.Second
	// lookEvery is how often Move looks whether the links have ended.
	lookEvery = 20 * time.Millisecond
	// commandTime bounds one command of a client, the store included.
	commandTime = 10 * time.Second
	// defaultEventRate (per second) and eventBurst bound the control events of one
	// client: beyond them its own events wait, nobody else's do. A console that joins
	// and scans a large layout sends some hundreds at once.
	defaultEventRate = 200
	eventBurst       = 4000
	// scriptRate (per second) and scriptBurst bound one client's events for scripts; those
	// beyond are refused, because all players share a script's queue. The figures are the
	// game's own (rateLimiter_netEvent).
	scriptRate  = 50
	scriptBurst = 200
	// inboxEvents and inboxBytes bound what a client on a data channel has sent and the
	// service has not handled yet. A socket's transport stops reading; a data channel is
	// always read, so a client that sends more is put out (RATIONALE, "Why does a flood
	// over the data channel end the connection?").
	inboxEvents = 4096
	inboxBytes  = 256 << 10
	// maxAckID is the largest number of an acknowledgement that JavaScript counts
	// exactly.
	maxAckID = 1<<53 - 1
	// pieceBytes is how much of a sound file one toneFile brings, in bytes before base64:
	// the ack stays one data channel message of any endpoint.
	pieceBytes = 16 << 10
)
