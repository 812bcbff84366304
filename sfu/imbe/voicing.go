package imbe

import "math"

// Constants of the voicing decision (5.2, Eq. 37 to 42).
const (
	thresholdVoiced   = 0.5625 // band was voiced in the last frame
	thresholdUnvoiced = 0.45
	thresholdSlope    = 0.3096 // per rad of frequency
	pitchErrorLimit   = 0.5    // E(P_I) above which only band 1 may be voiced
	leastPeakEnergy   = 20000  // of xi_max
	// thresholdBias raises every threshold: a voiced band that is called noise
	// is heard sooner than the reverse. 1 is the standard's.
	thresholdBias = 1.15
	// A lone band is overruled when its margin lies between these.
	loneBandLow, loneBandHigh = 0.5, 1.4
)

// voicingState remembers what the decision of a band depends on.
type voicingState struct {
	voiced   [maxBands + 1]bool
	peak     float64 // xi_max
	bias     float64
	standard bool
}

func newVoicingState(standard bool) voicingState {
	v := voicingState{peak: leastPeakEnergy, bias: thresholdBias, standard: standard}
	if standard {
		v.bias = 1
	}
	return v
}

// decide gives b1 from the fits of all harmonics.
func (v *voicingState) decide(spec *shortSpectrum, s *spectrum, fits *[maxHarmonics + 1]harmonicFit, pitchErr float64) int {
	var energy, residual [maxBands + 1]float64
	for l := 1; l <= s.l; l++ {
		k := bandOf(l)
		energy[k] += fits[l].energy
		residual[k] += fits[l].residual
	}
	m := v.bias * v.energyFactor(spec)
	// margin[k] is D_k against its threshold: below 1 is voiced.
	var margin [maxBands + 2]float64
	for k := 1; k <= s.k; k++ {
		threshold := thresholdUnvoiced
		if v.voiced[k] {
			threshold = thresholdVoiced
		}
		threshold *= (1 - thresholdSlope*float64(k-1)*s.w0) * m
		if pitchErr > pitchErrorLimit && k >= 2 {
			threshold = 0
		}
		margin[k] = math.Inf(1)
		if threshold > 0 && energy[k] > 0 {
			margin[k] = residual[k] / (threshold * energy[k])
		}
	}
	return v.settle(s.k, &margin)
}

// settle turns the margins into b1. A band that differs from both neighbours by a
// little, and has changed only now, becomes as they are, because single bands that come
// and go are heard as warbling.
func (v *voicingState) settle(bands int, margin *[maxBands + 2]float64) int {
	b1 := 0
	var now [maxBands + 1]bool
	for k := 1; k <= bands; k++ {
		voiced := margin[k] < 1
		if !v.standard && k > 1 && k < bands && voiced != v.voiced[k] {
			below, above := margin[k-1] < 1, margin[k+1] < 1
			if below == above && below != voiced && margin[k] > loneBandLow && margin[k] < loneBandHigh {
				voiced = below
			}
		}
		now[k] = voiced
		if voiced {
			b1 |= 1 << (bands - k)
		}
	}
	v.voiced = now
	return b1
}

// energyFactor is M of Eq. 42: weak and hissing frames are voiced less.
func (v *voicingState) energyFactor(spec *shortSpectrum) float64 {
	var low, high float64
	for m, p := range spec.power {
		if m < 64 {
			low += p
		} else {
			high += p
		}
	}
	low /= sumWindowR * sumWindowR
	high /= sumWindowR * sumWindowR
	all := low + high
	if all > v.peak {
		v.peak = 0.5*v.peak + 0.5*all
	} else {
		v.peak = math.Max(0.99*v.peak+0.01*all, leastPeakEnergy)
	}
	m := (0.0025*v.peak + all) / (0.01*v.peak + all)
	if low < 5*high {
		m *= math.Sqrt(low / (5 * high))
	}
	return m
}
