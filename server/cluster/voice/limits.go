package voice

import "time"

// Limits of voice between nodes. The origin is this project.
const (
	// queueFrames is how many frames wait for the connection; more are dropped. 100 talkers
	// send so many in 200 ms, and what is older is not worth hearing.
	queueFrames = 1024
	// queueBytes bounds them in bytes: texts of older clients may be long.
	queueBytes = 4 << 20
	// maxFrame is the longest message, in bytes: the longest text that a client may send as
	// one frame (limits.voiceBytes is 64 KiB unless configured) and the numbers before it.
	maxFrame = 66 << 10
	// keptBytes is how much memory a message keeps for the next one, in bytes. An Opus frame
	// takes some 120.
	keptBytes = 4 << 10

	// pendingFrames and pendingBytes bound what waits for the media plane on one channel; more
	// is dropped. A talker sends 50 frames a second, and a bunch of 2 s after an outage.
	pendingFrames = 256
	pendingBytes  = 256 << 10
	// mostChannels is how many channels a node subscribes to: more than the largest radio has.
	mostChannels = 8192

	// settleTime is how long changes of membership are collected after one has been acted on.
	settleTime = 20 * time.Millisecond
	// lookTime is how long the radio may take to say who is where.
	lookTime = 5 * time.Second

	// tellEvery is how often a node says that it wants the voice of all channels, and
	// tellLasts how long that holds: two messages may be lost.
	tellEvery = time.Second
	tellLasts = 3500 * time.Millisecond
	// mostNodes is how many nodes may want that.
	mostNodes = 64

	// followSteps is how many steps of the radio may wait for this follower; what they tell is
	// only that something has changed.
	followSteps = 64
)
