package engine

import "time"

// Limits of the engine, all of this project.
const (
	// queueLength bounds the orders that wait for the engine. An order takes about
	// 10 µs, so a full queue is about 10 ms of work; callers then wait.
	queueLength = 1024
	// shortQueue is for how many of them there is room at all times, 120 bytes each: an idle
	// radio is to be small. Room for more is made when it is needed.
	shortQueue = 32

	// durableLength bounds the steps that wait for Source.Durable before they are
	// merged: one snapshot is 100 KiB on a radio of 2000 users.
	durableLength = 64

	// maxAbandoned bounds the callers that have given up, or were told ErrResync, and
	// whose order may still come. Entries stay only if a source loses proposals.
	maxAbandoned = 1024

	// ghostTime is how long a user whose caller gave up stays on the radio: the same
	// client may be about to come back.
	ghostTime = time.Second

	// closeTime bounds the wait for followers when the engine closes: it covers the
	// longest wait for the keeper (keeper.slowWrite) and a full queue of messages.
	closeTime = 10 * time.Second
)
