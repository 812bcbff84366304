package imbe

import "math"

// EncoderOptions chooses how an Encoder works; the zero value is the recommended one
// for clean speech at the right level.
type EncoderOptions struct {
	// SkipLookAhead gives up 1 or 2 frames of pitch look-ahead. Each saves 20 ms
	// of delay and makes the pitch less certain at onsets. Other values are
	// limited to 0..2.
	SkipLookAhead int
	// ShortLookAhead looks 60 samples ahead for the pitch instead of two frames, which
	// saves 32.5 ms and costs no intelligibility (TestAShortLookAheadLosesNothing), but
	// a quarter more time: two instants are measured for each frame. SkipLookAhead then
	// has no effect.
	ShortLookAhead bool
	// Standard follows sections 5 and 6 to the letter: no weighted quantiser
	// search, no allowance for the decoder's enhancement. For comparison.
	Standard bool
	// Conditioning improves difficult input.
	Conditioning Conditioning
}

const (
	// historyLen is how many samples analysis may look at: 320 + 160 ahead of the
	// centre and 160 behind it, rounded up to whole frames.
	historyLen = 5 * FrameSamples
	// amplitudeFloor keeps the logarithm of silence finite (5.3).
	amplitudeFloor = 0.01
)

// Encoder turns speech into frames. Only one goroutine at a time may use an instance.
// It does not allocate after NewEncoder.
//
// State: 100 ms of input, E(P) of the frames ahead, the tracked pitch, the
// voicing of the last frame, its decoded amplitudes, the sync bit, and what
// Conditioning needs.
//
// Delay: the frame returned is centred 480 samples before the end of the input
// (two frames of look-ahead, half a pitch window and the pitch filter), 160
// fewer for each frame of SkipLookAhead, 220 with ShortLookAhead. Through a decoder,
// whose output ends at the centre, speech comes out Delay() samples after it went in:
// 480 (60 ms) with full look-ahead. The 20 ms in which a frame is collected come on top. The first
// frames are therefore silence.
type Encoder struct {
	options   EncoderOptions
	condition conditioner
	input     [historyLen]float64
	errors    [3]pitchError // present, next, next but one
	tracker   pitchTracker
	voicing   voicingState
	predict   predictor
	lastB0    int // -1 before the first frame
	sync      int
	spectrum  shortSpectrum // at the centre
	flank     shortSpectrum // before or after it
	fits      [maxHarmonics + 1]harmonicFit
}

// NewEncoder makes an encoder in the initial state of the standard (Annex A).
func NewEncoder(o EncoderOptions) *Encoder {
	o.SkipLookAhead = max(0, min(2, o.SkipLookAhead))
	e := &Encoder{options: o}
	e.Reset()
	return e
}

// Reset returns to the initial state, as for a new talker.
func (e *Encoder) Reset() {
	*e = Encoder{
		options:   e.options,
		condition: newConditioner(e.options.Conditioning),
		tracker:   newPitchTracker(),
		voicing:   newVoicingState(e.options.Standard),
		predict:   newPredictor(),
		lastB0:    -1,
	}
	for i := range e.errors {
		for j := range e.errors[i] {
			e.errors[i][j] = 1
		}
	}
}

// Delay is the number of samples by which a decoder's output is late.
func (e *Encoder) Delay() int { return e.ahead() + windowIHalf + lpfHalf }

// shortLookAhead is in samples. Of 40, 60, 80, 100 and 120, all but 40 are as good as two
// frames in the mean of five speakers, with and without noise; 60 is the least of these.
const shortLookAhead = 60

// ahead is how many samples after the centre the last pitch is measured.
func (e *Encoder) ahead() int {
	if e.options.ShortLookAhead {
		return shortLookAhead
	}
	return (2 - e.options.SkipLookAhead) * FrameSamples
}

// Encode takes the next 160 samples and gives the frame whose centre lies
// Delay() samples before their end.
func (e *Encoder) Encode(pcm *PCM) Frame {
	copy(e.input[:], e.input[FrameSamples:])
	e.condition.input(pcm, (*[FrameSamples]float64)(e.input[historyLen-FrameSamples:]))

	newest := historyLen - 1 - windowIHalf - lpfHalf
	centre := newest - e.ahead()
	frames := 2 - e.options.SkipLookAhead // of look-ahead
	if e.options.ShortLookAhead {
		frames = 1 // a part of it
		measurePitch(&e.errors[0], e.input[:], centre)
	} else {
		e.errors[0], e.errors[1] = e.errors[1], e.errors[2]
	}
	measurePitch(&e.errors[frames], e.input[:], newest)
	period, pitchErr := e.choosePitch(frames)

	measureSpectrum(&e.spectrum, e.input[:], centre)
	var s spectrum
	var b index
	e.chooseModel(&s, &b, period, pitchErr)
	var target [maxHarmonics + 1]float64
	if !e.options.Standard {
		e.spreadFits(&s, centre)
	}
	e.amplitudes(&s, &target)
	e.quantise(&s, &b, &target)

	var f Frame
	f.pack(&b, s.l)
	return f
}

