package eio

import (
	"net/http"
	"time"
)

// Limits and timeouts of the transport, used where [Options] leaves a field zero.
const (
	// DefaultPingInterval is the pause between heartbeats (Engine.IO's own default).
	DefaultPingInterval = 25 * time.Second
	// DefaultPingTimeout is how long a pong may take (Engine.IO's own default).
	DefaultPingTimeout = 20 * time.Second
	// DefaultMaxPayload is the largest websocket message or POST body, in bytes
	// (Engine.IO's maxHttpBufferSize).
	DefaultMaxPayload = 1_000_000
	// DefaultUpgradeTimeout is how long a websocket probe may take (Engine.IO's own default).
	DefaultUpgradeTimeout = 10 * time.Second
	// DefaultMaxSessions is the number of sessions in all; 10,000 idle ones take about 200 MB.
	DefaultMaxSessions = 10_000
	// DefaultMaxSessionsPerAddress is the number of sessions of one address: a
	// dispatch centre or a player network behind one NAT fits.
	DefaultMaxSessionsPerAddress = 1_000
	// DefaultMaxBacklog is how many bytes of reliable messages may wait for one
	// peer before it is closed: one largest message, or minutes of state events.
	DefaultMaxBacklog = 1 << 20
	// DefaultMaxVolatileFrames is how many voice frames may wait for one peer:
	// about two seconds of one talker at 20 ms, older ones are useless.
	DefaultMaxVolatileFrames = 100
	// DefaultMaxVolatileBytes bounds the same queue for clients that send long blobs.
	DefaultMaxVolatileBytes = 256 << 10
	// DefaultWriteTimeout is how long a peer may take no byte at all.
	DefaultWriteTimeout = 10 * time.Second
	// DefaultInboundMessages is how many messages of one peer may wait for their
	// handler before reading from that peer pauses.
	DefaultInboundMessages = 256
	// DefaultInboundBytes bounds the same queue; one message always fits.
	DefaultInboundBytes = 1 << 20

	// maxMakeRoom is how many sessions are ended for one newcomer: others who come at
	// the same moment may take the room that was made.
	maxMakeRoom = 8
	// bodyTimeout is how long a POST body may take to arrive.
	bodyTimeout = 30 * time.Second
	// closeLinger is how long a closing session waits for its peer to take the
	// last messages and to confirm.
	closeLinger = 5 * time.Second
	// closeGrace is how long a closing server waits for that, for all sessions
	// together.
	closeGrace = time.Second
	// farewellLinger is how long the poll of a client that closed by POST may still
	// arrive on its other connection.
	farewellLinger = time.Second
	// lastRead is how long a session reads on when its peer no longer takes anything,
	// for what the peer has sent before.
	lastRead = time.Second
	// writeChunk is how many bytes must leave within one WriteTimeout.
	writeChunk = 64 << 10
	// maxProbes is how many liveness probes may wait at once on one session.
	maxProbes = 16
	// readBuffer is the websocket read buffer of each session, in bytes: voice
	// frames of legacy clients fit in two reads, and idle clients stay cheap.
	readBuffer = 512
	// logEvery is the shortest pause between two log lines of one kind.
	logEvery = time.Second
)

// Options configures a [Server]. Zero fields take the defaults above.
type Options struct {
	// PingInterval and PingTimeout are the heartbeat.
	PingInterval, PingTimeout time.Duration
	// UpgradeTimeout is how long a probe may take.
	UpgradeTimeout time.Duration
	// MaxPayload is the largest message or POST body in bytes.
	MaxPayload int
	// MaxSessions and MaxSessionsPerAddress bound the number of sessions.
	MaxSessions, MaxSessionsPerAddress int
	// MaxBacklog bounds the bytes of reliable messages waiting for one peer.
	MaxBacklog int
	// MaxVolatileFrames and MaxVolatileBytes bound the volatile messages waiting for one peer.
	MaxVolatileFrames, MaxVolatileBytes int
	// WriteTimeout is how long a peer may take nothing before it is closed.
	WriteTimeout time.Duration
	// InboundMessages and InboundBytes bound what waits for the handler.
	InboundMessages, InboundBytes int
	// AllowedOrigins lists the origins of browsers that may connect; empty: any
	// origin, without credentials. A listed origin may also send credentials.
	AllowedOrigins []string
	// ClientAddr returns the address that limits count; nil: the host of RemoteAddr.
	ClientAddr func(*http.Request) string
	// Logf takes rate-limited log lines; nil: none.
	Logf func(format string, args ...any)
}

func (o Options) withDefaults() Options {
	setDefault(&o.PingInterval, DefaultPingInterval)
	setDefault(&o.PingTimeout, DefaultPingTimeout)
	setDefault(&o.UpgradeTimeout, DefaultUpgradeTimeout)
	setDefault(&o.MaxPayload, DefaultMaxPayload)
	setDefault(&o.MaxSessions, DefaultMaxSessions)
	setDefault(&o.MaxSessionsPerAddress, DefaultMaxSessionsPerAddress)
	setDefault(&o.MaxBacklog, DefaultMaxBacklog)
	setDefault(&o.MaxVolatileFrames, DefaultMaxVolatileFrames)
	setDefault(&o.MaxVolatileBytes, DefaultMaxVolatileBytes)
	setDefault(&o.WriteTimeout, DefaultWriteTimeout)
	setDefault(&o.InboundMessages, DefaultInboundMessages)
	setDefault(&o.InboundBytes, DefaultInboundBytes)
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	return o
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
