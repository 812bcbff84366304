package quality

import (
	"math"
	"slices"

	"squelch/sfu/imbe/internal/fft"
)

// Definition of the log-spectral distance used here.
const (
	lsdWindow = 256  // samples, Hann
	lsdHop    = 80   // samples
	lsdBands  = 24   // mel bands
	lsdLow    = 100  // Hz
	lsdHigh   = 3400 // Hz
	lsdRange  = 35   // dB below the loudest frame that still counts
	lsdClip   = 30   // dB, largest difference of one band
)

// LogSpectralDistance compares aligned signals: power in 24 mel bands from 100
// to 3400 Hz of 256-sample Hann frames every 80 samples, for the frames within
// 35 dB of the loudest; the median difference is the gain, the rest (clipped
// to 30 dB) is root-mean-squared over bands and averaged over frames. Both
// results are in dB.
func LogSpectralDistance(clean, degraded []float64) (lsd, gain float64, err error) {
	bands := melBands()
	a, loud := bandPowers(clean, bands)
	b, _ := bandPowers(degraded, bands)
	frames := min(len(a), len(b))
	peak := 0.0
	for _, e := range loud[:frames] {
		peak = math.Max(peak, e)
	}
	if peak <= 0 {
		return 0, 0, ErrSilent
	}
	floor := peak * math.Pow(10, -lsdRange/10.)
	var diff []float64
	for i := range frames {
		if loud[i] < floor {
			continue
		}
		for k := range lsdBands {
			// A power of 1e-10 is far below one step of 16 bits.
			diff = append(diff, 10*math.Log10((b[i][k]+1e-10)/(a[i][k]+1e-10)))
		}
	}
	sorted := slices.Clone(diff)
	slices.Sort(sorted)
	gain = sorted[len(sorted)/2]
	for i := 0; i < len(diff); i += lsdBands {
		sum := 0.0
		for _, d := range diff[i : i+lsdBands] {
			d = math.Max(-lsdClip, math.Min(lsdClip, d-gain))
			sum += d * d
		}
		lsd += math.Sqrt(sum / lsdBands)
	}
	return lsd / float64(len(diff)/lsdBands), gain, nil
}

type melWeights [lsdBands][lsdWindow/2 + 1]float64

// melBands are rectangles without overlap, evenly spaced in mel
// (2595 log10(1 + f/700)).
func melBands() *melWeights {
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	hz := func(m float64) float64 { return 700 * (math.Pow(10, m/2595) - 1) }
	low, high := mel(lsdLow), mel(lsdHigh)
	edge := func(i int) float64 { return hz(low + (high-low)*float64(i)/lsdBands) }
	var w melWeights
	for k := range lsdBands {
		for m := range w[k] {
			if f := float64(m) * Rate / lsdWindow; f >= edge(k) && f < edge(k+1) {
				w[k][m] = 1
			}
		}
	}
	return &w
}

func bandPowers(x []float64, w *melWeights) (bands [][lsdBands]float64, loud []float64) {
	plan := fft.New(lsdWindow)
	var buf [lsdWindow]complex128
	for at := 0; at+lsdWindow <= len(x); at += lsdHop {
		for i := range buf {
			v := x[at+i] * (0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/lsdWindow))
			buf[i] = complex(v, 0)
		}
		plan.Forward(buf[:])
		var p [lsdBands]float64
		total := 0.0
		for k := range p {
			for m, weight := range w[k] {
				if weight > 0 {
					re, im := real(buf[m]), imag(buf[m])
					p[k] += weight * (re*re + im*im)
				}
			}
			total += p[k]
		}
		bands = append(bands, p)
		loud = append(loud, total)
	}
	return bands, loud
}
