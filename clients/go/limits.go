package client

import "time"

// Limits of sizes and times.
const (
	// CallTime bounds a REST call whose answer is JSON, from dialling to the last byte. It
	// is longer than GET /api/game/changes may wait (25 s). A call that answers with a file
	// has CallTime until its first byte; after that only its context bounds it.
	CallTime = 40 * time.Second
	// MaxReply is the longest JSON reply that is read, in bytes: the mirror of a full radio
	// takes a tenth of it.
	MaxReply = 32 << 20
	// MaxRefusal is how much of a refusal is read, in bytes.
	MaxRefusal = 64 << 10

	// ConnectTime is how long the first connect of a [Link] may take, with both handshakes.
	ConnectTime = 20 * time.Second
	// AnswerTime is how long an event's acknowledgement may take.
	AnswerTime = 20 * time.Second
	// MaxMessage is the largest message that a [Link] takes, in bytes.
	MaxMessage = 16 << 20
	// MaxEvents is how many events may wait for their handlers: 80 s of one talker's voice.
	// A link whose handlers are slower than that ends with [ErrSlow].
	MaxEvents = 4096

	// FirstPause is the pause before the first try to connect again. It doubles with each
	// try up to LongestPause, and is made up to half longer or shorter at random, so that
	// not all clients come back at the same moment.
	FirstPause   = 250 * time.Millisecond
	LongestPause = 10 * time.Second

	// TailTime is how long [Link.Talk] holds the key after the last packet, so that the end
	// of the last word is not cut off on its way.
	TailTime = 350 * time.Millisecond
	// GoodbyeTime is how long the release of the key may take when the context has ended.
	GoodbyeTime = 5 * time.Second
	// MaxOgg is the largest file that [ReadOgg] takes, in bytes: seven hours of speech.
	MaxOgg = 64 << 20
)
