package ogg

import "squelch/sfu/opus/packet"

// quiet is the table-of-contents byte of a gap before any voice: fullband CELT,
// one mono frame of 20 ms (RFC 6716 table 2).
const quiet = 31 << 3

// Gap leaves silence of this many samples at 48 kHz before the next packet. It is
// written as packets whose frames are empty, which ask the player for concealment:
// granule positions may count nothing but packets, so a hole in them is not allowed
// (RFC 7845 section 4.1). Less than one frame of the last packet's configuration is
// left out; [Writer.Granule] tells where the stream is.
func (o *Writer) Gap(samples uint64) error {
	toc := o.toc &^ 3
	frame := uint64(packet.Samples([]byte{toc}))
	most := packet.MaxSamples / frame
	for left := samples / frame; left > 0 && o.err == nil; {
		n := min(left, most)
		// Code 3, constant bit rate, no padding: n frames of no bytes at all
		// (RFC 6716 section 3.2.5).
		if err := o.WritePacket([]byte{toc | 3, byte(n)}); err != nil {
			return err
		}
		left -= n
	}
	return o.err
}

// IsGap says whether a packet has no voice but stands for a gap.
func IsGap(p []byte) bool {
	return len(p) == 1 || (len(p) == 2 && p[0]&3 == 3 && packet.Samples(p) > 0)
}

// Granule returns the position of the stream: samples at 48 kHz up to the last packet
// written.
func (o *Writer) Granule() uint64 { return o.granule }
