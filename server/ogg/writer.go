package ogg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"squelch/sfu/opus/packet"
)

// Writer writes an Ogg Opus stream. Close writes the last page. The underlying
// io.Writer stays open and is the caller's.
type Writer struct {
	w       io.Writer
	serial  uint32
	page    uint32 // number of the next page
	granule uint64 // samples at 48 kHz up to the last packet written
	lacing  []byte
	body    []byte
	packets int    // that end on the page being built
	began   uint64 // granule at the beginning of the page being built
	toc     byte   // of the last packet
	ends    uint64
	inside  bool   // the page being built begins inside a packet
	most    uint64 // samples on a page
	err     error
}

// NewWriter writes the two headers. Serial tells the streams of one file apart; any
// number will do.
func NewWriter(w io.Writer, serial uint32, head Head, tags Tags) (*Writer, error) {
	if head.Channels < 1 || head.Channels > 2 {
		return nil, fmt.Errorf("ogg: Channels is %d; only 1 and 2 are supported", head.Channels)
	}
	o := &Writer{w: w, serial: serial, ends: noGranule, toc: quiet, most: pageSamples}
	// Each header ends its page (RFC 7845 section 3): granule position zero.
	o.add(head.encode(), 0)
	o.flush(first)
	o.add(tags.encode(), 0)
	o.flush(0)
	return o, o.err
}

// PageSamples sets how much voice a page holds at most, in samples at 48 kHz; it is a
// second unless set. It is also what is lost if the process is killed. A packet that is
// longer has a page of its own.
func (o *Writer) PageSamples(most uint64) { o.most = most }

// WritePacket appends one Opus packet, unchanged. A packet without the form of Opus
// is refused, because its duration would be unknown.
func (o *Writer) WritePacket(p []byte) error {
	if o.err != nil {
		return o.err
	}
	info, err := packet.Inspect(p)
	if err != nil {
		return fmt.Errorf("ogg: %w", err)
	}
	if len(p) > maxPacket {
		return ErrTooLong
	}
	// The page before this packet is written only now, so that the very last page is
	// still in memory when Close marks it.
	samples := uint64(info.Samples)
	if len(o.lacing) > 0 && o.granule-o.began+samples > o.most || len(o.lacing) == maxSegments {
		o.flush(0)
	}
	o.granule += samples
	o.toc = p[0]
	o.add(p, o.granule)
	return o.err
}

// Close writes the last page.
func (o *Writer) Close() error {
	if errors.Is(o.err, ErrClosed) {
		return nil
	}
	o.flush(last)
	if o.err != nil {
		return o.err
	}
	o.err = ErrClosed
	return nil
}

// add laces one packet into the page, and into further pages if it must. A packet
// ends with a lacing value below 255, which may be 0.
func (o *Writer) add(p []byte, granule uint64) {
	for {
		if len(o.lacing) == maxSegments {
			o.flush(0)
			o.inside = true
		}
		n := min(len(p), 255)
		o.lacing = append(o.lacing, byte(n))
		o.body = append(o.body, p[:n]...)
		p = p[n:]
		if n < 255 {
			o.packets++
			o.ends = granule
			return
		}
	}
}

func (o *Writer) flush(flags byte) {
	if o.err != nil {
		return
	}
	if o.inside {
		flags |= continued
	}
	if o.packets > 0 {
		o.began = o.ends
	}
	ends := o.ends
	if flags&last != 0 && o.packets == 0 {
		ends = o.granule
	}
	h := make([]byte, headerSize, headerSize+len(o.lacing)+len(o.body))
	copy(h, "OggS")
	h[5] = flags
	binary.LittleEndian.PutUint64(h[6:], ends)
	binary.LittleEndian.PutUint32(h[14:], o.serial)
	binary.LittleEndian.PutUint32(h[18:], o.page)
	h[26] = byte(len(o.lacing))
	h = append(append(h, o.lacing...), o.body...)
	binary.LittleEndian.PutUint32(h[22:], crc(0, h))
	_, o.err = o.w.Write(h)
	o.page++
	o.lacing, o.body, o.packets, o.ends, o.inside = o.lacing[:0], o.body[:0], 0, noGranule, false
}
