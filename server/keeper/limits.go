package keeper

import "time"

// Limits of the keeper, all of this project.
const (
	// maxRecords and maxBytes bound what is kept in memory while nothing can be
	// stored. Beyond either the oldest records of the same kind are merged.
	maxRecords = 10_000
	maxBytes   = 16 << 20

	// chunk is how many records are written at once.
	chunk = 512

	// writeTime bounds one write.
	writeTime = 30 * time.Second

	// slowWrite is how long a write may take until the disk counts as broken and nobody
	// waits for it any more: half of what a client's command has (server/socket,
	// commandTime).
	slowWrite = 5 * time.Second

	// retryFirst and retryMost bound the time between two looks at a broken disk; it
	// doubles from look to look. The store itself asks for 2 s between writes.
	retryFirst = 2 * time.Second
	retryMost  = 15 * time.Second

	// probeBytes is the least room that the disk must have before a change that needs
	// storage: a change takes a few KiB, and twice the state's size.
	probeBytes = 256 << 10

	// watchEvery is how often to look at a disk while nothing is written, so that
	// health is right all the time; watchBytes is what such a look writes.
	watchEvery = 10 * time.Second
	watchBytes = 4 << 10
)
