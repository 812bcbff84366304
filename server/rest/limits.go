package rest

import "time"

// Every bound of this package. Limits of logins and calls per second are those
// of package session; the owner may pass others in Options.
const (
	// maxBody is the largest request body in bytes (decisions: 64 KiB).
	maxBody = 64 << 10
	// maxHeader is the largest request header in bytes. Browsers send about 2
	// KiB, cookies of other applications on the same host included.
	maxHeader = 32 << 10
	// headerTimeout bounds reading a request's header, so that a slow sender
	// holds a connection and nothing else.
	headerTimeout = 10 * time.Second
	// readTimeout bounds reading a whole request: 1 MB of a polling transport
	// at 300 kbit/s.
	readTimeout = 30 * time.Second
	// writeTimeout bounds a whole answer: 1 MB of status at 300 kbit/s, twice.
	writeTimeout = 60 * time.Second
	// pollTimeout is readTimeout and writeTimeout for Socket.IO, which holds a
	// long poll for a ping interval and timeout, 5 min each at most.
	pollTimeout = 11 * time.Minute
	// downloadTimeout is writeTimeout for files: 200 MB at 1 Mbit/s.
	downloadTimeout = 30 * time.Minute
	// idleTimeout is how long a quiet kept-alive connection stays open. Bots
	// poll once a minute.
	idleTimeout = 2 * time.Minute
	// commandTimeout bounds one command, its way to the disk included.
	commandTimeout = 15 * time.Second
	// busyRetry is when to ask again for a session while there is no room for
	// one: about when people close their consoles.
	busyRetry = time.Minute
	// preflightSeconds is how long a browser may keep a preflight's answer.
	// Chromium keeps none longer than two hours.
	preflightSeconds = "7200"
	// toneSeconds is how long a tone may be played without asking again: tones
	// are played in the moment of a key-up, and operators change them rarely.
	toneSeconds = "300"
	// maxTone is the largest sound file served, in bytes.
	maxTone = 16 << 20
	// maxManifest is the largest update.json, in bytes.
	maxManifest = 1 << 20
	// maxCallsign is the longest callsign of a session in characters: it is the
	// user's name until it sends another, and the core takes names of 128.
	maxCallsign = 128
	// providerTimeout bounds each request to the identity provider.
	providerTimeout = 10 * time.Second
	// maxUserInfo is the largest answer of the identity provider, in bytes.
	maxUserInfo = 1 << 20
	// maxForwarded is how many addresses of X-Forwarded-For are looked at.
	maxForwarded = 32
)
