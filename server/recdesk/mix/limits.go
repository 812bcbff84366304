package mix

import (
	"time"

	"squelch/sfu/opus/packet"
)

// Numbers of this package, of this project unless named.
const (
	// rate is that of the file, in Hz: wideband, in which speech is whole.
	rate = 16_000
	// block is what is mixed and encoded at once, in samples: 20 ms.
	block = rate / 50
	// wide is how many samples of Ogg, at 48 kHz, are one of ours.
	wide = packet.Rate / rate
	// bitrate is that of the file in bit/s, and complexity the encoder's effort: what the
	// media plane sends, with room for the wider band (RATIONALE, "Which Opus encoder
	// follows the vocoder?").
	bitrate    = 32_000
	complexity = 2
	// maxPacket is the longest packet of one 20 ms frame (RFC 6716 R2).
	maxPacket = 1 + packet.MaxFrameBytes

	// ceiling is the loudest sample: what one talker alone may be, so that a talker alone
	// is not changed.
	ceiling = 32767
	// recovery is how much of what the limiter has taken comes back with each block: in
	// 200 ms nearly all of it.
	recovery = 0.2

	// fade is how long silence is encoded before a pause is left to the player: until then
	// nothing of the last voice is in its decoder.
	fade = 5 * block
	// shortPause is the longest pause of a file with short pauses.
	shortPause = rate // 1 s
	// maxConcealed is the longest loss that is concealed, in samples: 100 ms, above which
	// the concealment of Opus is heard as noise.
	maxConcealed = 5 * block

	// workFor is after how much work a file rests for as long, so that it takes half a
	// processor: the radio shares it.
	workFor = 20 * time.Millisecond

	// MaxAtOnce is how many recordings may be heard at one moment.
	MaxAtOnce = 16
)
