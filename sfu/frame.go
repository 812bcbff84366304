package sfu

import (
	"bytes"
	"encoding/base64"

	"squelch/core"
	"squelch/sfu/opus/packet"
)

// Encoding is how a frame's sound is encoded.
type Encoding uint8

const (
	Opus Encoding = iota // one Opus packet
	IMBE                 // a whole number of 11-byte P25 full-rate frames, 20 ms each
)

// String is the encoding as the voice event and setVoiceEncoding spell it.
func (e Encoding) String() string {
	if e == IMBE {
		return "imbe"
	}
	return "opus"
}

// imbeFrame is the size of an IMBE frame in bytes: 88 information bits.
const imbeFrame = 11

// Frame is one piece of one talker's voice, usually 20 ms.
//
// The caller of Publish owns a Frame and everything in it, and may use it again as
// soon as Publish has returned. A Sink must not keep a Frame or its slices (a string
// may be kept). Only one goroutine at a time may use a Frame, because its methods
// store their results in it.
type Frame struct {
	Talker core.UserID
	// Keyed is the channel that the client named; zero is every channel whose
	// floor the talker holds. The legacy adapter sets the user's speaker channel
	// if the client named none.
	Keyed    core.Frequency
	Encoding Encoding
	// Text is the base64 text exactly as a legacy client sent it ("" for a frame
	// that came over WebRTC). It is relayed byte for byte and parsed only when
	// a sink asks for the bytes.
	Text string
	// Payload is the packet. If there is a Text, it is nil until a method needs it.
	Payload []byte

	// timestamp is the media time of the first sample, at 48 kHz. timed says that
	// there is one: RTP has it, legacy voice does not.
	timestamp uint32
	timed     bool
	// sequence and epoch are those of stream.Packet, if counted is set.
	sequence  uint16
	epoch     uint32
	counted   bool
	lost      uint16 // packets that were lost directly before this one
	stands    bool   // stands for a lost packet: decoders conceal it
	preRolled bool   // came before the floor was granted
	at        int64  // arrival, ns on the SFU's clock; set by Publish

	looked  bool
	opaque  bool
	samples int
	text    string // Base64 of a frame without Text
	room    []byte // memory for the decoded Text, kept from frame to frame

	// imbe and decoded are the other forms of this frame, made while it is
	// published (transcode.go); nil: no listener wants that form, or there is none.
	imbe, decoded *Frame
	lead          uint32 // of such a form: how many samples earlier than the frame it begins
}

// keep copies a frame for later.
func (f *Frame) keep() *Frame {
	c := *f
	c.Payload, c.room = append([]byte(nil), f.Payload...), nil
	if f.imbe != nil {
		c.imbe = f.imbe.keep()
	}
	if f.decoded != nil {
		c.decoded = f.decoded.keep()
	}
	return &c
}

// Reset empties a frame for its next use and keeps its memory.
func (f *Frame) Reset() { *f = Frame{room: f.room[:0]} }

// Bytes gives the packet. It is nil when the text is not base64.
func (f *Frame) Bytes() []byte {
	f.look()
	return f.Payload
}

// Opaque says that the payload is not what Encoding claims: the text is not base64, or
// the bytes are not one Opus packet or a whole number of IMBE frames. Some legacy
// clients send 300 ms of WebM; such a frame goes to other legacy clients and nowhere
// else.
func (f *Frame) Opaque() bool {
	f.look()
	return f.opaque
}

// Samples is the length in samples at 48 kHz; 0 for an opaque frame.
func (f *Frame) Samples() int {
	f.look()
	return f.samples
}

// Base64 gives the payload as a legacy client reads it: the sender's own text if there
// is one. The payload is encoded only once.
func (f *Frame) Base64() string {
	if f.Text != "" {
		return f.Text
	}
	if f.text == "" {
		f.text = base64.StdEncoding.EncodeToString(f.Payload)
	}
	return f.text
}

func (f *Frame) look() {
	if f.looked {
		return
	}
	f.looked = true
	if f.Payload == nil && !f.decode() {
		f.opaque = true
		return
	}
	if f.Encoding == IMBE {
		f.samples = len(f.Payload) / imbeFrame * frameSamples
		f.opaque = len(f.Payload)%imbeFrame != 0
	} else {
		f.samples = packet.Samples(f.Payload)
	}
	// The first bytes of a container happen to be a well-formed Opus packet.
	f.opaque = f.opaque || f.samples == 0 || f.samples > packet.MaxSamples || isContainer(f.Payload)
	if f.opaque {
		f.samples = 0
	}
}

// decode reads the text, with or without padding.
func (f *Frame) decode() bool {
	text := f.Text
	for n := 0; n < 2 && len(text) > 0 && text[len(text)-1] == '='; n++ {
		text = text[:len(text)-1]
	}
	need := base64.RawStdEncoding.DecodedLen(len(text))
	if cap(f.room) < need {
		f.room = make([]byte, 0, max(need, roomBytes))
	}
	f.room = f.room[:cap(f.room)]
	n, err := base64.RawStdEncoding.Decode(f.room, []byte(text))
	f.room = f.room[:n]
	if err != nil || n == 0 {
		return false
	}
	f.Payload = f.room
	return true
}

// isContainer recognizes the first bytes of WebM (EBML), of its clusters, and of Ogg.
func isContainer(p []byte) bool {
	return bytes.HasPrefix(p, []byte{0x1a, 0x45, 0xdf, 0xa3}) ||
		bytes.HasPrefix(p, []byte{0x1f, 0x43, 0xb6, 0x75}) ||
		bytes.HasPrefix(p, []byte("OggS"))
}
