package ogg

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Reader reads the packets of an Ogg Opus stream. It skips other streams of the file,
// and pages with a wrong checksum together with the packets that touch them (RFC 3533
// section 6, field 7).
type Reader struct {
	Head Head
	Tags Tags

	r       *bufio.Reader
	serial  uint32
	page    uint32 // number of the page that should come next
	granule uint64
	used    int    // bytes of the present page, discarded from r when the next one is read
	at      int64  // where in the file the present page begins
	whole   int64  // where the last page of the stream ends that was whole
	header  []byte // of the present page
	lacing  []byte // of the present page, not yet used
	body    []byte // of the present page, not yet used
	part    []byte // a packet that has begun
	broken  bool   // its beginning was lost: its rest is discarded
	done    bool
	limit   int
}

// NewReader reads the two headers.
func NewReader(r io.Reader) (*Reader, error) {
	o := &Reader{r: bufio.NewReaderSize(r, maxPage), limit: maxTags}
	if err := o.firstPage(); err != nil {
		return nil, err
	}
	p, err := o.Next()
	if err != nil {
		return nil, headError(err)
	}
	if o.Head, err = decodeHead(p); err != nil {
		return nil, err
	}
	if p, err = o.Next(); err != nil {
		return nil, headError(err)
	}
	if o.Tags, err = decodeTags(p); err != nil {
		return nil, err
	}
	o.limit = maxPacket
	return o, nil
}

func headError(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrNotOpus
	}
	return err
}

// Serial returns the stream's number.
func (o *Reader) Serial() uint32 { return o.serial }

// Granule returns the position of the last page read, in samples at 48 kHz, PreSkip
// included. On the last page it may be below the sum of the packets: the rest is to
// be cut off (RFC 7845 section 4.4).
func (o *Reader) Granule() uint64 { return o.granule }

// Next returns the next packet, io.EOF after the last one. The slice is valid until
// the next call.
func (o *Reader) Next() ([]byte, error) {
	o.part = o.part[:0]
	o.broken = false
	for {
		for len(o.lacing) == 0 {
			if o.done {
				return nil, io.EOF
			}
			if err := o.nextPage(); err != nil {
				return nil, err
			}
		}
		n := int(o.lacing[0])
		if len(o.part)+n > o.limit {
			return nil, ErrTooLong
		}
		if !o.broken {
			o.part = append(o.part, o.body[:n]...)
		}
		o.lacing, o.body = o.lacing[1:], o.body[n:]
		if n == 255 {
			continue
		}
		if !o.broken {
			return o.part, nil
		}
		o.part, o.broken = o.part[:0], false
	}
}

// firstPage finds the beginning of the first Opus stream. The beginnings of all
// streams come first in a file (RFC 3533 section 4).
func (o *Reader) firstPage() error {
	for {
		flags, serial, err := o.readPage()
		if err != nil {
			return headError(err)
		}
		if flags&first == 0 {
			return ErrNotOpus
		}
		if len(o.body) >= 8 && string(o.body[:8]) == "OpusHead" {
			o.serial = serial
			o.page = 1
			o.done = flags&last != 0
			o.whole = o.at + int64(o.used)
			return nil
		}
	}
}

// nextPage reads the stream's next page and notices what is missing before it.
func (o *Reader) nextPage() error {
	for {
		flags, serial, err := o.readPage()
		if err != nil {
			return err
		}
		if serial != o.serial {
			continue
		}
		number := binary.LittleEndian.Uint32(o.header[18:])
		begun := len(o.part) > 0 || o.broken
		lost := number != o.page
		o.page = number + 1
		switch {
		case flags&continued != 0:
			// Its beginning is unknown if pages are missing or none had begun.
			o.broken = o.broken || lost || !begun
		default:
			o.broken = false
			o.part = o.part[:0] // what had begun never ended
		}
		if o.broken {
			o.part = o.part[:0]
		}
		if g := binary.LittleEndian.Uint64(o.header[6:]); g != noGranule {
			o.granule = g
		}
		o.done = flags&last != 0
		o.whole = o.at + int64(o.used)
		return nil
	}
}

// readPage finds the next whole page with a correct checksum, of any stream. It peeks
// before it consumes: if it turns out not to be a page, the search goes on one byte
// further, so that stray bytes cost no real page.
func (o *Reader) readPage() (flags byte, serial uint32, err error) {
	o.lacing, o.body = nil, nil
	_, _ = o.r.Discard(o.used) // cannot fail: it has been peeked at
	o.at += int64(o.used)
	o.used = 0
	for {
		h, err := o.r.Peek(headerSize)
		if err != nil {
			return 0, 0, err
		}
		if page, ok := o.look(h); ok {
			n := headerSize + int(page[26])
			o.used = len(page)
			o.header, o.lacing, o.body = page[:headerSize], page[headerSize:n], page[n:]
			return page[5], binary.LittleEndian.Uint32(page[14:]), nil
		}
		skip := bytes.IndexByte(h[1:], 'O') + 1
		if skip == 0 {
			skip = headerSize
		}
		_, _ = o.r.Discard(skip)
		o.at += int64(skip)
	}
}

// look checks whether a whole page begins here. A file that stops inside a page has
// ended: its writer was killed.
func (o *Reader) look(h []byte) ([]byte, bool) {
	if string(h[:4]) != "OggS" || h[4] != 0 {
		return nil, false
	}
	size := headerSize + int(h[26])
	h, err := o.r.Peek(size)
	if err != nil {
		return nil, false
	}
	for _, v := range h[headerSize:] {
		size += int(v)
	}
	if h, err = o.r.Peek(size); err != nil {
		return nil, false
	}
	want := binary.LittleEndian.Uint32(h[22:])
	sum := crc(crc(crc(0, h[:22]), []byte{0, 0, 0, 0}), h[26:])
	return h, sum == want
}
