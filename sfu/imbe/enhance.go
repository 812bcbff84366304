package imbe

import "math"

// emphasise weights the amplitudes m[1..l] so that formants stand out, and
// keeps the energy R_M0, which it returns (8, Eq. 105 to 110). Eq. 107 is
// printed without its pi and squares.
func emphasise(w0 float64, l int, m, out *[maxHarmonics + 1]float64) float64 {
	var r0, r1 float64
	var cosine [maxHarmonics + 1]float64
	// cos(w0 l) by Chebyshev's recurrence.
	c, before := math.Cos(w0), 1.0
	step := 2 * c
	for i := 1; i <= l; i++ {
		cosine[i] = c
		c, before = step*c-before, c
		r0 += m[i] * m[i]
		r1 += m[i] * m[i] * cosine[i]
	}
	scale := 0.96 * math.Pi / (w0 * r0 * (r0*r0 - r1*r1))
	sum := 0.0
	for i := 1; i <= l; i++ {
		out[i] = m[i]
		if 8*i > l {
			w := math.Sqrt(m[i] * math.Sqrt(scale*(r0*r0+r1*r1-2*r0*r1*cosine[i])))
			out[i] *= math.Max(0.5, math.Min(1.2, w))
		}
		sum += out[i] * out[i]
	}
	gain := math.Sqrt(r0 / sum)
	for i := 1; i <= l; i++ {
		out[i] *= gain
	}
	return r0
}

// enhance makes the amplitudes to play from the decoded ones. The prediction
// state keeps the amplitudes before this.
func (d *Decoder) enhance() {
	s := &d.now
	var m [maxHarmonics + 1]float64
	for l := 1; l <= s.l; l++ {
		m[l] = math.Exp2(s.logM[l])
	}
	clear(s.m[:])
	d.r0 = emphasise(s.w0, s.l, &m, &s.m)
	d.trackEnergy()
}

// trackEnergy is the smoothed energy S_E of Eq. 111.
func (d *Decoder) trackEnergy() {
	d.energy = math.Max(0.95*d.energy+0.05*d.r0, leastEnergy)
}

// smooth limits what bit errors do to a frame: harmonics above a ceiling that falls
// with the error rate become voiced, and the sum of amplitudes is limited (9, Eq. 112
// to 116).
func (d *Decoder) smooth(e ErrorCounts) {
	s := &d.now
	total := e.Total()
	level := math.Pow(d.energy, 0.375)
	force := math.Inf(1)
	switch {
	case d.errorRate <= 0.005 && total <= 4:
	case d.errorRate <= 0.0125 && e[4] == 0:
		force = 45.255 * level / math.Exp(277.26*d.errorRate)
	default:
		force = 1.414 * level
	}
	sum := 0.0
	for l := 1; l <= s.l; l++ {
		if s.m[l] > force {
			s.voiced[l] = true
		}
		sum += s.m[l]
	}
	if d.errorRate <= 0.005 && total <= 6 {
		d.ceiling = startCeiling
	} else {
		// Bounded: otherwise the ceiling would grow without end after a long bad
		// stretch.
		d.ceiling = math.Min(6000-300*float64(total)+d.ceiling, 1e6)
	}
	if sum > d.ceiling {
		for l := 1; l <= s.l; l++ {
			s.m[l] *= d.ceiling / sum
		}
	}
}
