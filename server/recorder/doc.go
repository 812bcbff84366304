// Package recorder records what is said: it takes the tapes of the media plane and writes
// them on the shelf (package recordings).
//
//	talkers' goroutines ── Take ──► memory of the talk ── every 100 ms ──► writer ──► shelf
//	engine ── Begin, End, Follower ──► list of talks ──────────────────────┘
//
// Take copies a packet and returns. One goroutine, the writer, works with the disk; while
// the disk is slow, what has no room in memory is lost and counted. When the disk fails,
// only the recorder stops. It tries again by itself, and says in one sentence why nothing
// is recorded. The radio never waits for it.
package recorder
