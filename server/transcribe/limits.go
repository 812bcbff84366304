package transcribe

import "time"

const (
	// maxWaiting is how many recordings may wait: half an hour of a busy radio. Beyond
	// that the oldest is given up, because what was just said matters more.
	maxWaiting = 1000
	// maxAnswer is the longest answer, in bytes: ten minutes of speech are 15 KB.
	maxAnswer = 64 << 10
	// maxText is the longest text that is kept, in characters: three minutes of speech.
	maxText = 2000
	// maxComplaint is how much a program may write to its standard error, in bytes.
	// Engines report their progress there.
	maxComplaint = 1 << 20
	// maxReason is how much of an error is reported, in bytes.
	maxReason = 300
	// maxVoice is the longest recording that is tried, in samples at 48 kHz: ten minutes,
	// 19 MB of WAV.
	maxVoice = 10 * 60 * 48_000
	// maxAudio is the largest recording that is tried, in bytes: maxVoice at 200 kbit/s.
	maxAudio = 16 << 20
	// wavRate is what engines of speech recognition are trained with, in Hz.
	wavRate = 16_000
	// grace is how long the pipes of a program that has ended may stay open. Whatever was
	// in them is there at once.
	grace = time.Second
	// childNice and childFile are limits of a program on Linux: the radio comes first, and
	// no file that it writes is larger, in bytes.
	childNice = 10
	childFile = 64 << 20
)

// pauses are those before the second and the third try of a recording. An engine that is
// started anew has loaded its model by then.
var pauses = []time.Duration{10 * time.Second, time.Minute}
