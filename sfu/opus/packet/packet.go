// Package packet looks at Opus packets without decoding them: how many frames they
// carry, how long they last, and whether they are Opus packets at all (RFC 6716,
// section 3). It needs no codec and no network.
package packet

import (
	"errors"
	"fmt"
)

const (
	// Rate is the clock rate in which durations are counted, in Hz, whatever the
	// bandwidth of the sound (RFC 7587 section 4.1, RFC 7845 section 4).
	Rate = 48_000
	// MaxSamples is the length of the longest packet, 120 ms, in samples (RFC 6716
	// section 3.2.5, R5).
	MaxSamples = 120 * Rate / 1000
	// MaxFrameBytes is the length of the longest compressed frame, in bytes
	// (RFC 6716 section 3.2.1, R2).
	MaxFrameBytes = 1275
)

// Info is what a packet's table-of-contents byte and framing say.
type Info struct {
	Config   int // 0-31 (RFC 6716 table 2)
	Channels int // 1 or 2
	Frames   int // compressed frames in the packet, 1-48
	Samples  int // length of the whole packet at 48 kHz
}

var (
	errEmpty  = errors.New("opus: an empty packet")
	errLength = errors.New("opus: the packet's length does not fit its framing")
)

// Samples is the length of a packet in samples at 48 kHz; 0: it is not an Opus packet.
func Samples(p []byte) int {
	info, err := Inspect(p)
	if err != nil {
		return 0
	}
	return info.Samples
}

// Inspect checks a packet against the requirements R1-R7 of RFC 6716 section 3.4. A
// packet that passes is well-formed; its sound may still be noise.
func Inspect(p []byte) (Info, error) {
	if len(p) == 0 {
		return Info{}, errEmpty
	}
	info := Info{Config: int(p[0] >> 3), Channels: 1 + int(p[0]>>2&1)}
	var err error
	switch p[0] & 3 {
	case 0:
		info.Frames, err = 1, one(p[1:])
	case 1:
		info.Frames, err = 2, equal(p[1:], 2)
	case 2:
		info.Frames, err = 2, two(p[1:])
	case 3:
		info.Frames, err = many(p[1:])
	}
	if err != nil {
		return Info{}, err
	}
	info.Samples = info.Frames * frameSamples(info.Config)
	if info.Samples > MaxSamples {
		return Info{}, fmt.Errorf("opus: %d frames last %d ms; 120 ms is the most", info.Frames, info.Samples*1000/Rate)
	}
	return info, nil
}

// frameSamples is the length of one frame of a configuration at 48 kHz
// (RFC 6716 table 2).
func frameSamples(config int) int {
	switch {
	case config < 12: // SILK: 10, 20, 40, 60 ms
		return [...]int{480, 960, 1920, 2880}[config&3]
	case config < 16: // hybrid: 10, 20 ms
		return [...]int{480, 960}[config&1]
	}
	return 120 << (config & 3) // CELT: 2.5, 5, 10, 20 ms
}

func one(body []byte) error {
	if len(body) > MaxFrameBytes {
		return errLength
	}
	return nil
}

func equal(body []byte, n int) error {
	if len(body)%n != 0 || len(body)/n > MaxFrameBytes {
		return errLength
	}
	return nil
}

func two(body []byte) error {
	first, rest, ok := length(body)
	if !ok || first > len(rest) || len(rest)-first > MaxFrameBytes {
		return errLength
	}
	return nil
}

// many checks a code 3 packet (RFC 6716 section 3.2.5): a count byte, optional
// padding, and frames of equal or of stated lengths.
func many(body []byte) (int, error) {
	if len(body) == 0 {
		return 0, errLength
	}
	head := body[0]
	body = body[1:]
	n := int(head & 63)
	if n == 0 || n > 48 {
		return 0, errLength
	}
	if head&64 != 0 {
		var ok bool
		if body, ok = unpad(body); !ok {
			return 0, errLength
		}
	}
	if head&128 == 0 {
		return n, equal(body, n)
	}
	stated := 0
	for range n - 1 {
		size, rest, ok := length(body)
		if !ok {
			return 0, errLength
		}
		stated, body = stated+size, rest
	}
	if stated > len(body) || len(body)-stated > MaxFrameBytes {
		return 0, errLength
	}
	return n, nil
}

// unpad removes the padding: the bytes of its length at the front, and itself at the
// end.
func unpad(body []byte) ([]byte, bool) {
	padding := 0
	for {
		if len(body) == 0 {
			return nil, false
		}
		b := int(body[0])
		body = body[1:]
		if b < 255 {
			padding += b
			break
		}
		padding += 254
	}
	if padding > len(body) {
		return nil, false
	}
	return body[:len(body)-padding], true
}

// length reads a frame length of one or two bytes (RFC 6716 section 3.2.1).
func length(body []byte) (int, []byte, bool) {
	switch {
	case len(body) == 0:
		return 0, nil, false
	case body[0] < 252:
		return int(body[0]), body[1:], true
	case len(body) < 2:
		return 0, nil, false
	}
	return int(body[1])*4 + int(body[0]), body[2:], true
}
