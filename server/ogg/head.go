package ogg

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Head is the identification header (RFC 7845 section 5.1). Channel mapping
// family 0 only: mono or stereo, which is what voice is.
type Head struct {
	Channels  int    // 1 or 2
	PreSkip   uint16 // samples at 48 kHz to throw away at the start
	InputRate uint32 // Hz of the sound before it was encoded; 0: unknown
	Gain      int16  // output gain in 1/256 dB
}

// Tags is the comment header (RFC 7845 section 5.2).
type Tags struct {
	Vendor   string
	Comments []string // "NAME=value"
}

func (h Head) encode() []byte {
	b := append([]byte("OpusHead"), 1, byte(h.Channels))
	b = binary.LittleEndian.AppendUint16(b, h.PreSkip)
	b = binary.LittleEndian.AppendUint32(b, h.InputRate)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.Gain))
	return append(b, 0)
}

func decodeHead(b []byte) (Head, error) {
	if len(b) < 19 || string(b[:8]) != "OpusHead" {
		return Head{}, ErrNotOpus
	}
	h := Head{
		Channels:  int(b[9]),
		PreSkip:   binary.LittleEndian.Uint16(b[10:]),
		InputRate: binary.LittleEndian.Uint32(b[12:]),
		Gain:      int16(binary.LittleEndian.Uint16(b[16:])),
	}
	switch {
	case b[8]>>4 != 0: // an unknown major version (section 5.1, item 2)
		return Head{}, fmt.Errorf("ogg: OpusHead version %d is unknown", b[8])
	case b[18] != 0 || h.Channels < 1 || h.Channels > 2:
		return Head{}, fmt.Errorf("ogg: OpusHead has %d channels in mapping family %d; only mono and stereo are supported", h.Channels, b[18])
	}
	return h, nil
}

func (t Tags) encode() []byte {
	b := append([]byte("OpusTags"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(t.Vendor)))
	b = append(b, t.Vendor...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Comments)))
	for _, c := range t.Comments {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(c)))
		b = append(b, c...)
	}
	return b
}

func decodeTags(b []byte) (Tags, error) {
	bad := errors.New("ogg: OpusTags is damaged")
	if len(b) < 8 || string(b[:8]) != "OpusTags" {
		return Tags{}, bad
	}
	b = b[8:]
	text := func() (string, bool) {
		if len(b) < 4 {
			return "", false
		}
		n := binary.LittleEndian.Uint32(b)
		if uint64(n) > uint64(len(b)-4) {
			return "", false
		}
		s := string(b[4 : 4+n])
		b = b[4+n:]
		return s, true
	}
	vendor, ok := text()
	if !ok || len(b) < 4 {
		return Tags{}, bad
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	t := Tags{Vendor: vendor}
	for range n {
		c, ok := text()
		if !ok {
			return Tags{}, bad
		}
		t.Comments = append(t.Comments, c)
	}
	return t, nil
}
