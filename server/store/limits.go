package store

import "time"

// Limits of the store. The origin is this project unless named.
const (
	// formatVersion is the version of the data folder's layout. Format 1 is
	// read once and rewritten; see format1.go.
	formatVersion = 2

	// maxPayload is NATS's largest message in bytes. Above 8 MiB the server
	// advises against it (its MAX_PAYLOAD_MAX_SIZE).
	maxPayload = 8 << 20

	// MaxRecord is the largest single record of a log or a bucket, in bytes.
	// It leaves room for headers and for the base64 of bucket values.
	MaxRecord = 4 << 20

	// snapshotPart is the size in bytes of one stored part of a snapshot.
	snapshotPart = 1 << 20

	// MaxSnapshot is the largest snapshot in bytes, far above what a full
	// radio needs, so that an error in the core cannot fill the disk.
	MaxSnapshot = 256 << 20

	// maxStore is the ceiling for all streams together, in bytes.
	maxStore = 16 << 30

	// maxMemory is what JetStream may keep in memory streams, in bytes. None
	// is used; JetStream wants a number.
	maxMemory = 16 << 20

	// writeTimeout is the longest wait for the disk to take one append. A
	// disk that needs longer is broken; callers then get an error.
	writeTimeout = 30 * time.Second

	// watermarkSync is the longest time for which the watermark on the disk may
	// lag behind the records after a loss of power.
	watermarkSync = time.Second

	// copySlack is how many bytes must be free beyond the copy that an
	// uncleanly closed folder is checked on: NATS writes its indices there.
	copySlack = 4 << 20

	// maxComplaints is how many of NATS's warnings at its start are kept, to
	// name the file when something is wrong.
	maxComplaints = 100

	// diskPause is how long writes are refused at once after the disk failed,
	// so that a full disk is not asked for every record.
	diskPause = 2 * time.Second

	// startTimeout is the longest wait for NATS to be ready.
	startTimeout = 30 * time.Second

	// restartTimeout bounds how long NATS's files are read again after a failed write:
	// 100 MB of records take less than the 15 s of a start after a crash (see
	// RATIONALE).
	restartTimeout = 5 * time.Minute

	// readBatch is how many records, and readBatchBytes how many bytes, are
	// asked from NATS at a time.
	readBatch      = 512
	readBatchBytes = 16 << 20

	// MaxBucketKeys and MaxBucketBytes bound one bucket: its contents are kept
	// in memory and rewritten on compaction.
	MaxBucketKeys  = 50_000
	MaxBucketBytes = 64 << 20

	// compactSlack is how many outdated records a bucket may carry before it
	// is rewritten.
	compactSlack = 256

	// compactPart is the size in bytes of the records that a rewritten bucket
	// is made of, before base64.
	compactPart = 1 << 20

	// keepSnapshots and keepSnapshotBytes: older snapshots are removed when
	// this many records or bytes have piled up.
	keepSnapshots     = 32
	keepSnapshotBytes = 32 << 20

	// retentionEvery is after how many appends a log's age and size are
	// looked at again; it is looked at on Open too.
	retentionEvery = 256
)

// Defaults of [Options]: the audit log is kept for a year or 256 MiB, the
// timeline for 90 days or 128 MiB, whichever is reached first. The
// oldest records go first.
const (
	DefaultAuditMaxAge      = 366 * 24 * time.Hour
	DefaultAuditMaxBytes    = 256 << 20
	DefaultTimelineMaxAge   = 90 * 24 * time.Hour
	DefaultTimelineMaxBytes = 128 << 20
)

// When the timeline is bounded by a number of records, its size is bounded by so many
// bytes for each, at most maxTimeline: a record takes 300 to 500.
const (
	timelineRecord = 1 << 10
	maxTimeline    = 8 << 30
)
