package imbe

import "math"

// Conditioning improves input that is not clean speech at the right level. All of it is
// off by default, and none of it adds delay. The 13 Hz filter of Eq. 3, which removes
// DC, always runs.
type Conditioning struct {
	// HighPass removes hum and handling noise: second order, 90 Hz.
	HighPass bool
	// NoiseSuppression lowers steady noise by up to 12 dB.
	NoiseSuppression bool
	// LevelControl brings speech to about 24 dB below full scale, slowly, with
	// a limiter 3 dB below full scale.
	LevelControl bool
}

const (
	highPassHz = 90.0

	levelTarget  = 2070.0  // RMS of active speech: -24 dB of full scale
	levelMost    = 16.0    // largest gain, +24 dB
	levelLeast   = 0.25    // smallest gain, -12 dB
	levelUp      = 1.023   // fastest rise per frame, 0.2 dB: 10 dB/s
	levelDown    = 0.955   // fastest fall per frame, -0.4 dB
	levelDecay   = 0.995   // of the tracked speech level per frame
	levelActive  = 0.1     // a frame below this part of the level is a pause
	levelSilence = 30.0    // RMS below which the tracked level stays as it is
	limiterPeak  = 23200.0 // -3 dB of full scale
)

// conditioner is the state of Conditioning.
type conditioner struct {
	options Conditioning
	dc      dcFilter
	high    biquad
	level   levelControl
	noise   noiseFloor
}

func newConditioner(o Conditioning) conditioner {
	return conditioner{options: o, high: newHighPass(highPassHz), level: levelControl{gain: 1}, noise: newNoiseFloor()}
}

// input filters one frame of samples into out.
func (c *conditioner) input(pcm *PCM, out *[FrameSamples]float64) {
	for i, v := range pcm {
		x := c.dc.next(float64(v))
		if c.options.HighPass {
			x = c.high.next(x)
		}
		out[i] = x
	}
	if c.options.LevelControl {
		c.level.apply(out)
	}
}

// dcFilter is Eq. 3: H(z) = (1 - 1/z) / (1 - 0.99/z), 13 Hz.
type dcFilter struct{ x, y float64 }

func (f *dcFilter) next(x float64) float64 {
	f.y = x - f.x + 0.99*f.y
	f.x = x
	return f.y
}

// biquad is a second-order section, transposed direct form II.
type biquad struct{ b0, b1, b2, a1, a2, s1, s2 float64 }

// newHighPass is a Butterworth high-pass by the bilinear transform.
func newHighPass(hz float64) biquad {
	k := math.Tan(math.Pi * hz / SampleRate)
	n := 1 / (1 + math.Sqrt2*k + k*k)
	return biquad{b0: n, b1: -2 * n, b2: n, a1: 2 * (k*k - 1) * n, a2: (1 - math.Sqrt2*k + k*k) * n}
}

func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.s1
	f.s1 = f.b1*x - f.a1*y + f.s2
	f.s2 = f.b2*x - f.a2*y
	return y
}

// levelControl is a slow gain followed by a limiter.
type levelControl struct {
	speech float64 // tracked RMS of active speech before the gain
	gain   float64 // at the end of the last frame
}

func (c *levelControl) apply(x *[FrameSamples]float64) {
	sum, peak := 0.0, 0.0
	for _, v := range x {
		sum += v * v
		peak = math.Max(peak, math.Abs(v))
	}
	rms := math.Sqrt(sum / FrameSamples)
	gain := c.gain
	if rms > levelSilence && rms > levelActive*c.speech {
		// Rises fast to the level of syllables, falls over seconds.
		if rms > c.speech {
			c.speech += 0.2 * (rms - c.speech)
		} else {
			c.speech = math.Max(levelDecay*c.speech, rms)
		}
		// Syllable peaks lie about 4 dB above the mean of active speech.
		want := 1.6 * levelTarget / c.speech
		gain = math.Max(levelLeast, math.Min(levelMost, want))
		gain = math.Max(levelDown*c.gain, math.Min(levelUp*c.gain, gain))
	}
	if peak*gain > limiterPeak {
		gain = limiterPeak / peak
	}
	for n := range x {
		g := c.gain + (gain-c.gain)*float64(n)/FrameSamples
		x[n] = math.Max(-limiterPeak, math.Min(limiterPeak, x[n]*g))
	}
	c.gain = gain
}
