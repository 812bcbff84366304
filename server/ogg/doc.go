// Package ogg reads and writes Opus voice in Ogg files (RFC 3533 for the pages,
// RFC 7845 for what Opus puts into them). It streams: neither side holds more
// than one page and one packet. It carries packets untouched; it never decodes.
package ogg

import "errors"

const (
	// maxPacket is the longest packet accepted, in bytes (RFC 7845 section 6
	// lets a reader refuse audio packets above 61 440 bytes).
	maxPacket = 61_440
	// maxTags is the longest comment header accepted, in bytes. Players must
	// cope with 125 829 120 (RFC 7845 section 5.2); speech needs no cover art.
	maxTags = 1 << 20
	// pageSamples is how much voice the Writer puts into a page, in samples at
	// 48 kHz: one second, the most that RFC 7845 section 3 recommends.
	pageSamples = 48_000
	// maxSegments is the number of lacing values of a page (RFC 3533 section 6).
	maxSegments = 255
	headerSize  = 27 // bytes of a page header before the lacing values
	maxPage     = headerSize + maxSegments + maxSegments*255
)

// Flags of a page header (RFC 3533 section 6, field 3).
const (
	continued = 1 << iota // the page begins inside a packet
	first                 // first page of the stream
	last                  // last page of the stream
)

// noGranule marks a page on which no packet ends (RFC 3533 section 6, field 4).
const noGranule = ^uint64(0)

var (
	// ErrNotOpus: the stream does not begin with an OpusHead packet.
	ErrNotOpus = errors.New("ogg: the file is not Ogg Opus (no OpusHead at its start)")
	// ErrTooLong: a packet is longer than any Opus packet.
	ErrTooLong = errors.New("ogg: a packet is longer than 61440 bytes")
	// ErrClosed: the Writer was closed.
	ErrClosed = errors.New("ogg: the file is closed")
)

// crcTable is the checksum of pages: polynomial 0x04c11db7, most significant bit
// first, start and end value 0 (RFC 3533 section 6, field 7).
var crcTable = func() (t [256]uint32) {
	for i := range t {
		r := uint32(i) << 24
		for range 8 {
			if r&0x80000000 != 0 {
				r = r<<1 ^ 0x04c11db7
			} else {
				r <<= 1
			}
		}
		t[i] = r
	}
	return t
}()

func crc(sum uint32, b []byte) uint32 {
	for _, v := range b {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^v]
	}
	return sum
}
