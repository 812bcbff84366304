package imbe

import "math"

// Noise suppression works on the amplitudes, not on the samples: pitch and
// voicing see the input as it is, and no delay is added.
const (
	noiseBands   = 16    // of 8 bins, 250 Hz each
	noiseBandLen = 8     // bins
	noiseWindow  = 40    // frames of one minimum: 0.8 s
	noiseMinima  = 4     // minima kept: the floor follows within 3.2 s
	noiseBias    = 1.6   // a minimum lies about 2 dB below the mean
	noiseSmooth  = 0.7   // of the power before the minimum is taken
	noiseLeast   = 0.25  // -12 dB
	noiseSilence = 100.0 // power of all bands: about one 16-bit step
	gainSmooth   = 0.5   // of the gain from frame to frame, against warble
)

// noiseFloor estimates steady noise by minimum statistics.
type noiseFloor struct {
	power  [noiseBands]float64 // smoothed power of a bin
	minima [noiseMinima][noiseBands]float64
	frames int
	gain   [noiseBands]float64
}

// newNoiseFloor is one that has not measured any noise yet.
func newNoiseFloor() noiseFloor {
	var f noiseFloor
	for k := range f.gain {
		f.gain[k] = 1
		for i := range f.minima {
			f.minima[i][k] = math.Inf(1)
		}
	}
	return f
}

// learnNoise updates floor and gains with the spectrum of a frame. Digital silence,
// such as at the encoder's own start, is ignored.
func (c *conditioner) learnNoise(s *shortSpectrum) {
	if !c.options.NoiseSuppression {
		return
	}
	f := &c.noise
	var power [noiseBands]float64
	all := 0.0
	for k := range power {
		for _, p := range s.power[k*noiseBandLen : (k+1)*noiseBandLen] {
			power[k] += p / noiseBandLen
		}
		all += power[k]
	}
	if all < noiseSilence {
		return
	}
	for k := range power {
		f.follow(k, power[k])
	}
	f.frames++
}

// follow updates one band.
func (f *noiseFloor) follow(k int, power float64) {
	slot := f.frames / noiseWindow % noiseMinima
	if f.frames == 0 {
		f.power[k] = power
	}
	f.power[k] = noiseSmooth*f.power[k] + (1-noiseSmooth)*power
	if f.frames%noiseWindow == 0 || f.power[k] < f.minima[slot][k] {
		f.minima[slot][k] = f.power[k]
	}
	floor := f.minima[0][k]
	for _, m := range f.minima[1:] {
		floor = math.Min(floor, m[k])
	}
	// Onsets open at once, the end of a sound closes slowly.
	gain := wiener(power, noiseBias*floor)
	f.gain[k] = math.Max(gain, gainSmooth*f.gain[k]+(1-gainSmooth)*gain)
}

// wiener is the amplitude gain, at least -12 dB, for a power of which noise is a part.
func wiener(power, noise float64) float64 {
	if power <= 0 {
		return 1
	}
	return math.Max(noiseLeast, 1-noise/power)
}

// noiseGain is the gain at a harmonic.
func (c *conditioner) noiseGain(f *harmonicFit) float64 {
	if !c.options.NoiseSuppression {
		return 1
	}
	return c.noise.gain[min((f.from+f.to)/2/noiseBandLen, noiseBands-1)]
}
