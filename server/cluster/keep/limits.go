package keep

import "time"

// Limits. The origin is this project unless named.
const (
	// MaxBatch is how many keys change at once; NATS takes 1000 (max_batch_size). So
	// many records are appended at once.
	MaxBatch = 900
	// groupBytes is how many bytes of records a message has at most, unless one alone has
	// more. It holds what is appended in a tenth of a second; a look-up reads whole messages.
	groupBytes = 16 << 10
	// maxKey is the longest key in bytes, as in server/store; a subject is 8/5 of that, and
	// NATS takes 4096 bytes (max_control_line).
	maxKey = 1024
	// snapshotPart is the size of the parts of a snapshot, in bytes.
	snapshotPart = 1 << 20

	// writeTime bounds a write, readTime a read.
	writeTime = 10 * time.Second
	readTime  = 10 * time.Second
	// againAfter is the pause between attempts while a stream has no leader.
	againAfter = 50 * time.Millisecond
	// lagTime is the pause before a node is asked again that does not have the newest record.
	lagTime = 10 * time.Millisecond
	// ackTime is how long a stream's leader has to acknowledge one write: ten times what the
	// slowest write took on a disk that others used.
	ackTime = 3 * time.Second
	// askTime is how long a stream's leader has for one answer: there may be none that gets
	// the question.
	askTime = time.Second
	// readBatch is how many records, and readBytes how many bytes, are asked for at a time.
	readBatch = 512
	readBytes = 8 << 20
	// logBatch is how many messages of a log are asked for at a time.
	logBatch = 64
	// probeFor is for how long all radios go by what a probe has found.
	probeFor = time.Second
	// anchorEvery is of how many records of a log the place of one is remembered, and
	// maxAnchors for how many: a look-up in the newest million takes ten questions.
	anchorEvery = 1024
	maxAnchors  = 1024
	// retainEvery is after how many appends old records are removed.
	retainEvery = 256
	// logAge is how long records are kept at most (Options of server/store).
	logAge = 366 * 24 * time.Hour
)
