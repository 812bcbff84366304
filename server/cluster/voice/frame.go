package voice

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"squelch/core"
	"squelch/sfu"
)

// version is the first byte of every message. A node that does not know a version drops it.
const version = 1

// Flags, the second byte.
const (
	comes     = 1 << iota // sfu.Crossing.Comes
	turn                  // Turn
	timed                 // Timed: there is a timestamp
	counted               // Counted: there are sequence number and epoch
	preRolled             // PreRolled
	imbe                  // the encoding is IMBE; otherwise Opus
	text                  // the payload is Text, byte for byte
	lost                  // Lost is not 0, and is there
)

var errMalformed = errors.New("malformed message of voice")

// legacy is how nearly every legacy client writes its frames. What is written otherwise, or is
// not base64, crosses as text.
var legacy = base64.StdEncoding.Strict()

// appendFrame appends a frame as it crosses. All numbers are big-endian, and varint and uvarint
// are those of encoding/binary:
//
//	version    1 byte, 1
//	flags      1 byte
//	node       8 bytes, the process that sends it
//	talker     varint
//	talk       uvarint
//	timestamp  4 bytes, if timed
//	sequence   2 bytes, if counted
//	epoch      4 bytes, if counted
//	lost       2 bytes, if lost
//	payload    the rest
//
// The keyed channel is in the subject.
func appendFrame(b []byte, node uint64, c *sfu.Crossing) []byte {
	at := len(b)
	b = append(b, version, flags(c))
	b = binary.BigEndian.AppendUint64(b, node)
	b = binary.AppendVarint(b, int64(c.Talker))
	b = binary.AppendUvarint(b, uint64(c.Talk))
	if c.Timed {
		b = binary.BigEndian.AppendUint32(b, c.Timestamp)
	}
	if c.Counted {
		b = binary.BigEndian.AppendUint16(b, c.Sequence)
		b = binary.BigEndian.AppendUint32(b, c.Epoch)
	}
	if c.Lost != 0 {
		b = binary.BigEndian.AppendUint16(b, c.Lost)
	}
	if c.Text == "" {
		return append(b, c.Payload...)
	}
	if packed, ok := appendDecoded(b, c.Text); ok {
		return packed
	}
	b[at+1] |= text
	return append(b, c.Text...)
}

func flags(c *sfu.Crossing) (f byte) {
	for _, x := range [...]struct {
		is   bool
		flag byte
	}{{c.Comes, comes}, {c.Turn, turn}, {c.Timed, timed}, {c.Counted, counted}, {c.PreRolled, preRolled}, {c.Encoding == sfu.IMBE, imbe}, {c.Lost != 0, lost}} {
		if x.is {
			f |= x.flag
		}
	}
	return f
}

// appendDecoded appends what a text says; false: encoding that again would not give the text.
func appendDecoded(b []byte, text string) ([]byte, bool) {
	at, room := len(b), legacy.DecodedLen(len(text))
	for cap(b)-at < room {
		b = append(b[:cap(b)], 0)
	}
	n, err := legacy.Decode(b[at:at+room], []byte(text))
	// The decoder passes over line ends, so the length has to be that of a text without.
	return b[:at+n], err == nil && n > 0 && legacy.EncodedLen(n) == len(text)
}

// readFrame reads a message of a channel. The payload refers to it.
func readFrame(message []byte, keyed core.Frequency) (c sfu.Crossing, err error) {
	r := reader{b: message}
	if v, f := r.fixed(1), r.fixed(1); !r.bad && v == version {
		flags := byte(f)
		c.Keyed = keyed
		c.Comes, c.Turn, c.Timed, c.Counted, c.PreRolled = flags&comes != 0, flags&turn != 0, flags&timed != 0, flags&counted != 0, flags&preRolled != 0
		if flags&imbe != 0 {
			c.Encoding = sfu.IMBE
		}
		c.Node = r.fixed(8)
		talker, talk := r.varint(), r.uvarint()
		c.Talker, c.Talk = core.UserID(talker), int(talk)
		if c.Timed {
			c.Timestamp = uint32(r.fixed(4))
		}
		if c.Counted {
			c.Sequence, c.Epoch = uint16(r.fixed(2)), uint32(r.fixed(4))
		}
		if flags&lost != 0 {
			c.Lost = uint16(r.fixed(2))
		}
		if flags&text != 0 {
			c.Text = string(r.b)
		} else {
			c.Payload = r.b
		}
		// A frame that neither comes nor has its turn goes nowhere; text has no media time.
		if !r.bad && len(r.b) > 0 && len(message) <= maxFrame && c.Talker != 0 && int64(c.Talker) == talker && c.Talk > 0 && uint64(c.Talk) == talk && (c.Comes || c.Turn) && !(c.Timed && c.Text != "") {
			return c, nil
		}
	}
	return sfu.Crossing{}, errMalformed
}

// reader reads numbers from the front of a message.
type reader struct {
	b   []byte
	bad bool
}

// fixed reads a number of n bytes.
func (r *reader) fixed(n int) (v uint64) {
	if len(r.b) < n {
		r.bad, r.b = true, nil
		return 0
	}
	for _, x := range r.b[:n] {
		v = v<<8 | uint64(x)
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	return read(r, v, n)
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	return read(r, v, n)
}

func read[T int64 | uint64](r *reader, v T, n int) T {
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}
