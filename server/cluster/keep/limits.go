package keep

import "time"

// Limits. The origin is this project unless named.
const (
	// MaxRecord is the largest record or value, in bytes; as in server/store.
	MaxRecord = 4 << 20
	// MaxBatch is how many keys change at once; NATS takes 1000 (max_batch_size).
	MaxBatch = 900
	// MaxBucketKeys and MaxBucketBytes bound one bucket, which is kept in memory; as in
	// server/store.
	MaxBucketKeys  = 50_000
	MaxBucketBytes = 64 << 20
	// snapshotPart is the size of the parts of a snapshot, in bytes.
	snapshotPart = 1 << 20
	// MaxSnapshot is the largest snapshot, in bytes; as in server/store.
	MaxSnapshot = 256 << 20

	// writeTime bounds a write, readTime a read.
	writeTime = 10 * time.Second
	readTime  = 10 * time.Second
	// readBatch is how many records, and readBytes how many bytes, are asked for at a time.
	readBatch = 512
	readBytes = 8 << 20
	// retainEvery is after how many appends old records are removed.
	retainEvery = 256
	// logAge is how long records are kept at most (Options of server/store).
	logAge = 366 * 24 * time.Hour
)