// choosePitch runs the tracker. A frame that SkipLookAhead leaves out counts as one
// whose pitch can be reached from every other without error.
func (e *Encoder) choosePitch(ahead int) (period, pitchErr float64) {
	var unknown pitchError
	e1, e2 := &e.errors[1], &e.errors[2]
	if ahead < 2 {
		e2 = &unknown
	}
	if ahead < 1 {
		e1 = &unknown
	}
	before := e.tracker.errors[0]
	step, pitchErr := e.tracker.choose(&e.errors[0], e1, e2)
	// A pitch that the last frame did not have and the next one cannot continue is
	// chance: noise sometimes looks periodic for 20 ms.
	if ahead > 0 && !e.options.Standard && before > pitchErrorLimit && e1.leastAround(step) > pitchErrorLimit {
		pitchErr = 1
	}
	return periodAt(step), pitchErr
}

// chooseModel settles pitch and voicing: b_0 and b_1.
func (e *Encoder) chooseModel(s *spectrum, b *index, period, pitchErr float64) {
	b0 := 0
	if e.options.Standard {
		b0 = e.spectrum.refineStandard(period)
	} else {
		b0 = e.spectrum.refine(period)
	}
	s.setPitch(b0)
	e.fit(s)
	b[1] = e.voicing.decide(&e.spectrum, s, &e.fits, pitchErr)
	// Noise has no pitch. Keeping the last one keeps the grid of harmonics, so that
	// their amplitudes can be predicted.
	if b[1] == 0 && e.lastB0 >= 0 && !e.options.Standard {
		s.setPitch(e.lastB0)
		e.fit(s)
	}
	s.setVoicing(b[1])
	b[0] = s.b0
	e.lastB0 = s.b0
}

func (e *Encoder) fit(s *spectrum) {
	for l := 1; l <= s.l; l++ {
		e.fits[l] = e.spectrum.fitHarmonic(s.w0, l, 0)
	}
}

// spreadBy is how far before and after the centre amplitudes are measured as well, in
// samples. The window of 5.1.5 gives little weight to samples more than 55 from its
// centre, but the decoder plays an amplitude over 160 to 210 samples: without the
// flanks, what happens between two centres would be lost.
const spreadBy = 48

// spreadFits replaces the energies of the harmonics by those of the mean amplitude at
// three instants, in which the centre counts half.
func (e *Encoder) spreadFits(s *spectrum, centre int) {
	var sum [maxHarmonics + 1]float64
	for _, at := range [2]int{centre - spreadBy, centre + spreadBy} {
		measureSpectrum(&e.flank, e.input[:], at)
		for l := 1; l <= s.l; l++ {
			sum[l] += math.Sqrt(e.flank.bandEnergy(e.fits[l].from, e.fits[l].to))
		}
	}
	for l := 1; l <= s.l; l++ {
		f := &e.fits[l]
		mean := math.Sqrt(f.energy)/2 + sum[l]/4
		f.energy = mean * mean
	}
}

// amplitudes measures log2 M_l (5.3, Eq. 43 and 44).
func (e *Encoder) amplitudes(s *spectrum, target *[maxHarmonics + 1]float64) {
	e.condition.learnNoise(&e.spectrum)
	for l := 1; l <= s.l; l++ {
		f := &e.fits[l]
		var m float64
		if s.voiced[l] {
			m = math.Sqrt(f.energy / f.windowSum)
		} else {
			m = math.Sqrt(f.energy/float64(f.to-f.from)) / sumWindowR
		}
		m *= e.condition.noiseGain(f)
		target[l] = math.Log2(math.Max(m, amplitudeFloor))
	}
}

// quantise writes the rest of b and keeps the amplitudes that the decoder will have,
// from which the next frame is predicted.
func (e *Encoder) quantise(s *spectrum, b *index, target *[maxHarmonics + 1]float64) {
	if !e.options.Standard {
		allowForEnhancement(s, target)
	}
	e.predict.quantise(b, s, target)
	if !e.options.Standard {
		var weight [maxHarmonics + 1]float64
		harmonicWeights(s.l, target, &weight)
		e.predict.search(b, s, target, &weight)
	}
	b[s.l+2] = e.sync
	e.sync ^= 1
	e.predict.dequantise(s, b)
	e.predict.keep(s)
}
