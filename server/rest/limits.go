package rest

import "time"

// Bounds of this package. Limits of logins and calls per second are those of
// package session; Options may replace them.
const (
	// maxSearch bounds the texts that the timeline is searched for, in bytes.
	maxSearch = 200

	// maxLooks is how many pages of the timeline are looked for at once: each may be a third
	// of a second of work (timeline.Timeline.Page), which the radio would lack.
	maxLooks = 4
	// lookWait is how long a call waits for its place, and lookRetry when to ask again if
	// there was none.
	lookWait  = 2 * time.Second
	lookRetry = 5 * time.Second

	// maxNumber is the largest number that JavaScript's own have exactly (ECMA-262,
	// Number.MAX_SAFE_INTEGER).
	maxNumber = 1<<53 - 1

	// maxBody is the largest request body in bytes.
	maxBody = 64 << 10
	// pollTimeout is how long reading and writing may take for Socket.IO, which holds a
	// long poll for a ping interval and timeout, 5 min each at most.
	pollTimeout = 11 * time.Minute
	// downloadTimeout is how long writing may take for files: 200 MB at 1 Mbit/s.
	downloadTimeout = 30 * time.Minute
	// commandTimeout bounds one command, its way to the disk included.
	commandTimeout = 15 * time.Second
	// changesTimeout is how long the game server may take for an answer with changes,
	// beside its wait: 4 MB of a full radio at 1 Mbit/s.
	changesTimeout = 40 * time.Second
	// doTimeout bounds all actions of one call. net/http gives a request 30 s.
	doTimeout = 10 * time.Second
	// enrolTimeout bounds a list of players.
	enrolTimeout = 25 * time.Second
	// enrolAtOnce is how many players of a list are registered at a time. They share the
	// look at the disk that each of them asks for.
	enrolAtOnce = 32
	// pollRetry is when to ask again for changes when too many calls wait.
	pollRetry = time.Second
	// busyRetry is when to ask again for a session while there is no room for one: some
	// consoles will have closed by then.
	busyRetry = time.Minute
	// preflightSeconds is how long a browser may keep a preflight's answer.
	// Chromium keeps none longer than two hours.
	preflightSeconds = "7200"
	// toneSeconds is how long a tone may be cached: tones play at the very moment of a
	// key-up, and operators change them rarely.
	toneSeconds = "300"
	// maxManifest is the largest update.json, in bytes.
	maxManifest = 1 << 20
	// providerTimeout bounds each request to the identity provider.
	providerTimeout = 10 * time.Second
	// maxUserInfo is the largest answer of the identity provider, in bytes.
	maxUserInfo = 1 << 20
	// maxForwarded is how many addresses of X-Forwarded-For are looked at.
	maxForwarded = 32
)
