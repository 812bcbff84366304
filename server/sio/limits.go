package sio

import (
	"net/http"
	"time"

	"squelch/server/sio/eio"
)

// Limits and timeouts of the Socket.IO layer; those of the transport are in eio/limits.go.
const (
	// DefaultConnectTimeout is how long a session may go without a namespace
	// (Socket.IO's own default).
	DefaultConnectTimeout = 45 * time.Second
	// DefaultReplayEvents and DefaultReplayBytes bound what is kept for one socket's
	// recovery; a client that misses more starts anew.
	DefaultReplayEvents = 512
	DefaultReplayBytes  = 256 << 10
	// DefaultMaxDetached is how many lost sockets are kept for recovery in all.
	DefaultMaxDetached = 4096

	// attachmentPayloads times MaxPayload bounds the bytes of one event's attachments.
	attachmentPayloads = 4
	// maxPendingAcks is how many acknowledgements of one client may be awaited.
	maxPendingAcks = 1024
	// settleWait is how long a recovering client waits for what it may have sent on its
	// old connection, if that neither answers nor ends: a lost packet is sent again
	// within that time (RFC 6298: the first time-out is at most one second).
	settleWait = time.Second
	// takeoverWait is how long a recovering client waits until OnDisconnect of its old
	// connection has returned.
	takeoverWait = 5 * time.Second
)

// Options configures a [Server]; zero fields take the defaults here and in eio/limits.go.
type Options struct {
	// PingInterval and PingTimeout are the heartbeat (25 s, 20 s).
	PingInterval, PingTimeout time.Duration
	// UpgradeTimeout is how long a websocket probe may take (10 s).
	UpgradeTimeout time.Duration
	// ConnectTimeout is how long a session may go without a namespace (45 s).
	ConnectTimeout time.Duration
	// MaxPayload is the largest message or POST body in bytes (1,000,000).
	MaxPayload int
	// MaxSessions and MaxSessionsPerAddress bound the sessions (10,000; 1,000).
	MaxSessions, MaxSessionsPerAddress int
	// MaxBacklog bounds the bytes of reliable events that wait for one peer (1 MiB).
	MaxBacklog int
	// MaxVolatileFrames and MaxVolatileBytes bound waiting voice (100; 256 KiB).
	MaxVolatileFrames, MaxVolatileBytes int
	// WriteTimeout is how long a peer may take nothing (10 s).
	WriteTimeout time.Duration
	// InboundMessages and InboundBytes bound what waits for handlers (256; 1 MiB).
	InboundMessages, InboundBytes int
	// RecoveryWindow is how long a lost socket can be recovered; 0: recovery is off.
	RecoveryWindow time.Duration
	// ReplayEvents and ReplayBytes bound what is kept per socket for recovery.
	ReplayEvents, ReplayBytes int
	// MaxDetached bounds the lost sockets that are kept.
	MaxDetached int
	// AllowedOrigins lists browser origins; empty: any, without credentials.
	AllowedOrigins []string
	// ClientAddr returns a request's client behind trusted proxies; nil: RemoteAddr's
	// host.
	ClientAddr func(*http.Request) string
	// Logf takes rate-limited log lines; nil: none.
	Logf func(format string, args ...any)
}

func (o Options) withDefaults() Options {
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.MaxPayload <= 0 {
		o.MaxPayload = eio.DefaultMaxPayload
	}
	if o.ReplayEvents <= 0 {
		o.ReplayEvents = DefaultReplayEvents
	}
	if o.ReplayBytes <= 0 {
		o.ReplayBytes = DefaultReplayBytes
	}
	if o.MaxDetached <= 0 {
		o.MaxDetached = DefaultMaxDetached
	}
	return o
}

func (o Options) engine() eio.Options {
	return eio.Options{
		PingInterval: o.PingInterval, PingTimeout: o.PingTimeout, UpgradeTimeout: o.UpgradeTimeout,
		MaxPayload: o.MaxPayload, MaxSessions: o.MaxSessions, MaxSessionsPerAddress: o.MaxSessionsPerAddress,
		MaxBacklog: o.MaxBacklog, MaxVolatileFrames: o.MaxVolatileFrames, MaxVolatileBytes: o.MaxVolatileBytes,
		WriteTimeout: o.WriteTimeout, InboundMessages: o.InboundMessages, InboundBytes: o.InboundBytes,
		AllowedOrigins: o.AllowedOrigins, ClientAddr: o.ClientAddr, Logf: o.Logf,
	}
}
