package imbe

import "math"

// spectrum is the model of one frame (4.1): pitch, voicing and amplitudes.
// Arrays are indexed by harmonic 1..L; entry 0 is unused.
type spectrum struct {
	b0     int
	w0     float64 // rad per sample
	l, k   int     // harmonics, voicing bands
	voiced [maxHarmonics + 1]bool
	logM   [maxHarmonics + 1]float64 // log2 of M_l as decoded (6.4)
}

// startL is the L(-1) of a fresh coder (6.3); log2 M(-1) starts at 0.
const startL = 30

// setPitch derives w0, L and K from the pitch index, as the decoder must.
func (s *spectrum) setPitch(b0 int) {
	s.b0 = b0
	s.w0 = pitchOf(b0)
	s.l = harmonicsOf(s.w0)
	s.k = bandsOf(s.l)
}

// setVoicing spreads the K voicing bits over the harmonics (6.2).
func (s *spectrum) setVoicing(b1 int) {
	s.voiced = [maxHarmonics + 1]bool{}
	for l := 1; l <= s.l; l++ {
		s.voiced[l] = b1>>(s.k-bandOf(l))&1 != 0
	}
}

// predictor keeps the last decoded log amplitudes (6.3). Encoder and decoder
// run the same one, so that they stay in step.
type predictor struct {
	l    int
	logM [maxHarmonics + 1]float64
}

func newPredictor() predictor { return predictor{l: startL} }

// predict fills out[1..l] with rho (P_l - mean P), the part of log2 M_l that is
// predicted from the last frame (Eq. 54, 55, 76 to 78).
func (p *predictor) predict(l int, out *[maxHarmonics + 1]float64) {
	ratio := float64(p.l) / float64(l)
	sum := 0.0
	for i := 1; i <= l; i++ {
		k := ratio * float64(i)
		whole := int(k)
		d := k - float64(whole)
		v := (1-d)*p.at(whole) + d*p.at(whole+1)
		out[i] = v
		sum += v
	}
	mean := sum / float64(l)
	rho := predictionGain(l)
	for i := 1; i <= l; i++ {
		out[i] = rho * (out[i] - mean)
	}
}

// at gives log2 M_l(-1) with the edges of Eq. 56 and 57.
func (p *predictor) at(l int) float64 {
	switch {
	case l <= 0:
		return 0
	case l > p.l:
		return p.logM[p.l]
	}
	return p.logM[l]
}

// predictionGain is rho of Eq. 55.
func predictionGain(l int) float64 {
	switch {
	case l <= 15:
		return 0.4
	case l <= 24:
		return 0.03*float64(l) - 0.05
	}
	return 0.7
}

// keep makes the amplitudes of s the base of the next prediction.
func (p *predictor) keep(s *spectrum) {
	p.l = s.l
	p.logM = s.logM
}

// dctCos[n][k][j] = cos(pi k (j + 1/2) / n), for blocks of up to 10 (6.3).
var dctCos = makeDCT()

func makeDCT() (t [11][10][10]float64) {
	for n := 1; n <= 10; n++ {
		for k := range n {
			for j := range n {
				t[n][k][j] = math.Cos(math.Pi * float64(k) * (float64(j) + 0.5) / float64(n))
			}
		}
	}
	return t
}

// forwardDCT is Eq. 60 and 61: weight 1/N, no other normalisation.
func forwardDCT(c, x []float64) {
	n := len(x)
	for k := range n {
		sum := 0.0
		for j, v := range x {
			sum += v * dctCos[n][k][j]
		}
		c[k] = sum / float64(n)
	}
}

// inverseDCT is Eq. 69 and 73: weight 1 for the first coefficient, 2 for the
// others. The gain vector has 6 points (the print of Eq. 69 says J_i).
func inverseDCT(x, c []float64) {
	n := len(c)
	for j := range n {
		sum := c[0]
		for k := 1; k < n; k++ {
			sum += 2 * c[k] * dctCos[n][k][j]
		}
		x[j] = sum
	}
}

// level is the reconstruction of Eq. 68 and 71: the middle of the cell that
// the quantiser's floor chose.
func level(b int, width uint8, step float64) float64 {
	if width == 0 {
		return 0
	}
	return step * (float64(b-1<<(width-1)) + 0.5)
}

// cell is the uniform quantiser of Eq. 62 and 63. It takes the floor: level
// gives back the middle of the cell.
func cell(c float64, width uint8, step float64) int {
	if width == 0 {
		return 0
	}
	half := 1 << (width - 1)
	// Clamp before the conversion: a huge float has no integer.
	v := math.Max(-float64(half), math.Min(float64(half)-1, math.Floor(c/step)))
	return int(v) + half
}

// dequantise decodes b into s, whose pitch is set already (6.2, 6.4).
func (p *predictor) dequantise(s *spectrum, b *index) {
	s.setVoicing(b[1])
	clear(s.logM[s.l+1:])
	var g, r [6]float64
	g[0] = gainLevels[b[2]]
	for i := range 5 {
		g[i+1] = level(b[i+3], gainBits[s.l][i], gainStep[s.l][i])
	}
	inverseDCT(r[:], g[:])

	var predicted [maxHarmonics + 1]float64
	p.predict(s.l, &predicted)
	var c, t [10]float64
	m, first := 8, 1
	for i, n := range blockLen[s.l] {
		c[0] = r[i]
		for k := 1; k < int(n); k++ {
			width := hocBits[s.l][m-8]
			c[k] = level(b[m], width, hocStep[width]*hocSigma[k+1])
			m++
		}
		inverseDCT(t[:n], c[:n])
		for j := range int(n) {
			s.logM[first+j] = t[j] + predicted[first+j]
		}
		first += int(n)
	}
}

// quantise is the inverse of dequantise: target[1..L] is log2 M_l as measured,
// s holds pitch and L. It writes b_2..b_{L+1} (6.3, Eq. 52 to 63).
func (p *predictor) quantise(b *index, s *spectrum, target *[maxHarmonics + 1]float64) {
	var predicted [maxHarmonics + 1]float64
	p.predict(s.l, &predicted)
	var c, t [10]float64
	var r, g [6]float64
	m, first := 8, 1
	for i, n := range blockLen[s.l] {
		for j := range int(n) {
			t[j] = target[first+j] - predicted[first+j]
		}
		forwardDCT(c[:n], t[:n])
		r[i] = c[0]
		for k := 1; k < int(n); k++ {
			width := hocBits[s.l][m-8]
			b[m] = cell(c[k], width, hocStep[width]*hocSigma[k+1])
			m++
		}
		first += int(n)
	}
	forwardDCT(g[:], r[:])
	b[2] = nearestGain(g[0])
	for i := range 5 {
		b[i+3] = cell(g[i+1], gainBits[s.l][i], gainStep[s.l][i])
	}
}

// nearestGain is the gain quantiser of 6.3.1 (Annex E is sorted).
func nearestGain(g float64) int {
	best := 0
	for i, v := range gainLevels {
		if math.Abs(v-g) < math.Abs(gainLevels[best]-g) {
			best = i
		}
	}
	return best
}
