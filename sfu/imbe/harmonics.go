package imbe

import "math"

const (
	windowRHalf = 110        // w_R covers n = -110..110
	sumWindowR  = 110.019884 // W_R(0)
	fineDFT     = 16384      // points of W_R
	finePerBin  = fineDFT / dftSize
	// fineReach is the widest half of a harmonic at the shortest period, in
	// points of W_R, and one for rounding.
	fineReach = 420
)

// windowSpectrum[k] is W_R(k), even and real (Eq. 27), as far as a harmonic
// reaches.
var windowSpectrum = makeWindowSpectrum()

func makeWindowSpectrum() (w [fineReach + 1]float64) {
	for k := range w {
		w[k] = windowR[windowRHalf]
		for n := 1; n <= windowRHalf; n++ {
			w[k] += 2 * windowR[windowRHalf+n] * math.Cos(2*math.Pi*float64(n*k%fineDFT)/fineDFT)
		}
	}
	return w
}

// shortSpectrum is S(m) of one frame, m = 0..128 (Eq. 25).
type shortSpectrum struct {
	s     [dftSize/2 + 1]complex128
	power [dftSize/2 + 1]float64 // |S(m)|^2
}

// measureSpectrum transforms the window around centre; time 0 is the centre.
func measureSpectrum(out *shortSpectrum, s []float64, centre int) {
	var buf [dftSize]complex128
	for n := -windowRHalf; n <= windowRHalf; n++ {
		buf[n&(dftSize-1)] = complex(s[centre+n]*windowR[windowRHalf+n], 0)
	}
	plan256.Forward(buf[:])
	for m := range out.s {
		out.s[m] = buf[m]
		out.power[m] = real(buf[m])*real(buf[m]) + imag(buf[m])*imag(buf[m])
	}
}

// harmonicFit is what one harmonic explains of its bins (Eq. 28 to 30).
type harmonicFit struct {
	from, to  int     // bins
	energy    float64 // sum |S|^2
	residual  float64 // sum |S - A V|^2
	windowSum float64 // sum V^2
}

// fitHarmonic fits the window's spectrum to harmonic l of w0, counting only
// bins from least on for the energies.
func (s *shortSpectrum) fitHarmonic(w0 float64, l, least int) harmonicFit {
	from, to := harmonicBins(w0, l)
	f := harmonicFit{from: from, to: min(to, len(s.s))}
	centre := fineDFT / (2 * math.Pi) * w0 * float64(l)
	var v [16]float64 // a harmonic has at most 13 bins
	var re, im float64
	for i := range f.to - from {
		k := int(math.Floor(float64(finePerBin*(from+i)) - centre + 0.5))
		if k < 0 {
			k = -k
		}
		v[i] = windowSpectrum[k]
		re += real(s.s[from+i]) * v[i]
		im += imag(s.s[from+i]) * v[i]
		f.windowSum += v[i] * v[i]
	}
	if f.windowSum > 0 {
		re, im = re/f.windowSum, im/f.windowSum
	}
	for i := range f.to - from {
		if from+i < least {
			continue
		}
		f.energy += s.power[from+i]
		dr, di := real(s.s[from+i])-re*v[i], imag(s.s[from+i])-im*v[i]
		f.residual += dr*dr + di*di
	}
	return f
}

// bandEnergy is the sum of |S|^2 over bins from..to-1.
func (s *shortSpectrum) bandEnergy(from, to int) float64 {
	sum := 0.0
	for _, p := range s.power[from:to] {
		sum += p
	}
	return sum
}

// First bins that count in the refinement. Eq. 24 leaves the lowest harmonics out
// because they move little; we begin at a lower one, which keeps the pitch of noisy
// speech steadier.
const (
	refineLowest         = 20
	refineLowestStandard = 50
)

// refineError is E_R of a candidate (Eq. 24), from bin least on.
func (s *shortSpectrum) refineError(w0 float64, least int) float64 {
	last := int((0.9254*math.Pi/w0 - 0.5) * binPerRad * w0)
	sum := 0.0
	at := least
	for l := max(1, int(float64(least)/(binPerRad*w0)-0.5)); at <= last; l++ {
		f := s.fitHarmonic(w0, l, least)
		if f.to == f.from {
			break
		}
		at = f.to
		sum += f.residual
	}
	return sum
}

// refine gives the pitch index near the initial period. The candidates are the pitches
// that can be sent, so that the decoder uses the one that fits best.
func (s *shortSpectrum) refine(period float64) int {
	centre := int(math.Floor(2*period - 39))
	best, bestError := centre, math.Inf(1)
	for b0 := max(0, centre-1); b0 <= min(maxPitchIndex, centre+1); b0++ {
		if e := s.refineError(pitchOf(b0), refineLowest); e < bestError {
			best, bestError = b0, e
		}
	}
	return max(0, min(maxPitchIndex, best))
}

// refineStandard is 5.1.5 to the letter: ten candidates around the initial
// period, quantised afterwards (Eq. 24, 45).
func (s *shortSpectrum) refineStandard(period float64) int {
	best, bestError := 2*math.Pi/period, math.Inf(1)
	for k := -9.0; k <= 9; k += 2 {
		w0 := 2 * math.Pi / (period + k/8)
		if e := s.refineError(w0, refineLowestStandard); e < bestError {
			best, bestError = w0, e
		}
	}
	return max(0, min(maxPitchIndex, int(math.Floor(4*math.Pi/best-39))))
}
