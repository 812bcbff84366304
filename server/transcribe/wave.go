package transcribe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// wavHeader is the size of the header before the samples, in bytes.
const wavHeader = 44

// wave decodes an Ogg Opus file to a WAV file: 16 kHz, mono, 16 bit. A file that was cut
// off is decoded up to there; one with more than so many samples at 48 kHz is refused.
func wave(from io.Reader, most int) (wav []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			wav, err = nil, &Refusal{fmt.Sprintf("it cannot be decoded: %v", p)}
		}
	}()
	r, err := ogg.NewReader(from)
	if err != nil {
		return nil, &Refusal{err.Error()}
	}
	decoder, err := opus.NewDecoder(wavRate, 1)
	if err != nil {
		return nil, err
	}
	const scale = packet.Rate / wavRate
	out := make([]byte, wavHeader, 1<<20)
	pcm := make([]int16, packet.MaxSamples/scale)
	skip, total := int(r.Head.PreSkip)/scale, 0
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, &Refusal{err.Error()}
		}
		if total += packet.Samples(p); total > most {
			return nil, errLong
		}
		n, err := decoder.Decode(p, pcm)
		if err != nil { // as silent as it is long
			n = packet.Samples(p) / scale
			clear(pcm[:n])
		}
		from := min(skip, n)
		skip -= from
		for _, s := range pcm[from:n] {
			out = binary.LittleEndian.AppendUint16(out, uint16(s))
		}
	}
	header(out, len(out)-wavHeader)
	return out, nil
}

// header fills in the header of a WAV file with so many bytes of samples.
func header(b []byte, size int) {
	h := append(b[:0], "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, uint32(size+wavHeader-8))
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, 1) // PCM
	h = binary.LittleEndian.AppendUint16(h, 1) // channel
	h = binary.LittleEndian.AppendUint32(h, wavRate)
	h = binary.LittleEndian.AppendUint32(h, 2*wavRate)
	h = binary.LittleEndian.AppendUint16(h, 2)
	h = binary.LittleEndian.AppendUint16(h, 16)
	h = append(h, "data"...)
	binary.LittleEndian.AppendUint32(h, uint32(size))
}
