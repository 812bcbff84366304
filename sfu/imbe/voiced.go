package imbe

import "math"

// phaseTrack keeps the phases of the voiced harmonics (11.3).
type phaseTrack struct {
	psi [maxHarmonics + 1]float64 // Eq. 139, without noise
	phi [maxHarmonics + 1]float64 // Eq. 140, at the centre of the last frame
}

// trackedHarmonics are those whose phase is continued smoothly while the pitch
// hardly moves (Eq. 133); above them the old and the new are crossfaded.
const trackedHarmonics = 7

// advance moves psi to the centre of this frame and gives phi there, without
// dispersion. Eq. 140 is printed with a factor l that does not belong there.
func (p *phaseTrack) advance(last, now *synthFrame, noise *noiseSource, phi *[maxHarmonics + 1]float64) {
	unvoiced := 0
	for l := 1; l <= now.l; l++ {
		if !now.voiced[l] {
			unvoiced++
		}
	}
	share := float64(unvoiced) / float64(now.l)
	step := (last.w0 + now.w0) * FrameSamples / 2
	for l := 1; l <= maxHarmonics; l++ {
		p.psi[l] = wrap(p.psi[l] + step*float64(l))
		phi[l] = p.psi[l]
		if l > now.l/4 {
			phi[l] += share * noise.phase(l)
		}
	}
}

// wrap brings a phase to -pi..pi, so that it does not lose precision over time.
func wrap(x float64) float64 {
	return x - 2*math.Pi*math.Floor(x/(2*math.Pi)+0.5)
}

// voiced adds the harmonics of the stretch between the last centre and this
// one (11.3, Eq. 127 to 141; the factor 2 is Eq. 127's).
func (d *Decoder) voiced(out *[FrameSamples]float64) {
	p := &d.phase
	last, now := &d.last, &d.now
	var phi [maxHarmonics + 1]float64
	p.advance(last, now, &d.noise, &phi)
	if !d.options.StandardPhases {
		disperse(now, &phi)
	}
	// The test is on the pitch itself: its print with a factor l is an error.
	steady := math.Abs(now.w0-last.w0) < 0.1*now.w0
	for l := 1; l <= max(last.l, now.l); l++ {
		before := l <= last.l && last.voiced[l]
		after := l <= now.l && now.voiced[l]
		h := float64(l)
		if before && after && l <= trackedHarmonics && steady {
			glide(out, last, now, h, p.phi[l], phi[l])
			continue
		}
		if before {
			fadeOut(out, 2*last.m[l], last.w0*h, p.phi[l])
		}
		if after {
			fadeIn(out, 2*now.m[l], now.w0*h, phi[l])
		}
	}
	p.phi = phi
}

// fadeOut adds a sinusoid that starts at phase with the window's falling half
// (Eq. 131). The recurrence y(n) = 2 cos(w) y(n-1) - y(n-2) saves a cosine per sample.
func fadeOut(out *[FrameSamples]float64, amplitude, w, phase float64) {
	c := 2 * math.Cos(w)
	y, before := amplitude*math.Cos(phase), amplitude*math.Cos(phase-w)
	for n, g := range windowS[windowSHalf : 2*windowSHalf] {
		out[n] += g * y
		y, before = c*y-before, y
	}
}

// fadeIn adds a sinusoid that would reach phase at the end of the stretch,
// with the window's rising half (Eq. 132).
func fadeIn(out *[FrameSamples]float64, amplitude, w, phase float64) {
	const start = FrameSamples - windowSHalf
	at := phase - w*windowSHalf
	c := 2 * math.Cos(w)
	y, before := amplitude*math.Cos(at), amplitude*math.Cos(at-w)
	for n, g := range windowS[:windowSHalf] {
		out[start+n] += g * y
		y, before = c*y-before, y
	}
}

// glide adds a harmonic of slowly moving pitch: linear amplitude, quadratic
// phase that fits at both ends (Eq. 134 to 138). Two complex rotations save a cosine
// per sample.
func glide(out *[FrameSamples]float64, last, now *synthFrame, h, from, to float64) {
	l := int(h)
	a0, a1 := 2*last.m[l], 2*now.m[l]
	turn := wrap(to - from - (last.w0+now.w0)*h*FrameSamples/2)
	w := last.w0*h + turn/FrameSamples
	bend := (now.w0 - last.w0) * h / (2 * FrameSamples) // of n^2
	zi, zr := math.Sincos(from)
	si, sr := math.Sincos(w + bend)
	bi, br := math.Sincos(2 * bend)
	slope := (a1 - a0) / FrameSamples
	for n := range FrameSamples {
		out[n] += (a0 + slope*float64(n)) * zr
		zr, zi = zr*sr-zi*si, zr*si+zi*sr
		sr, si = sr*br-si*bi, sr*bi+si*br
	}
}
