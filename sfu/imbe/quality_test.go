package imbe

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"squelch/sfu/imbe/quality"
)

func pcmOf(t testing.TB, name string) []float64 {
	t.Helper()
	raw := readFile(t, name)
	x := make([]float64, len(raw)/2)
	for i := range x {
		x[i] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
	}
	return x
}

func framesPCM(x []float64) []PCM {
	out := make([]PCM, len(x)/FrameSamples)
	for i := range out {
		for j := range out[i] {
			out[i][j] = int16(math.Max(math.MinInt16, math.Min(math.MaxInt16, math.Round(x[i*FrameSamples+j]))))
		}
	}
	return out
}

func encodeAll(x []float64, o EncoderOptions) []Frame {
	e := NewEncoder(o)
	var out []Frame
	for _, pcm := range framesPCM(x) {
		out = append(out, e.Encode(&pcm))
	}
	return out
}

func decodeAll(frames []Frame, o DecoderOptions) []float64 {
	d := NewDecoder(o)
	var out []float64
	var pcm PCM
	for _, f := range frames {
		d.Decode(f, &pcm)
		for _, v := range pcm {
			out = append(out, float64(v))
		}
	}
	return out
}

func scaled(x []float64, gain float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * gain
	}
	return out
}

// withNoise adds white noise at the given ratio of powers in dB.
func withNoise(x []float64, snr float64) []float64 {
	power := 0.0
	for _, v := range x {
		power += v * v
	}
	sigma := math.Sqrt(power/float64(len(x))) * math.Pow(10, -snr/20)
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v + sigma*r.NormFloat64()
	}
	return out
}

// measure compares what comes out of encoder and decoder with what went in.
func measure(t *testing.T, clean, sent []float64, eo EncoderOptions, do DecoderOptions) quality.Result {
	t.Helper()
	out := decodeAll(encodeAll(sent, eo), do)
	r, err := quality.CompareAt(clean, out, NewEncoder(eo).Delay())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("STOI %.4f ESTOI %.4f LSD %.2f dB gain %+.2f dB", r.STOI, r.ESTOI, r.LSD, r.Gain)
	for i, v := range out {
		if math.Abs(v) >= math.MaxInt16 {
			t.Errorf("sample %d is at full scale", i)
			break
		}
	}
	return r
}

// The figures of the float reference, which is to be beaten.
func TestSpeechBeatsTheFloatReference(t *testing.T) {
	t.Parallel()
	x := pcmOf(t, "speech_a.pcm")
	r := measure(t, x, x, EncoderOptions{}, DecoderOptions{})
	if r.STOI < 0.9022 || r.ESTOI < 0.8176 || r.LSD > 4.03 || math.Abs(r.Gain) > 2 {
		t.Errorf("STOI %.4f ESTOI %.4f LSD %.2f gain %.2f: the reference has 0.9022, 0.8176, 4.03", r.STOI, r.ESTOI, r.LSD, r.Gain)
	}
}

func TestTheStandardsOwnProcedureIsSound(t *testing.T) {
	t.Parallel()
	x := pcmOf(t, "speech_a.pcm")
	r := measure(t, x, x, EncoderOptions{Standard: true}, DecoderOptions{StandardPhases: true})
	if r.STOI < 0.89 || r.ESTOI < 0.80 || r.LSD > 4.4 || math.Abs(r.Gain) > 2 {
		t.Errorf("STOI %.4f ESTOI %.4f LSD %.2f gain %.2f: want 0.89, 0.80, 4.4, 2", r.STOI, r.ESTOI, r.LSD, r.Gain)
	}
}

func TestOwnDecoderPlaysOP25FramesBetterThanOP25(t *testing.T) {
	t.Parallel()
	out := decodeAll(framesOf(t, "speech_a.op25.imbe"), DecoderOptions{})
	r, err := quality.CompareAt(pcmOf(t, "speech_a.pcm"), out, 464)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
	if r.STOI < 0.8818 || r.ESTOI < 0.7704 || r.LSD > 5.21 {
		t.Errorf("STOI %.4f ESTOI %.4f LSD %.2f: OP25's decoder has 0.8818, 0.7704, 5.21", r.STOI, r.ESTOI, r.LSD)
	}
}

