package quality

import (
	"fmt"
	"math"

	"squelch/sfu/imbe/internal/fft"
)

// Parameters of STOI (Taal et al., IEEE TASLP 2011) and ESTOI (Jensen and
// Taal, IEEE/ACM TASLP 2016).
const (
	stoiRate    = 10000
	stoiWindow  = 256
	stoiHop     = 128
	stoiFFT     = 512
	stoiBands   = 15
	stoiLowest  = 150.0 // Hz, centre of the first third-octave band
	stoiSegment = 30    // frames: 384 ms
	stoiSilence = 40.0  // dB below the loudest frame
	stoiClip    = -15.0 // dB, lower bound of the signal-to-distortion ratio
	tiny        = 2.220446049250313e-16
)

type thirdOctaves [][stoiBands]float64

// STOI gives both measures of aligned 8 kHz signals.
func STOI(clean, degraded []float64) (stoi, estoi float64, err error) {
	x, y := Resample(clean, Rate, stoiRate), Resample(degraded, Rate, stoiRate)
	x, y = dropSilence(x, y)
	xb, yb := analyse(x), analyse(y)
	if len(xb) < stoiSegment {
		return 0, 0, fmt.Errorf("quality: %d frames of speech after removing silence, need %d", len(xb), stoiSegment)
	}
	segments := len(xb) - stoiSegment + 1
	for i := range segments {
		xs, ys := xb[i:i+stoiSegment], yb[i:i+stoiSegment]
		stoi += segmentSTOI(xs, ys)
		estoi += segmentESTOI(xs, ys)
	}
	return stoi / float64(segments), estoi / float64(segments), nil
}

func stoiHann() (w [stoiWindow]float64) {
	for i := range w {
		w[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i+1)/(stoiWindow+1))
	}
	return w
}

// dropSilence removes the frames of both that are silent in x, by overlap-add
// of the windowed frames that stay.
func dropSilence(x, y []float64) ([]float64, []float64) {
	w := stoiHann()
	var energy []float64
	loudest := math.Inf(-1)
	for at := 0; at+stoiWindow < len(x); at += stoiHop {
		sum := 0.0
		for i, g := range w {
			sum += g * g * x[at+i] * x[at+i]
		}
		e := 20 * math.Log10(math.Sqrt(sum)+tiny)
		energy = append(energy, e)
		loudest = math.Max(loudest, e)
	}
	xo, yo := make([]float64, len(x)), make([]float64, len(x))
	kept := 0
	for f, e := range energy {
		if e <= loudest-stoiSilence {
			continue
		}
		from, to := f*stoiHop, kept*stoiHop
		for i, g := range w {
			xo[to+i] += g * x[from+i]
			yo[to+i] += g * y[from+i]
		}
		kept++
	}
	if kept == 0 {
		return nil, nil
	}
	n := (kept-1)*stoiHop + stoiWindow
	return xo[:n], yo[:n]
}

// analyse gives the third-octave amplitudes of each frame.
func analyse(x []float64) thirdOctaves {
	w := stoiHann()
	plan := fft.New(stoiFFT)
	var edges [stoiBands][2]int
	for k := range edges {
		bin := func(sixths int) int {
			return int(math.Round(stoiLowest * math.Pow(2, float64(sixths)/6) * stoiFFT / stoiRate))
		}
		edges[k] = [2]int{bin(2*k - 1), bin(2*k + 1)}
	}
	var out thirdOctaves
	var buf [stoiFFT]complex128
	for at := 0; at+stoiWindow < len(x); at += stoiHop {
		buf = [stoiFFT]complex128{}
		for i, g := range w {
			buf[i] = complex(g*x[at+i], 0)
		}
		plan.Forward(buf[:])
		var bands [stoiBands]float64
		for k, e := range edges {
			sum := 0.0
			for _, v := range buf[e[0]:e[1]] {
				sum += real(v)*real(v) + imag(v)*imag(v)
			}
			bands[k] = math.Sqrt(sum)
		}
		out = append(out, bands)
	}
	return out
}

func segmentSTOI(x, y thirdOctaves) float64 {
	clip := 1 + math.Pow(10, -stoiClip/20)
	total := 0.0
	for k := range stoiBands {
		var xx, yy float64
		for i := range x {
			xx += x[i][k] * x[i][k]
			yy += y[i][k] * y[i][k]
		}
		alpha := math.Sqrt(xx) / (math.Sqrt(yy) + tiny)
		var a, b [stoiSegment]float64
		for i := range x {
			a[i] = x[i][k]
			b[i] = math.Min(alpha*y[i][k], clip*x[i][k])
		}
		normalise(a[:])
		normalise(b[:])
		for i := range a {
			total += a[i] * b[i]
		}
	}
	return total / stoiBands
}

func segmentESTOI(x, y thirdOctaves) float64 {
	a, b := rowsThenColumns(x), rowsThenColumns(y)
	total := 0.0
	for i := range a {
		for k := range a[i] {
			total += a[i][k] * b[i][k]
		}
	}
	return total / stoiSegment
}

func rowsThenColumns(x thirdOctaves) (out [stoiSegment][stoiBands]float64) {
	for k := range stoiBands {
		var row [stoiSegment]float64
		for i := range x {
			row[i] = x[i][k]
		}
		normalise(row[:])
		for i := range x {
			out[i][k] = row[i]
		}
	}
	for i := range out {
		normalise(out[i][:])
	}
	return out
}

// normalise removes the mean and scales to unit length.
func normalise(v []float64) {
	mean := 0.0
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	sum := 0.0
	for i := range v {
		v[i] -= mean
		sum += v[i] * v[i]
	}
	scale := 1 / (math.Sqrt(sum) + tiny)
	for i := range v {
		v[i] *= scale
	}
}
