package imbe

// DecoderOptions chooses how a Decoder sounds; the zero value is the
// recommended one. None of them changes the decoded parameters.
type DecoderOptions struct {
	// StandardPhases takes the phases of the upper voiced harmonics from noise,
	// as Eq. 140 says, instead of from the spectral envelope (dispersion.go).
	StandardPhases bool
}

// Status says what the decoder did with a frame.
type Status struct {
	Repeated  bool    // parameters of the last good frame were used (7.7)
	Muted     bool    // comfort noise instead of speech (7.8)
	ErrorRate float64 // epsilon_R, the smoothed bit error rate (Eq. 96)
}

// Error handling of 7.6 to 7.8 and what we add to it.
const (
	errorDecay    = 0.95     // of epsilon_R per frame (Eq. 96)
	errorWeight   = 0.000365 // 0.05/137 protected bits (Eq. 96)
	muteErrorRate = 0.0875   // epsilon_R above which speech is muted (7.8)
	startEnergy   = 75000    // S_E of a fresh decoder (Eq. 111)
	leastEnergy   = 10000    // floor of S_E (Eq. 111)
	startCeiling  = 20480    // tau_M of a clean channel (Eq. 114)
)

// Decoder turns frames into speech. Only one goroutine at a time may use an instance.
// It does not allocate after NewDecoder.
//
// State: the last frame's model, amplitudes and phases, the noise generator
// and the smoothed error rate. The decoder adds no delay: the samples it
// returns for a frame end at the centre of the frame's analysis window.
type Decoder struct {
	options DecoderOptions

	errorRate float64 // epsilon_R
	r0        float64 // R_M0 of the last good frame (Eq. 105)
	energy    float64 // S_E
	ceiling   float64 // tau_M
	predict   predictor
	now, last synthFrame // the frame being decoded and the one before
	noise     noiseSource
	phase     phaseTrack
	conceal   concealment
}

// synthFrame is what synthesis needs to know of a frame: the model after enhancement
// and smoothing.
type synthFrame struct {
	spectrum
	m [maxHarmonics + 1]float64 // enhanced amplitude Mbar_l
}

// NewDecoder makes a decoder in the initial state of the standard (Annex A).
func NewDecoder(o DecoderOptions) *Decoder {
	d := &Decoder{options: o}
	d.Reset()
	return d
}

// Reset returns to the initial state, as for a new talker.
func (d *Decoder) Reset() {
	o := d.options
	*d = Decoder{
		options: o,
		energy:  startEnergy,
		ceiling: startCeiling,
		predict: newPredictor(),
		noise:   newNoiseSource(),
	}
	d.now.w0, d.now.l, d.now.k = startPitch, startL, bandsOf(startL)
	d.last = d.now
}

// startPitch is w0 of a fresh decoder, 2 pi / 67 rad per sample.
const startPitch = 0.09377654070965533

// Decode synthesises one frame that came without error counts, such as 11 bytes from a
// network that checks them itself.
func (d *Decoder) Decode(f Frame, out *PCM) Status {
	return d.DecodeWithErrors(f, ErrorCounts{}, out)
}

// DecodeWithErrors synthesises one frame. The counts are those of FEC.Decode:
// they steer frame repeat, mute and smoothing (7.6 to 7.8, 9).
func (d *Decoder) DecodeWithErrors(f Frame, e ErrorCounts, out *PCM) Status {
	st := d.parameters(&f, e)
	d.render(st, out)
	return st
}

// parameters does everything up to synthesis: it leaves the model to play in
// d.now.
func (d *Decoder) parameters(f *Frame, e ErrorCounts) Status {
	total := e.Total()
	d.errorRate = errorDecay*d.errorRate + errorWeight*float64(total)
	st := Status{ErrorRate: d.errorRate}
	d.last = d.now

	var b index
	_, legal := f.unpack(&b)
	// Eq. 97, 98: the pitch is reserved, or too many bits were wrong.
	// A muted frame leaves the parameters as a repeat does.
	st.Muted = d.errorRate > muteErrorRate
	st.Repeated = st.Muted || !legal || e[0] >= 2 && float64(total) >= 10+40*d.errorRate
	if st.Repeated {
		d.trackEnergy() // with the copied amplitudes: a repeat counts as a frame
		return st
	}
	d.now.setPitch(f.pitchIndex())
	d.predict.dequantise(&d.now.spectrum, &b)
	d.predict.keep(&d.now.spectrum)
	d.enhance()
	d.smooth(e)
	return st
}
