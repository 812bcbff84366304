package sfu

import "math"

// decimation is 48 kHz over 8 kHz.
const decimation = 6

// The low-pass filter of both directions is flat (0.1 dB) up to 3.4 kHz, the top of
// telephone speech and of what is audible of IMBE's coded band, and 70 dB down from
// 4 kHz, where aliases of speech would begin. Kaiser's formula gives its length:
// (70-8)/(2.285*2*pi*600/48000) = 346 taps, rounded up to a multiple of 6.
const (
	lowPassTaps = 348
	lowPassEdge = 3700.0 // Hz, the middle of the slope
	kaiserBeta  = 6.755  // 70 dB
)

// lowPass is the filter's taps. It is symmetric, with a gain of 1 at 0 Hz.
var lowPass = func() (h [lowPassTaps]float32) {
	var sum float64
	var w [lowPassTaps]float64
	for i := range w {
		x := float64(i) - (lowPassTaps-1)/2.0
		r := 2 * x / (lowPassTaps - 1)
		angle := 2 * math.Pi * lowPassEdge / 48_000 * x
		w[i] = math.Sin(angle) / angle * bessel(kaiserBeta*math.Sqrt(1-r*r)) / bessel(kaiserBeta)
		sum += w[i]
	}
	for i := range h {
		h[i] = float32(w[i] / sum)
	}
	return h
}()

// bessel is I0, the modified Bessel function of order zero.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-12*sum; k++ {
		term *= (x / 2 / k) * (x / 2 / k)
		sum += term
	}
	return sum
}

// Decimator turns 48 kHz into 8 kHz. Its delay is 3.6 ms. The zero value is ready to
// use, by one goroutine at a time.
type Decimator struct {
	past [2 * lowPassTaps]float32 // the last samples, twice, so that they are always contiguous
	at   int
}

// Next takes six samples and gives one.
func (d *Decimator) Next(in *[decimation]int16) int16 {
	for _, s := range in {
		d.past[d.at], d.past[d.at+lowPassTaps] = float32(s), float32(s)
		if d.at++; d.at == lowPassTaps {
			d.at = 0
		}
	}
	var sum float32
	for i, x := range d.past[d.at : d.at+lowPassTaps] {
		sum += x * lowPass[i]
	}
	return clip(sum)
}

// Reset forgets the past.
func (d *Decimator) Reset() { *d = Decimator{} }

// interpolated is how many taps make one output sample of six.
const interpolated = lowPassTaps / decimation

// Interpolator turns 8 kHz into 48 kHz. Its delay is 3.6 ms. The zero value is ready
// to use, by one goroutine at a time.
type Interpolator struct {
	past [2 * interpolated]float32
	at   int
}

// Next takes one sample and gives six.
func (u *Interpolator) Next(in int16) (out [decimation]int16) {
	u.past[u.at], u.past[u.at+interpolated] = float32(in), float32(in)
	if u.at++; u.at == interpolated {
		u.at = 0
	}
	past := u.past[u.at : u.at+interpolated]
	for phase := range out {
		var sum float32
		for i, x := range past { // oldest first
			sum += x * lowPass[(interpolated-1-i)*decimation+phase]
		}
		out[phase] = clip(sum * decimation)
	}
	return out
}

// Reset forgets the past.
func (u *Interpolator) Reset() { *u = Interpolator{} }

func clip(v float32) int16 {
	return int16(max(-32768, min(32767, math.Round(float64(v)))))
}
