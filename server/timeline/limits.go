package timeline

import "time"

// Limits of the timeline, all of this project.
const (
	// tailLength is how many of the newest entries stay in memory, and how many are read
	// at the start: half an hour of a busy radio. An entry takes about 500 bytes.
	tailLength = 4096

	// again is after how many entries a transmission that is still on the air is looked at:
	// its beginning is entered again before it is half a tail back, so that a start finds
	// it there.
	again = 512

	// maxPending bounds the entries that wait for a broken disk. When there are so many, no
	// more of the frequent kinds are taken; of the others as many again.
	maxPending = 10_000

	// chunk is how many entries are written or read at once.
	chunk = 512

	// linger is how long an entry that nobody waits for may wait for others, so that a busy
	// radio writes a few times a second. It is what kill -9 can take.
	linger = 100 * time.Millisecond

	// writeTime bounds one write; slowWrite is how long a write may take until nobody waits
	// for it any more, as for the keeper.
	writeTime = 30 * time.Second
	slowWrite = 5 * time.Second

	// closeWait is how long the end waits for a disk that takes nothing: longer than one
	// write. Nothing else bounds a probe of a disk that hangs.
	closeWait = writeTime + slowWrite

	// retryFirst and retryMost bound the time between two attempts to write to a broken
	// disk; it doubles from one to the next. The store itself asks for 2 s between writes.
	retryFirst = 2 * time.Second
	retryMost  = 15 * time.Second

	// probeBytes is the least room that a broken disk must have again: several chunks of
	// entries.
	probeBytes = 1 << 20

	// scanMost is how many entries one page looks at: a third of a second of work (RATIONALE,
	// "Why is a page a bounded scan and not an index?").
	scanMost = 10_000

	// straggling is how much later than it began an entry may stand in the log: a
	// transmission stands where it ended.
	straggling = 5 * time.Minute

	// backwards is how many entries in a row must be older than what is asked for until a
	// search ends: a clock that was set back leaves some out of order.
	backwards = 256
)
