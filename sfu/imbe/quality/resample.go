package quality

import "math"

// Resample changes the rate of x by a windowed-sinc polyphase filter (Kaiser,
// 80 dB, flat to 0.9 of the lower Nyquist frequency). Rates are in Hz.
func Resample(x []float64, from, to int) []float64 {
	if from == to || from <= 0 || to <= 0 {
		return x
	}
	g := gcd(from, to)
	up, down := to/g, from/g
	const (
		lobes = 40  // zero crossings on each side
		beta  = 8.0 // Kaiser: 80 dB of stop band
		flat  = 0.95
	)
	// Time in input samples; the cut is relative to the input rate.
	cut := flat * math.Min(1, float64(to)/float64(from))
	half := lobes / cut
	taps := int(half) + 1
	phases := make([][]float64, up)
	for p := range phases {
		h := make([]float64, 2*taps)
		frac := float64(p) / float64(up)
		for i := range h {
			t := float64(i-taps+1) - frac
			h[i] = cut * sinc(cut*t) * kaiser(t/half, beta)
		}
		phases[p] = h
	}
	out := make([]float64, len(x)*up/down)
	for n := range out {
		at := n * down
		whole := at / up
		sum := 0.0
		for i, h := range phases[at%up] {
			if j := whole + i - taps + 1; j >= 0 && j < len(x) {
				sum += h * x[j]
			}
		}
		out[n] = sum
	}
	return out
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

func kaiser(x, beta float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel0(beta*math.Sqrt(1-x*x)) / bessel0(beta)
}

// bessel0 is the modified Bessel function of order 0, by its power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-12*sum; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
