package imbe

import (
	"encoding/binary"
	"math"
	"testing"
)

// sane checks that no state has become infinite or undefined.
func sane(t *testing.T, d *Decoder) {
	t.Helper()
	for l := 1; l <= d.now.l; l++ {
		for _, v := range []float64{d.now.logM[l], d.now.m[l], d.phase.phi[l], d.phase.psi[l]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("harmonic %d: %v", l, v)
			}
		}
	}
	for _, v := range []float64{d.energy, d.ceiling, d.errorRate, d.noise.overlap[0], d.noise.overlap[60]} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("state %v", v)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add(readFile(f, "allL.imbe18")[:360])
	f.Add(readFile(f, "errstream.imbe18")[3600:3960])
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := NewDecoder(DecoderOptions{StandardPhases: len(raw)%2 == 0})
		var out PCM
		var c ChannelFrame
		for len(raw) > 0 {
			n := copy(c[:], raw)
			switch raw[0] % 8 {
			case 0:
				d.Lost(&out)
			case 1:
				var plain Frame
				copy(plain[:], raw)
				d.Decode(plain, &out)
			default:
				got, e := FEC{}.Decode(&c)
				d.DecodeWithErrors(got, e, &out)
			}
			raw = raw[n:]
			sane(t, d)
		}
	})
}

func FuzzFEC(f *testing.F) {
	f.Add([]byte("squelch squelch squelch squelch"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var c ChannelFrame
		copy(c[:], raw)
		got, e := FEC{}.Decode(&c)
		for i, n := range e {
			if n < 0 || n > 3 || i > 3 && n > 1 {
				t.Fatalf("error counts %v", e)
			}
		}
		again, e2 := FEC{}.Decode(new(FEC{}.Encode(&got)))
		if again != got || e2.Total() != 0 {
			t.Fatalf("%x became %x with errors %v", got, again, e2)
		}
	})
}

func FuzzEncode(f *testing.F) {
	f.Add(readFile(f, "speech_a.pcm")[40000:43200])
	f.Add([]byte{0xff, 0x7f, 0x00, 0x80})
	f.Fuzz(func(t *testing.T, raw []byte) {
		o := EncoderOptions{SkipLookAhead: len(raw) % 3, ShortLookAhead: len(raw)%4 == 3}
		if len(raw)%2 == 1 {
			o.Conditioning = Conditioning{HighPass: true, NoiseSuppression: true, LevelControl: true}
		}
		e, d := NewEncoder(o), NewDecoder(DecoderOptions{})
		var pcm, out PCM
		// The bytes repeat until ten frames are full.
		for i := range 10 * FrameSamples {
			if len(raw) >= 2 {
				at := 2 * i % (len(raw) &^ 1)
				pcm[i%FrameSamples] = int16(binary.LittleEndian.Uint16(raw[at:]))
			}
			if i%FrameSamples != FrameSamples-1 {
				continue
			}
			frame := e.Encode(&pcm)
			if frame.pitchIndex() > maxPitchIndex {
				t.Fatalf("reserved pitch in %x", frame)
			}
			d.Decode(frame, &out)
			sane(t, d)
			if e.predict != d.predict {
				t.Fatal("encoder and decoder are out of step")
			}
		}
	})
}
