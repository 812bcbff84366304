package recdesk

import "time"

// Bounds of this package, all of this project unless named.
const (
	// maxForm is the largest body, in bytes: that of all of REST.
	maxForm = 64 << 10
	// maxText is the longest text that is looked for, in bytes.
	maxText = 256
	// maxFrequencies is how many channels one request may name.
	maxFrequencies = 64
	// maxMoment is the latest moment that a request may name, in ms since the epoch: the
	// largest whole number that JavaScript has.
	maxMoment = 1<<53 - 1
	// peaksTime bounds the wait for a waveform that is made at once.
	peaksTime = 5 * time.Second

	// maxReaders is how many files of recordings are sent at once. Each has a file open.
	maxReaders = 64
	// maxMixes and maxExports are how many of them are made at once: a mix decodes and
	// encodes, and an export reads the disk from end to end; the radio shares both.
	maxMixes   = 2
	maxExports = 2
	// maxLooks is how many look through the recordings at once: a search of all of them is a
	// tenth of a second of work, which the radio would lack. maxDeletes is how many delete:
	// each writes the index anew.
	maxLooks   = 4
	maxDeletes = 1
	// placeWait is how long a look or a deletion waits for its place, and lookRetry when to
	// look again if there was none.
	placeWait = 2 * time.Second
	lookRetry = 5 * time.Second
	// busyRetry is when to come again if all places are taken.
	busyRetry = 10 * time.Second

	// maxMixVoice is how much voice one mix may have, and maxMixSpan how long it may be with
	// its pauses.
	maxMixVoice = 2 * time.Hour
	maxMixSpan  = 24 * time.Hour
	// maxMixFiles is how many recordings a mix may have.
	maxMixFiles = 20_000

	// maxExportSpan, maxExportFiles, maxExportBytes and maxExportEntries bound an incident.
	// Its list of files and the timeline are in memory while it is sent.
	maxExportSpan    = 7 * 24 * time.Hour
	maxExportFiles   = 5_000
	maxExportBytes   = 2 << 30
	maxExportEntries = 20_000
	// maxPages is how many pages of the timeline an export looks through, for all its
	// channels together: up to two million entries, which take a minute.
	maxPages = 200

	// patience is how long a reader may take nothing, and longest how long it may read.
	patience = 30 * time.Second
	longest  = 2 * time.Hour

	// noteEvery is how often the same request of the same caller is audited, and goOn how
	// long a Range that goes on belongs to a fetch that was audited: as long as one listens.
	noteEvery = time.Minute
	goOn      = time.Hour
	// maxNoted is how many such requests are remembered.
	maxNoted = 4_096
	// maxNotedIDs is how many ids of deleted recordings an entry of the audit log has.
	maxNotedIDs = 200
	// noteTime bounds an entry of the audit log, its way to the disk included.
	noteTime = 15 * time.Second
	// deleteTime bounds a deletion, which goes on when its caller has gone.
	deleteTime = 10 * time.Minute
)
