package imbe

import "math"

// dispersionReach is how many harmonics to each side shape a phase.
const dispersionReach = 15

// disperse adds to each harmonic the phase that a resonator with the decoded
// envelope would give it. Eq. 139 leaves fully voiced frames with all
// harmonics in phase: one sharp pulse per period, which buzzes and wastes head
// room. The minimum phase is the Hilbert transform of the log amplitudes; on a
// grid of harmonics that is (2/pi) sum over odd k of ln M_{l+k} / k. The
// envelope is even about 0 and held above L. The noise of Eq. 140 stays.
func disperse(f *synthFrame, phi *[maxHarmonics + 1]float64) {
	for l := 1; l <= f.l; l++ {
		sum := 0.0
		for k := 1; k <= dispersionReach; k += 2 {
			below := max(l-k, k-l, 1)
			sum += (f.logM[min(l+k, f.l)] - f.logM[min(below, f.l)]) / float64(k)
		}
		phi[l] += sum * (2 / math.Pi * math.Ln2)
	}
}
