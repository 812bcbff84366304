package imbe

import (
	"math"
	"testing"
)

func rms(pcm []int16) float64 {
	sum := 0.0
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(pcm)))
}

// talking decodes speech up to a loud vowel, and gives the decoder and that frame.
func talking(t *testing.T) (*Decoder, Frame) {
	t.Helper()
	d := NewDecoder(DecoderOptions{})
	frames := framesOf(t, "speech_a.op25.imbe")
	var out PCM
	for i, f := range frames {
		d.Decode(f, &out)
		if i > 50 && rms(out[:]) > 3000 {
			return d, f
		}
	}
	t.Fatal("no loud frame in the speech")
	return nil, Frame{}
}

func TestEncoderStaysInStepWithTheDecoder(t *testing.T) {
	t.Parallel()
	for _, o := range []EncoderOptions{{}, {Standard: true}, {SkipLookAhead: 2}, {ShortLookAhead: true}} {
		e, d := NewEncoder(o), NewDecoder(DecoderOptions{})
		for i, pcm := range framesPCM(pcmOf(t, "speech_a.pcm"))[:200] {
			f := e.Encode(&pcm)
			var out PCM
			d.Decode(f, &out)
			if e.predict != d.predict {
				t.Fatalf("%+v frame %d: the encoder predicts from other amplitudes than the decoder", o, i)
			}
			if sync := int(f[10] & 1); sync != i&1 {
				t.Fatalf("frame %d: sync bit %d does not alternate", i, sync)
			}
		}
	}
}

func TestDelayIsAsDocumented(t *testing.T) {
	t.Parallel()
	for want, o := range map[int]EncoderOptions{480: {}, 320: {SkipLookAhead: 1}, 220: {ShortLookAhead: true}, 160: {SkipLookAhead: 2}} {
		e, d := NewEncoder(o), NewDecoder(DecoderOptions{})
		if e.Delay() != want {
			t.Errorf("%+v: delay %d, want %d", o, e.Delay(), want)
		}
		// Half a second of silence, then a buzz of 100 Hz.
		const onset = 4000
		x := make([]float64, 8000)
		for n := onset; n < len(x); n++ {
			if n%80 < 8 {
				x[n] = 8000
			}
		}
		heard := -1
		var out PCM
		for i, pcm := range framesPCM(x) {
			d.Decode(e.Encode(&pcm), &out)
			for n, v := range out {
				if heard < 0 && (v > 1000 || v < -1000) {
					heard = i*FrameSamples + n
				}
			}
		}
		// The analysis window reaches 110 samples ahead of its centre.
		if late := heard - onset; heard < 0 || late < want-2*FrameSamples || late > want+FrameSamples {
			t.Errorf("%+v: heard %d samples late, want about %d", o, late, want)
		}
	}
}

func TestSilenceStaysQuiet(t *testing.T) {
	t.Parallel()
	e, d := NewEncoder(EncoderOptions{}), NewDecoder(DecoderOptions{})
	var pcm, out PCM
	for i := range 200 {
		d.Decode(e.Encode(&pcm), &out)
		if r := rms(out[:]); i > 10 && r > 20 {
			t.Fatalf("frame %d of silence plays at %.0f", i, r)
		}
	}
}

func TestALostFrameIsBridgedAndALongLossFadesToSilence(t *testing.T) {
	d, f := talking(t)
	var out PCM
	var levels []float64
	for range 8 {
		if st := d.Lost(&out); !st.Repeated || st.Muted {
			t.Fatalf("status of a lost frame: %+v", st)
		}
		levels = append(levels, rms(out[:]))
	}
	if levels[0] < 1500 {
		t.Errorf("the first lost frame plays at %.0f: it should repeat", levels[0])
	}
	for i := 1; i < 5; i++ {
		if levels[i] > levels[i-1]*1.1 {
			t.Errorf("levels %.0f do not fade", levels)
		}
	}
	if levels[6] != 0 || levels[7] != 0 {
		t.Errorf("levels %.0f: not silent after 120 ms", levels)
	}
	d.Decode(f, &out)
	d.Decode(f, &out)
	if rms(out[:]) < 1500 {
		t.Errorf("speech does not come back: %.0f", rms(out[:]))
	}
}

func TestMuteGivesComfortNoiseAndSpeechReturns(t *testing.T) {
	d, f := talking(t)
	var out PCM
	bad := ErrorCounts{3, 3, 3, 3, 1, 1, 1}
	muted := 0
	for range 60 {
		st := d.DecodeWithErrors(f, bad, &out)
		if st.Muted {
			if muted++; muted > 1 {
				for _, v := range out {
					if v < -5 || v > 5 {
						t.Fatalf("comfort noise of %d", v)
					}
				}
			}
		}
	}
	if muted == 0 || rms(out[:]) < 1 {
		t.Fatalf("%d frames muted, noise %.1f", muted, rms(out[:]))
	}
	for range 60 {
		d.DecodeWithErrors(f, ErrorCounts{}, &out)
	}
	if rms(out[:]) < 1500 {
		t.Errorf("speech does not come back: %.0f", rms(out[:]))
	}
}

