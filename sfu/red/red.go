// Package red reads and writes payloads with redundant voice (RFC 2198): packets that
// repeat earlier frames, so that a lost packet costs nothing.
package red

import (
	"encoding/binary"
	"errors"
)

const (
	// MaxAge is the age of the oldest frame that a packet can repeat, in samples, and
	// MaxBlock the length of the longest, in bytes (RFC 2198 section 3).
	MaxAge   = 1<<14 - 1
	MaxBlock = 1<<10 - 1
	// BlockHeader and LastHeader are the bytes that stand for a repeated frame and for the
	// packet's own frame.
	BlockHeader = 4
	LastHeader  = 1
)

// Block is one frame of a payload.
type Block struct {
	PayloadType uint8
	Age         uint32 // in samples; 0: the packet's own frame
	Payload     []byte
}

// Append appends a payload with these frames to dst. The last one is the packet's own.
// No frame may be older than MaxAge, and none but the last longer than MaxBlock.
func Append(dst []byte, blocks []Block) []byte {
	last := len(blocks) - 1
	for _, b := range blocks[:last] {
		dst = binary.BigEndian.AppendUint32(dst, 1<<31|uint32(b.PayloadType)<<24|b.Age<<10|uint32(len(b.Payload)))
	}
	dst = append(dst, blocks[last].PayloadType)
	for _, b := range blocks {
		dst = append(dst, b.Payload...)
	}
	return dst
}

// ErrMalformed is the error for what is not such a payload.
var ErrMalformed = errors.New("red: the payload is not well-formed (RFC 2198)")

// Split appends the frames of a payload to dst. They share its memory.
func Split(dst []Block, payload []byte) ([]Block, error) {
	first := len(dst)
	var length [maxBlocks]int
	n := 0
	for len(payload) > 0 && payload[0]&0x80 != 0 {
		if len(payload) < BlockHeader || n == maxBlocks {
			return dst[:first], ErrMalformed
		}
		h := binary.BigEndian.Uint32(payload)
		dst = append(dst, Block{PayloadType: uint8(h >> 24 & 0x7f), Age: h >> 10 & MaxAge})
		length[n] = int(h & MaxBlock)
		n++
		payload = payload[BlockHeader:]
	}
	if len(payload) < LastHeader {
		return dst[:first], ErrMalformed
	}
	dst = append(dst, Block{PayloadType: payload[0]})
	payload = payload[LastHeader:]
	for i, l := range length[:n] {
		if l > len(payload) {
			return dst[:first], ErrMalformed
		}
		dst[first+i].Payload, payload = payload[:l:l], payload[l:]
	}
	dst[first+n].Payload = payload
	return dst, nil
}

// maxBlocks is the most repeated frames that are read.
const maxBlocks = 16