func TestEverySpeakerIsUnderstood(t *testing.T) {
	t.Parallel()
	reader := pcmOf(t, "speech_a.pcm")[:4*SampleRate]
	woman, man := pcmOf(t, "woman.pcm"), pcmOf(t, "man.pcm")
	all := EncoderOptions{Conditioning: Conditioning{HighPass: true, NoiseSuppression: true, LevelControl: true}}
	for _, c := range []struct {
		name             string
		clean, sent      []float64
		options          EncoderOptions
		stoi, estoi, lsd float64
	}{
		{"woman", woman, woman, EncoderOptions{}, 0.95, 0.91, 3.7},
		{"man", man, man, EncoderOptions{}, 0.94, 0.89, 3.8},
		{"synthetic woman", pcmOf(t, "robot_woman.pcm"), pcmOf(t, "robot_woman.pcm"), EncoderOptions{}, 0.92, 0.86, 5.6},
		{"synthetic man", pcmOf(t, "robot_man.pcm"), pcmOf(t, "robot_man.pcm"), EncoderOptions{}, 0.91, 0.85, 6.0},
		{"reader, 20 dB down", reader, scaled(reader, 0.1), EncoderOptions{}, 0.90, 0.81, 4.0},
		{"reader, loud", reader, scaled(reader, 2.2), EncoderOptions{}, 0.90, 0.81, 4.0},
		{"reader, one frame of look-ahead", reader, reader, EncoderOptions{SkipLookAhead: 1}, 0.90, 0.81, 4.0},
		{"reader, no look-ahead", reader, reader, EncoderOptions{SkipLookAhead: 2}, 0.90, 0.80, 4.0},
		{"reader, 60 samples of look-ahead", reader, reader, EncoderOptions{ShortLookAhead: true}, 0.90, 0.81, 4.0},
		{"reader, conditioned", reader, reader, all, 0.90, 0.80, 5.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := measure(t, c.clean, c.sent, c.options, DecoderOptions{})
			if r.STOI < c.stoi || r.ESTOI < c.estoi || r.LSD > c.lsd {
				t.Errorf("STOI %.4f ESTOI %.4f LSD %.2f, want %.2f %.2f %.1f", r.STOI, r.ESTOI, r.LSD, c.stoi, c.estoi, c.lsd)
			}
			level := 0.0
			for i := range c.clean {
				if c.clean[i] != 0 {
					level = 20 * math.Log10(c.sent[i]/c.clean[i])
					break
				}
			}
			if !c.options.Conditioning.LevelControl && math.Abs(r.Gain-level) > 2 {
				t.Errorf("gain %.2f dB, want %.2f within 2", r.Gain, level)
			}
		})
	}
}

// What a look-ahead of 60 samples costs must be within what one speaker differs from
// another; it is less than 0.004 either way.
func TestAShortLookAheadLosesNothing(t *testing.T) {
	t.Parallel()
	var full, short quality.Result
	n := 0.0
	for _, name := range []string{"speech_a.pcm", "woman.pcm", "man.pcm", "robot_woman.pcm", "robot_man.pcm"} {
		clean := pcmOf(t, name)
		for _, snr := range []float64{100, 25, 15} {
			sent := withNoise(clean, snr)
			a := measure(t, clean, sent, EncoderOptions{Conditioning: Conditioning{HighPass: true}}, DecoderOptions{})
			b := measure(t, clean, sent, EncoderOptions{ShortLookAhead: true, Conditioning: Conditioning{HighPass: true}}, DecoderOptions{})
			if b.ESTOI < a.ESTOI-0.02 {
				t.Errorf("%s at %v dB: ESTOI %.3f, with two frames of look-ahead %.3f", name, snr, b.ESTOI, a.ESTOI)
			}
			full.STOI, full.ESTOI, full.LSD = full.STOI+a.STOI, full.ESTOI+a.ESTOI, full.LSD+a.LSD
			short.STOI, short.ESTOI, short.LSD = short.STOI+b.STOI, short.ESTOI+b.ESTOI, short.LSD+b.LSD
			n++
		}
	}
	t.Logf("mean of two frames: STOI %.4f ESTOI %.4f LSD %.2f, of 60 samples: %.4f %.4f %.2f",
		full.STOI/n, full.ESTOI/n, full.LSD/n, short.STOI/n, short.ESTOI/n, short.LSD/n)
	if short.STOI < full.STOI-0.004*n || short.ESTOI < full.ESTOI-0.004*n || short.LSD > full.LSD+0.05*n {
		t.Error("a short look-ahead is worse")
	}
}