func TestAReservedPitchRepeats(t *testing.T) {
	d, _ := talking(t)
	before := d.now
	var out PCM
	if st := d.Decode(Frame{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6}, &out); !st.Repeated {
		t.Error("b0 = 255 was decoded")
	}
	if d.now != before {
		t.Error("a repeat changed the parameters")
	}
}

func TestBitErrorsHitAtTheirRate(t *testing.T) {
	for _, rate := range []float64{0, 0.02, 0.3} {
		m := NewBitErrors(rate, 7)
		flipped, frames := 0, 2000
		for range frames {
			var c ChannelFrame
			n := m.Apply(&c)
			for _, b := range c {
				for ; b != 0; b &= b - 1 {
					n--
				}
			}
			if n != 0 {
				t.Fatal("the count is not what was flipped")
			}
			c = ChannelFrame{}
			flipped += m.Apply(&c)
		}
		got := float64(flipped) / float64(frames*channelBits)
		if math.Abs(got-rate) > 0.01 {
			t.Errorf("rate %.3f, want %.3f", got, rate)
		}
	}
	for give, want := range map[float64]float64{-1: 0, 2: 0.5, math.Inf(1): 0.5} {
		if got := NewBitErrors(give, 0).Rate(); got != want {
			t.Errorf("rate %g became %g, want %g", give, got, want)
		}
	}
	if got := NewBitErrors(math.NaN(), 0).Rate(); got != 0 {
		t.Errorf("NaN became %g", got)
	}
}

func TestAWeakSignalIsHeardThroughTheFEC(t *testing.T) {
	t.Parallel()
	frames := framesOf(t, "speech_a.op25.imbe")
	clean := decodeAll(frames, DecoderOptions{})
	for _, c := range []struct {
		ber             float64
		repeats, spoilt int // at most, at least
	}{{0, 0, 0}, {0.01, 1, 1}, {0.10, 500, 300}} {
		f := FEC{BitErrors: NewBitErrors(c.ber, 3)}
		d := NewDecoder(DecoderOptions{})
		var out PCM
		repeats, spoilt := 0, 0
		for i := range frames {
			onAir := f.Encode(&frames[i])
			got, e := f.Decode(&onAir)
			if got != frames[i] {
				spoilt++
			}
			if d.DecodeWithErrors(got, e, &out).Repeated {
				repeats++
			}
			if c.ber == 0 && float64(out[80]) != clean[i*FrameSamples+80] {
				t.Fatal("the model is not off by default")
			}
		}
		if repeats > c.repeats || spoilt < c.spoilt {
			t.Errorf("BER %.2f: %d repeats (most %d), %d spoilt frames (least %d)", c.ber, repeats, c.repeats, spoilt, c.spoilt)
		}
	}
}

func TestNothingAllocatesPerFrame(t *testing.T) {
	e := NewEncoder(EncoderOptions{Conditioning: Conditioning{HighPass: true, NoiseSuppression: true, LevelControl: true}})
	d := NewDecoder(DecoderOptions{})
	fec := FEC{BitErrors: NewBitErrors(0.02, 1)}
	speech := framesPCM(pcmOf(t, "speech_a.pcm"))
	var out PCM
	i := 0
	n := testing.AllocsPerRun(100, func() {
		f := e.Encode(&speech[i])
		onAir := fec.Encode(&f)
		got, errs := fec.Decode(&onAir)
		d.DecodeWithErrors(got, errs, &out)
		d.Lost(&out)
		i++
	})
	if i < 100 || n != 0 {
		t.Errorf("%.1f allocations per frame over %d frames", n, i)
	}
}

func TestResetForgetsTheTalker(t *testing.T) {
	t.Parallel()
	speech := framesPCM(pcmOf(t, "speech_a.pcm"))[:60]
	e, d := NewEncoder(EncoderOptions{}), NewDecoder(DecoderOptions{})
	var first, second []Frame
	var a, b PCM
	for i := range speech {
		first = append(first, e.Encode(&speech[i]))
		d.Decode(first[i], &a)
	}
	e.Reset()
	d.Reset()
	for i := range speech {
		second = append(second, e.Encode(&speech[i]))
		d.Decode(second[i], &b)
		if second[i] != first[i] {
			t.Fatalf("frame %d differs after a reset", i)
		}
	}
	if a != b || rms(a[:]) == 0 {
		t.Error("decoded speech differs after a reset")
	}
}

func TestLevelControlBringsQuietSpeechUp(t *testing.T) {
	t.Parallel()
	x := pcmOf(t, "speech_a.pcm")
	out := decodeAll(encodeAll(scaled(x, 0.1), EncoderOptions{Conditioning: Conditioning{LevelControl: true}}), DecoderOptions{})
	var sum, n float64
	for _, v := range out[len(out)/2:] {
		sum += v * v
		n++
	}
	level := 20 * math.Log10(math.Sqrt(sum/n)/32768)
	if level < -32 || level > -20 {
		t.Errorf("speech that came 20 dB too low leaves at %.1f dBov", level)
	}
}
