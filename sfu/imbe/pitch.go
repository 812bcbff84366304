package imbe

import (
	"math"
	"slices"
)

// The pitch grid of 5.1.1: P = 21, 21.5, ..., 122 samples.
const (
	shortestPitch = 21.0
	longestPitch  = 122.0
	pitchSteps    = 203
	startPeriod   = 100.0 // P(-1), P(-2) of a fresh encoder

	lookBackGood = 0.48 // Eq. 14: the past alone decides
	// sumWindowI4 is the sum of w_I^4 (Eq. 5).
	sumWindowI4 = 0.00610990223099282

	windowIHalf = 150 // w_I covers n = -150..150
	lpfHalf     = 10  // the pitch filter covers n = -10..10
)

// pitchError is E(P) of one frame on the grid (Eq. 5).
type pitchError [pitchSteps]float64

func periodAt(i int) float64 { return shortestPitch + float64(i)/2 }

// stepOf is the grid index next to a period.
func stepOf(p float64) int {
	return max(0, min(pitchSteps-1, int(math.Round(2*(p-shortestPitch)))))
}

// neighbours gives the grid steps lo..hi within 0.8..1.2 of step i (Eq. 10).
// Whole numbers of half samples, so that no rounding moves an edge.
func neighbours(i int) (lo, hi int) {
	const first = 2 * shortestPitch
	halves := i + first
	return max((4*halves+4)/5-first, 0), min(6*halves/5-first, pitchSteps-1)
}

// measurePitch fills E(P) around sample centre of s, which must reach
// windowIHalf + lpfHalf samples to both sides (5.1.1, Eq. 5 to 9). The filter
// is zero-phase, so that E(P) looks at the same instant as the spectrum.
func measurePitch(e *pitchError, s []float64, centre int) {
	const n = 2*windowIHalf + 1
	var a [n + windowIHalf]float64 // padded, so that every lag runs in full
	energy := 0.0
	at := centre - windowIHalf
	for j := range n {
		x := s[at+j-lpfHalf : at+j+lpfHalf+1]
		v := pitchLPF[lpfHalf] * x[lpfHalf]
		for k := range lpfHalf {
			v += pitchLPF[k] * (x[k] + x[2*lpfHalf-k])
		}
		w := windowI[j] * windowI[j]
		a[j] = v * w
		energy += v * v * w
	}
	if energy < leastPitchEnergy {
		for i := range e {
			e[i] = 1
		}
		return
	}
	var r [windowIHalf + 2]float64
	for t := range windowIHalf + 1 {
		r[t] = dot(a[:n-t], a[t:n])
	}
	for i := range e {
		e[i] = periodError(&r, energy, i)
	}
}

// leastPitchEnergy is e of Eq. 5 below which there is nothing to measure: a
// tenth of a 16-bit step.
const leastPitchEnergy = 0.01

// periodError is E(P) at step i from the autocorrelation (Eq. 5 to 7).
func periodError(r *[windowIHalf + 2]float64, energy float64, i int) float64 {
	sum := r[0]
	// In half samples, so that the grid is exact.
	period := i + 2*shortestPitch
	for t := period; t <= 2*windowIHalf; t += period {
		if t&1 == 0 {
			sum += 2 * r[t/2]
		} else {
			sum += r[t/2] + r[t/2+1]
		}
	}
	p := periodAt(i)
	return (energy - p*sum) / (energy * (1 - p*sumWindowI4))
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// pitchTracker follows the pitch from frame to frame (5.1.2 to 5.1.4).
type pitchTracker struct {
	step   int        // P(-1) on the grid
	errors [2]float64 // E(-1), E(-2) at the pitch chosen then
}

func newPitchTracker() pitchTracker { return pitchTracker{step: stepOf(startPeriod)} }

// choose gives the initial pitch P_I of the frame with error e0, and E(P_I).
// e1 and e2 belong to the next two frames.
func (t *pitchTracker) choose(e0, e1, e2 *pitchError) (step int, err float64) {
	back, backCost := t.lookBack(e0)
	step = back
	if backCost > lookBackGood {
		forward, cost := lookAhead(e0, e1, e2)
		if backCost > cost {
			step = forward
		}
	}
	t.step = step
	t.errors = [2]float64{e0[step], t.errors[0]}
	return step, e0[step]
}

// lookBack is Eq. 10 to 13.
func (t *pitchTracker) lookBack(e0 *pitchError) (step int, cost float64) {
	lo, hi := neighbours(t.step)
	step = t.step // among equals, stay
	for i := lo; i <= hi; i++ {
		if e0[i] < e0[step] {
			step = i
		}
	}
	return step, e0[step] + t.errors[0] + t.errors[1]
}

// lookAhead is Eq. 15 to 22: the pitch from which the next two frames can be
// reached best, and its sub-multiples.
func lookAhead(e0, e1, e2 *pitchError) (step int, cost float64) {
	var g, reach, cef pitchError
	leastAroundAll(e2, &g)
	for i := range g {
		g[i] += e1[i]
	}
	leastAroundAll(&g, &reach)
	best := 0
	for i := range cef {
		cef[i] = e0[i] + reach[i]
		if cef[i] < cef[best] {
			best = i
		}
	}
	p := periodAt(best)
	// The smallest sub-multiple is tried first.
	for n := int(p / shortestPitch); n >= 2; n-- {
		i := stepOf(p / float64(n))
		ratio := cef[i] / cef[best]
		if cef[i] <= 0.85 && ratio <= 1.7 || cef[i] <= 0.4 && ratio <= 3.5 || cef[i] <= 0.05 {
			return i, cef[i]
		}
	}
	return best, cef[best]
}

// leastAround is the least of e within 0.8..1.2 of step i.
func (e *pitchError) leastAround(i int) float64 {
	lo, hi := neighbours(i)
	return slices.Min(e[lo : hi+1])
}

// leastAroundAll gives, for each step, the least of e within 0.8..1.2 of it. The
// window only ever moves up, so a queue of candidates in rising order serves
// all steps in one pass.
func leastAroundAll(e, out *pitchError) {
	var queue [pitchSteps]int
	head, tail, next := 0, 0, 0
	for i := range out {
		lo, hi := neighbours(i)
		for ; next <= hi; next++ {
			for tail > head && e[queue[tail-1]] >= e[next] {
				tail--
			}
			queue[tail] = next
			tail++
		}
		for queue[head] < lo {
			head++
		}
		out[i] = e[queue[head]]
	}
}
