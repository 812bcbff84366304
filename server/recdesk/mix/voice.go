package mix

import (
	"io"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// voice is a recording that is heard.
type voice struct {
	start int64 // samples since the span began
	file  io.Closer
	in    *ogg.Reader
	dec   *opus.Decoder
	skip  int // samples that are not to be heard
	quiet int // samples of silence that come before have
	have  []int16
	buf   [packet.MaxSamples / wide]int16
}

// open begins a recording that starts at a sample, of which those before now are not
// wanted.
func open(s Source, start, now int64) (*voice, error) {
	file, err := s.Open()
	if err != nil {
		return nil, err
	}
	in, err := ogg.NewReader(file)
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	dec, err := opus.NewDecoder(rate, 1)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &voice{start: start, file: file, in: in, dec: dec, skip: int(in.Head.PreSkip)/wide + int(max(0, now-start))}, nil
}

func (v *voice) close() { _ = v.file.Close() } // it was only read

// add adds what comes next to a block; false: that was the end.
func (v *voice) add(to []int32) bool {
	for len(to) > 0 {
		if n := min(v.quiet, v.skip); n > 0 {
			v.quiet, v.skip = v.quiet-n, v.skip-n
		}
		if n := min(v.quiet, len(to)); n > 0 {
			v.quiet, to = v.quiet-n, to[n:]
			continue
		}
		if n := min(len(v.have), v.skip); n > 0 {
			v.have, v.skip = v.have[n:], v.skip-n
		}
		if len(v.have) == 0 {
			if !v.read() {
				return false
			}
			continue
		}
		n := min(len(v.have), len(to))
		for i, s := range v.have[:n] {
			to[i] += int32(s)
		}
		v.have, to = v.have[n:], to[n:]
	}
	return true
}

// read decodes the next packet. What the decoder refuses is silence, and so is a gap,
// unless it is so short that it can be concealed.
func (v *voice) read() bool {
	p, err := v.in.Next()
	if err != nil {
		return false
	}
	n := packet.Samples(p) / wide
	switch {
	case !ogg.IsGap(p):
		if got, err := v.dec.Decode(p, v.buf[:]); err == nil {
			v.have = v.buf[:got]
			return true
		}
	case n <= maxConcealed:
		if got, err := v.dec.Decode(nil, v.buf[:n]); err == nil {
			v.have = v.buf[:got]
			return true
		}
	}
	v.dec.Reset()
	v.quiet += n
	return true
}
