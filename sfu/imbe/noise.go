package imbe

import (
	"math"

	"squelch/sfu/imbe/internal/fft"
)

const (
	dftSize   = 256 // points of every transform in the standard
	binPerRad = dftSize / (2 * math.Pi)
	noiseMean = 26562 // of u(n): its DC would leak into the lowest band
	noiseHalf = 104   // the noise window covers n = -104..104 (Eq. 118)
	// unvoicedGain is gamma_w of Eq. 121: sum w_R times the square root of
	// sum w_S^2 / sum w_R^2.
	unvoicedGain = 146.64326940948186
	windowSHalf  = 105 // w_S covers n = -105..105
)

// plan256 is shared: a plan is read-only.
var plan256 = fft.New(dftSize)

// noiseSource is the white noise u(n) of Eq. 117 and the overlap of the
// unvoiced synthesis.
type noiseSource struct {
	last     uint32
	u        [2*noiseHalf + 1]float64 // u(-104..104), mean removed
	spectrum [dftSize]complex128      // scratch
	overlap  [dftSize / 2]float64     // u_w(0..127) of the frame before
}

func newNoiseSource() noiseSource { return noiseSource{last: 3147} }

func (s *noiseSource) next() float64 {
	s.last = (171*s.last + 11213) % 53125
	return float64(s.last) - noiseMean
}

// advance moves the window by one frame; at first use it is filled.
func (s *noiseSource) advance(first bool) {
	keep := len(s.u) - FrameSamples
	if first {
		keep = 0
	}
	copy(s.u[:keep], s.u[len(s.u)-keep:])
	for i := keep; i < len(s.u); i++ {
		s.u[i] = s.next()
	}
}

// phase is rho_l of Eq. 141, uniform in -pi..pi.
func (s *noiseSource) phase(l int) float64 {
	return 2*math.Pi*(s.u[noiseHalf+l]+noiseMean)/53125 - math.Pi
}

// unvoiced adds the noise part of the frame between the last centre and this
// one (11.2, Eq. 117 to 126).
func (s *noiseSource) unvoiced(f *synthFrame, out *[FrameSamples]float64) {
	any := s.shape(f)
	if any {
		plan256.Inverse(s.spectrum[:])
	}
	for n := range FrameSamples {
		var sum, weight float64
		if n <= windowSHalf {
			w := windowS[windowSHalf+n]
			sum, weight = w*s.overlap[n], w*w
		}
		if m := n - FrameSamples; m >= -windowSHalf {
			w := windowS[windowSHalf+m]
			if any {
				sum += w * real(s.spectrum[dftSize+m])
			}
			weight += w * w
		}
		out[n] += sum / weight
	}
	for n := range s.overlap {
		s.overlap[n] = 0
		if any {
			s.overlap[n] = real(s.spectrum[n])
		}
	}
}

// shape fills the spectrum with noise that has the amplitude of each unvoiced
// harmonic, nothing elsewhere. It reports whether there is any.
func (s *noiseSource) shape(f *synthFrame) bool {
	any := false
	for l := 1; l <= f.l && !any; l++ {
		any = !f.voiced[l] && f.m[l] > 0
	}
	if !any {
		return false
	}
	s.spectrum = [dftSize]complex128{}
	for n := -noiseHalf; n <= noiseHalf; n++ {
		s.spectrum[n&(dftSize-1)] = complex(s.u[noiseHalf+n]*windowS[windowSHalf+n], 0)
	}
	plan256.Forward(s.spectrum[:])
	done := 0 // bins below this are settled
	for l := 1; l <= f.l; l++ {
		from, to := harmonicBins(f.w0, l)
		gain := 0.0
		if !f.voiced[l] {
			power := 0.0
			for _, v := range s.spectrum[from:to] {
				power += real(v)*real(v) + imag(v)*imag(v)
			}
			if power > 0 {
				gain = unvoicedGain * f.m[l] / math.Sqrt(power/float64(to-from))
			}
		}
		clear(s.spectrum[done:from])
		for m := from; m < to; m++ {
			v := complex(real(s.spectrum[m])*gain, imag(s.spectrum[m])*gain)
			s.spectrum[m] = v
			s.spectrum[dftSize-m] = complex(real(v), -imag(v))
		}
		done = to
	}
	first, _ := harmonicBins(f.w0, 1)
	clear(s.spectrum[done : dftSize-done+1])
	clear(s.spectrum[dftSize-first+1:])
	return true
}

// harmonicBins gives the transform bins from <= m < to of harmonic l (Eq. 29,
// 30).
func harmonicBins(w0 float64, l int) (from, to int) {
	x := binPerRad * w0
	return int(math.Ceil(x * (float64(l) - 0.5))), int(math.Ceil(x * (float64(l) + 0.5)))
}