func TestNoisySpeechSurvives(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"speech_a.pcm", "woman.pcm"} {
		clean := pcmOf(t, name)[:4*SampleRate]
		noisy := withNoise(clean, 12)
		plain := measure(t, clean, noisy, EncoderOptions{}, DecoderOptions{})
		if plain.STOI < 0.75 {
			t.Errorf("%s at 12 dB: STOI %.3f", name, plain.STOI)
		}
		quiet := measure(t, clean, noisy, EncoderOptions{Conditioning: Conditioning{NoiseSuppression: true}}, DecoderOptions{})
		if quiet.ESTOI < plain.ESTOI+0.02 || quiet.LSD > plain.LSD-1 {
			t.Errorf("%s: noise suppression gained nothing: %+v against %+v", name, quiet, plain)
		}
	}
}

// powerDB is the mean power after the first half second, when coders have
// settled.
func powerDB(x []float64) float64 {
	sum := 0.0
	for _, v := range x[SampleRate/2:] {
		sum += v * v
	}
	return 10 * math.Log10(sum/float64(len(x)-SampleRate/2))
}

func TestLevelsAreKept(t *testing.T) {
	t.Parallel()
	make8k := func(f func(n float64) float64) []float64 {
		x := make([]float64, 2*SampleRate)
		for i := range x {
			x[i] = f(2 * math.Pi * float64(i) / SampleRate)
		}
		return x
	}
	for name, x := range map[string][]float64{
		"tone":  make8k(func(n float64) float64 { return 8000 * math.Sin(1000*n) }),
		"noise": withNoise(make8k(func(n float64) float64 { return math.Sin(1000 * n) }), -60),
		"buzz": make8k(func(n float64) float64 {
			sum := 0.0
			for k := 1.0; k < 28; k++ {
				sum += 500 * math.Cos(120*k*n+k*k)
			}
			return sum
		}),
		"woman": pcmOf(t, "woman.pcm"),
	} {
		out := decodeAll(encodeAll(x, EncoderOptions{}), DecoderOptions{})
		if in, got := powerDB(x), powerDB(out); math.Abs(got-in) > 2 {
			t.Errorf("%s at %.1f dB leaves at %.1f dB", name, in, got)
		}
	}
}

func TestNoiseIsNotTakenForVoice(t *testing.T) {
	t.Parallel()
	noise := make([]float64, 4*SampleRate)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = 2000 * r.NormFloat64()
	}
	voiced := 0
	for _, f := range encodeAll(noise, EncoderOptions{}) {
		var b index
		if l, _ := f.unpack(&b); b[1]&(1<<(bandsOf(l)-1)-1) != 0 {
			voiced++ // a band above the first
		}
	}
	if voiced > 2 {
		t.Errorf("%d of 200 frames of hiss are voiced", voiced)
	}
}

// A buzz of equal harmonics in phase is the sharpest sound there is; the
// decoder's dispersion must take the edge off speech, not the level.
func TestDispersionLowersPeaks(t *testing.T) {
	t.Parallel()
	frames := encodeAll(pcmOf(t, "man.pcm"), EncoderOptions{})
	peak := func(o DecoderOptions) (peak, power float64) {
		x := decodeAll(frames, o)
		for _, v := range x {
			peak = math.Max(peak, math.Abs(v))
		}
		return peak, powerDB(x)
	}
	sharp, a := peak(DecoderOptions{StandardPhases: true})
	soft, b := peak(DecoderOptions{})
	if soft > 0.95*sharp || math.Abs(a-b) > 0.3 {
		t.Errorf("peak %.0f at %.1f dB with the standard's phases, %.0f at %.1f dB with ours", sharp, a, soft, b)
	}
}
