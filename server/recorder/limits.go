package recorder

import "time"

// Limits of the recorder. The origin is this project unless named.
const (
	// writeEvery is how often what was said is written. With a page of 240 ms it bounds
	// what a kill may cost.
	writeEvery = 100 * time.Millisecond
	// tail is how long after a talk's end its last packets may still come.
	tail = 300 * time.Millisecond

	// tapeBytes is the memory that a talk begins with, twice: half a second of the
	// highest bit rate of a console.
	tapeBytes = 8 << 10
	// voiceRate is how much of one talk is recorded, in bytes a second: the highest bit rate
	// of Opus (RFC 6716, section 2.1.1), which WebM of older clients has too. maxAhead is how
	// much may come at once. More is a flood, and would drive others' recordings out.
	voiceRate = 510_000 / 8
	maxAhead  = 256 << 10
	// maxTape is how much of one talk waits for a slow disk: 85 s at 24 kbit/s.
	maxTape = 256 << 10
	// maxWaiting is how much memory all talks together take. While they take more, talks
	// that begin are not recorded.
	maxWaiting = 64 << 20

	// stuckAfter is how long the disk may take for one round of writing before the
	// recorder says that it does not answer.
	stuckAfter = 5 * time.Second
	// firstRetry and lastRetry bound the time after which a disk that failed is tried
	// again; it doubles.
	firstRetry = time.Second
	lastRetry  = time.Minute
	// askEvery is how often the disk is asked while nobody talks, so that one that fills up
	// is known before the next talk.
	askEvery = time.Minute
	// closeWait is how long the end of the service waits for the disk.
	closeWait = 10 * time.Second

	// lateStart is how long a talker may keep silent after key-up without a pause in the
	// file.
	lateStart = time.Second
	// clockSlack is by how much the media time of a talk may run ahead of the clock. More
	// is another stream: the talker has changed the transport.
	clockSlack = time.Second

	// peaksShare is how much of one core waveforms may take in the background: one part
	// in so many. peaksStep is how many packets are decoded at a time.
	peaksShare = 20
	peaksStep  = 25
	// peaksQueue is how many recordings wait for a waveform; those beyond it are given
	// one when somebody asks for it.
	peaksQueue = 1000
)
