package imbe

import "math"

const (
	// enhancementAllowance is how much of the decoder's enhancement the encoder
	// cancels in advance, 0..1. Enhancement deepens the valleys between formants
	// by up to 6 dB and lowers the median level by 1.5 dB. That hides quantiser
	// noise, but our quantiser needs less of it. What remains keeps the level of
	// natural speech.
	enhancementAllowance = 0.6
	allowanceRounds      = 5
	// allowanceStep is about 1/1.5: Mbar grows as M to the power 1.5 (Eq. 107).
	allowanceStep = 0.7
)

// allowForEnhancement moves the log amplitudes towards those that the decoder's
// emphasis would turn into target, found by fixed-point iteration.
func allowForEnhancement(s *spectrum, target *[maxHarmonics + 1]float64) {
	x := *target
	var m, out [maxHarmonics + 1]float64
	for range allowanceRounds {
		for l := 1; l <= s.l; l++ {
			m[l] = math.Exp2(x[l])
		}
		emphasise(s.w0, s.l, &m, &out)
		for l := 1; l <= s.l; l++ {
			x[l] += allowanceStep * (target[l] - math.Log2(out[l]))
		}
	}
	for l := 1; l <= s.l; l++ {
		target[l] += enhancementAllowance * (x[l] - target[l])
	}
}
