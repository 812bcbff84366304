package imbecmd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"squelch/sfu/imbe"
	"squelch/sfu/imbe/quality"
)

// Limits on audio that has to be held in memory: what is resampled or compared.
const (
	mostSamples  = 2 * 3600 * imbe.SampleRate // two hours at 8 kHz
	mostChannels = 8
	lowestRate   = 4000   // Hz
	highestRate  = 192000 // Hz
	chunkLimit   = 1 << 16
)

// audioFormat is what a WAV header says, or raw.
type audioFormat struct {
	rate, channels int
	left           int64 // bytes of samples; -1: until the end
}

var rawFormat = audioFormat{rate: imbe.SampleRate, channels: 1, left: -1}

// readFormat reads a WAV header if there is one; anything else is raw.
func readFormat(r *bufio.Reader) (audioFormat, error) {
	head, err := r.Peek(12)
	if err != nil && !errors.Is(err, io.EOF) {
		return audioFormat{}, fmt.Errorf("input: %w", err)
	}
	if len(head) < 12 || string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return rawFormat, nil
	}
	if _, err := r.Discard(12); err != nil {
		return audioFormat{}, fmt.Errorf("WAV header: %w", err)
	}
	var f audioFormat
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return audioFormat{}, errors.New("WAV header: no data chunk")
		}
		name, size := string(chunk[:4]), int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch name {
		case "fmt ":
			if f, err = readWAVFormat(r, size); err != nil {
				return audioFormat{}, err
			}
		case "data":
			if f.rate == 0 {
				return audioFormat{}, errors.New("WAV header: data before fmt")
			}
			f.left = size
			// Streams carry 0 or all ones because the size is not known yet.
			if size == 0 || size >= math.MaxUint32-chunkLimit {
				f.left = -1
			}
			return f, nil
		default:
			if _, err := io.CopyN(io.Discard, r, size+size&1); err != nil {
				return audioFormat{}, fmt.Errorf("WAV header: chunk %q is cut off", name)
			}
		}
	}
}

func readWAVFormat(r io.Reader, size int64) (audioFormat, error) {
	if size < 16 || size > chunkLimit {
		return audioFormat{}, fmt.Errorf("WAV header: fmt chunk of %d bytes", size)
	}
	body := make([]byte, size+size&1)
	if _, err := io.ReadFull(r, body); err != nil {
		return audioFormat{}, errors.New("WAV header: fmt is cut off")
	}
	const pcm, extensible = 1, 0xfffe
	tag := binary.LittleEndian.Uint16(body)
	f := audioFormat{
		channels: int(binary.LittleEndian.Uint16(body[2:])),
		rate:     int(binary.LittleEndian.Uint32(body[4:])),
	}
	bits := binary.LittleEndian.Uint16(body[14:])
	switch {
	case tag != pcm && tag != extensible || bits != 16:
		return audioFormat{}, fmt.Errorf("WAV header: format %d with %d bits; only 16-bit PCM is read", tag, bits)
	case f.channels < 1 || f.channels > mostChannels:
		return audioFormat{}, fmt.Errorf("WAV header: %d channels, want 1 to %d", f.channels, mostChannels)
	case f.rate < lowestRate || f.rate > highestRate:
		return audioFormat{}, fmt.Errorf("WAV header: %d Hz, want %d to %d", f.rate, lowestRate, highestRate)
	}
	return f, nil
}

// audioReader reads mono samples of any input at its own rate.
type audioReader struct {
	r      io.Reader
	format audioFormat
	buf    []byte
}

func newAudioReader(r *bufio.Reader) (*audioReader, error) {
	f, err := readFormat(r)
	if err != nil {
		return nil, err
	}
	a := &audioReader{r: r, format: f, buf: make([]byte, 2*f.channels)}
	if f.left >= 0 {
		a.r = io.LimitReader(r, f.left)
	}
	return a, nil
}

// next returns one sample, the mean of the channels; false at the end.
func (a *audioReader) next() (float64, bool, error) {
	_, err := io.ReadFull(a.r, a.buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, false, nil // half a sample at the end is dropped
	}
	if err != nil {
		return 0, false, fmt.Errorf("input: %w", err)
	}
	sum := 0.0
	for i := 0; i < len(a.buf); i += 2 {
		sum += float64(int16(binary.LittleEndian.Uint16(a.buf[i:])))
	}
	return sum / float64(a.format.channels), true, nil
}

// all reads everything, at 8 kHz.
func (a *audioReader) all() ([]float64, error) {
	var x []float64
	most := mostSamples / imbe.SampleRate * a.format.rate
	for {
		v, ok, err := a.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if len(x) == most {
			return nil, errors.New("input: more than two hours of audio")
		}
		x = append(x, v)
	}
	return quality.Resample(x, a.format.rate, imbe.SampleRate), nil
}

// source returns frames of 8 kHz samples: directly from an input of that rate,
// otherwise from memory.
func (a *audioReader) source() (func(*imbe.PCM) (int, error), error) {
	if a.format.rate == imbe.SampleRate {
		return func(pcm *imbe.PCM) (int, error) { return fill(pcm, a.next) }, nil
	}
	x, err := a.all()
	if err != nil {
		return nil, err
	}
	at := 0
	take := func() (float64, bool, error) {
		if at == len(x) {
			return 0, false, nil
		}
		at++
		return x[at-1], true, nil
	}
	return func(pcm *imbe.PCM) (int, error) { return fill(pcm, take) }, nil
}

// fill reads one frame and returns how many samples there were; the rest is silence.
func fill(pcm *imbe.PCM, next func() (float64, bool, error)) (int, error) {
	*pcm = imbe.PCM{}
	for n := range pcm {
		v, ok, err := next()
		if err != nil || !ok {
			return n, err
		}
		pcm[n] = int16(math.Round(math.Max(math.MinInt16, math.Min(math.MaxInt16, v))))
	}
	return len(pcm), nil
}

// writeWAVHeader writes the header of 8 kHz mono. A negative count of samples
// stands for a stream whose end is not known.
func writeWAVHeader(w io.Writer, samples int64) error {
	data := uint32(math.MaxUint32)
	riff := data
	if samples >= 0 && 2*samples <= math.MaxUint32-36 {
		data = uint32(2 * samples)
		riff = data + 36
	}
	h := make([]byte, 0, 44)
	h = append(h, "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, riff)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, 1)
	h = binary.LittleEndian.AppendUint16(h, 1)
	h = binary.LittleEndian.AppendUint32(h, imbe.SampleRate)
	h = binary.LittleEndian.AppendUint32(h, 2*imbe.SampleRate)
	h = binary.LittleEndian.AppendUint16(h, 2)
	h = binary.LittleEndian.AppendUint16(h, 16)
	h = append(h, "data"...)
	h = binary.LittleEndian.AppendUint32(h, data)
	_, err := w.Write(h)
	return err
}
