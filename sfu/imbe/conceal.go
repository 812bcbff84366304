package imbe

import "math"

// How the decoder bridges frames that it cannot decode. The standard repeats without
// end and switches muting on and off at once; the fades are ours.
const (
	fullRepeats  = 3    // bad frames in a row repeated at full level
	fullLosses   = 1    // lost frames in a row repeated at full level
	fadeStep     = 0.71 // gain of each further one: about -3 dB
	silentRepeat = 12   // bad frames in a row from which there is silence: 240 ms
	silentLoss   = 6    // lost frames in a row from which there is silence: 100 ms
	comfortNoise = 5    // peak of the noise while muted, in 16-bit steps (7.8)
	recoverRamp  = 40   // samples over which speech comes back: 5 ms
)

// concealment is the level of speech while frames are bad, lost or muted.
type concealment struct {
	repeats, losses int
	gain, noise     float64 // at the end of the last frame
	started         bool
	random          uint32
}

// Lost fills in for a frame that did not arrive: a repeat at first, then 3 dB less for
// each further frame, and silence after 100 ms. The error rate stays as it is, because
// a lost packet says nothing about the radio channel.
func (d *Decoder) Lost(out *PCM) Status {
	d.last = d.now
	c := &d.conceal
	c.losses++
	d.synthesise(fadeAfter(c.losses, fullLosses, silentLoss), 0, out)
	return Status{Repeated: true, ErrorRate: d.errorRate}
}

// render plays d.now, at the level that the status calls for.
func (d *Decoder) render(st Status, out *PCM) {
	c := &d.conceal
	c.losses = 0
	switch {
	case st.Muted:
		d.synthesise(0, comfortNoise, out)
		return
	case st.Repeated:
		c.repeats++
	default:
		c.repeats = 0
	}
	d.synthesise(fadeAfter(c.repeats, fullRepeats, silentRepeat), 0, out)
}

// fadeAfter is the gain of the n-th bad frame in a row.
func fadeAfter(n, full, silent int) float64 {
	switch {
	case n <= full:
		return 1
	case n >= silent:
		return 0
	}
	return math.Pow(fadeStep, float64(n-full))
}

// synthesise makes the samples between the last centre and this one, and ramps
// from the last level to the given gain of speech and peak of comfort noise.
func (d *Decoder) synthesise(gain, noise float64, out *PCM) {
	var speech [FrameSamples]float64
	c := &d.conceal
	d.noise.advance(!c.started)
	d.voiced(&speech)
	d.noise.unvoiced(&d.now, &speech)
	if !c.started {
		c.started, c.gain = true, gain
	}
	ramp := FrameSamples
	if gain > c.gain {
		ramp = recoverRamp
	}
	for n, v := range speech {
		x := math.Min(float64(n)/float64(ramp), 1)
		v *= c.gain + x*(gain-c.gain)
		if peak := c.noise + x*(noise-c.noise); peak > 0 {
			v += peak * c.uniform()
		}
		out[n] = clip(v)
	}
	c.gain, c.noise = gain, noise
}

// uniform is white noise in -1..1 (a linear congruence suffices for hiss).
func (c *concealment) uniform() float64 {
	c.random = c.random*1664525 + 1013904223
	return float64(int32(c.random)) / (1 << 31)
}

// clip compresses what exceeds 24576 so that it never goes beyond full scale: the peaks
// of loud speech are rounded off instead of cut.
func clip(v float64) int16 {
	const knee, room = 24576, 32767 - 24576
	switch {
	case v > knee:
		v = knee + room*math.Tanh((v-knee)/room)
	case v < -knee:
		v = -knee + room*math.Tanh((v+knee)/room)
	}
	return int16(math.Round(v))
}
