// Package quality measures how well coded speech follows the speech that went
// in: STOI, ESTOI and log-spectral distance. All signals are 8 kHz mono; any
// linear scale will do as long as both use the same.
package quality

import (
	"errors"
	"fmt"
	"math"
)

// Rate is the sample rate of every signal given to this package, Hz.
const Rate = 8000

// Limits of a comparison.
const (
	// shortest signal that gives a STOI: 30 frames of 12.8 ms plus what the
	// removal of silence may take (Taal 2011).
	shortest = Rate / 2
	// farthest offset looked for in either direction: half a second.
	farthestLag = Rate / 2
)

// ErrSilent says that one of the signals holds nothing to compare.
var ErrSilent = errors.New("quality: signal is silent")

// Result is one comparison.
type Result struct {
	STOI  float64 // short-time objective intelligibility, about 0..1
	ESTOI float64 // extended STOI, about 0..1
	LSD   float64 // log-spectral distance, dB
	Gain  float64 // level of the second against the first, dB
	Lag   int     // samples by which the second is late
}

// Compare finds the lag of degraded against clean and measures the overlap.
func Compare(clean, degraded []float64) (Result, error) {
	lag, err := FindLag(clean, degraded)
	if err != nil {
		return Result{}, err
	}
	return CompareAt(clean, degraded, lag)
}

// CompareAt measures with a known lag in samples (positive: degraded is late).
func CompareAt(clean, degraded []float64, lag int) (Result, error) {
	a, b := align(clean, degraded, lag)
	if len(a) < shortest {
		return Result{}, fmt.Errorf("quality: %d samples overlap, need at least %d", len(a), shortest)
	}
	r := Result{Lag: lag}
	var err error
	if r.LSD, r.Gain, err = LogSpectralDistance(a, b); err != nil {
		return Result{}, err
	}
	if r.STOI, r.ESTOI, err = STOI(a, b); err != nil {
		return Result{}, err
	}
	return r, nil
}

func align(a, b []float64, lag int) ([]float64, []float64) {
	if lag >= 0 {
		b = b[min(lag, len(b)):]
	} else {
		a = a[min(-lag, len(a)):]
	}
	n := min(len(a), len(b))
	return a[:n], b[:n]
}

// FindLag gives the offset, in samples, at which the envelopes of the two
// signals correlate best: first on a coarse grid over half a second either
// way, then sample by sample.
func FindLag(clean, degraded []float64) (int, error) {
	const coarse = 16 // samples
	a, b := envelope(clean), envelope(degraded)
	best, bestLag := math.Inf(-1), 0
	try := func(lag, stride int) {
		if r := correlation(a, b, lag, stride); r > best {
			best, bestLag = r, lag
		}
	}
	for lag := -farthestLag; lag <= farthestLag; lag += coarse {
		try(lag, coarse)
	}
	if math.IsInf(best, -1) {
		return 0, ErrSilent
	}
	centre := bestLag
	best = math.Inf(-1)
	for lag := centre - coarse; lag <= centre+coarse; lag++ {
		try(lag, 2)
	}
	return bestLag, nil
}

// envelope is the root mean square under a triangle of 10 ms, so that the
// pitch hardly shows but syllables do.
func envelope(x []float64) []float64 {
	const box = Rate / 200
	power := make([]float64, len(x))
	for i, v := range x {
		power[i] = v * v
	}
	out := boxed(boxed(power, box), box)
	for i, v := range out {
		out[i] = math.Sqrt(math.Max(v, 0))
	}
	return out
}

// boxed sums the n samples around each sample.
func boxed(x []float64, n int) []float64 {
	out := make([]float64, len(x))
	sum := 0.0
	for i := -n / 2; i < len(x); i++ {
		if in := i + n/2; in < len(x) {
			sum += x[in]
		}
		if gone := i - n/2; gone >= 0 {
			sum -= x[gone]
		}
		if i >= 0 {
			out[i] = sum
		}
	}
	return out
}

// correlation is Pearson's, over every stride-th sample of the overlap;
// minus infinity where too little overlaps or a side does not vary.
func correlation(a, b []float64, lag, stride int) float64 {
	a, b = align(a, b, lag)
	n := 0.0
	var sa, sb, saa, sbb, sab float64
	for i := 0; i < len(a); i += stride {
		x, y := a[i], b[i]
		sa, sb = sa+x, sb+y
		saa, sbb, sab = saa+x*x, sbb+y*y, sab+x*y
		n++
	}
	if n*float64(stride) < shortest {
		return math.Inf(-1)
	}
	va, vb := saa-sa*sa/n, sbb-sb*sb/n
	if !(va > 0 && vb > 0) {
		return math.Inf(-1)
	}
	return (sab - sa*sb/n) / math.Sqrt(va*vb)
}
