// Package tones synthesises the built-in tones of the radio as WAV files, so
// that no recordings are needed.
package tones

import (
	"encoding/binary"
	"math"
	"sync"
)

const (
	// Rate is the sample rate in Hz: all tones are below 3 kHz, and browsers
	// resample 24 kHz to 48 kHz exactly.
	Rate = 24000
	// peak is the loudest sample, about -9 dBFS: speech through the same volume
	// knob peaks a little higher.
	peak = 0.35
	// ramp in seconds, at both ends of every sound: below it a click is heard.
	ramp = 0.006
)

// sound is one stretch of a tone: a sum of partials for a while, or silence.
type sound struct {
	seconds  float64
	partials []partial
	glideTo  float64 // Hz at the end, for the first partial's glide; 0: steady
	decay    float64 // seconds in which the level falls to 1/e; 0: it does not
}

// partial is a sine of a frequency in Hz and a share of the level.
type partial struct{ hz, share float64 }

func tone(seconds float64, hz ...float64) sound {
	s := sound{seconds: seconds}
	for _, f := range hz {
		s.partials = append(s.partials, partial{f, 1 / float64(len(hz))})
	}
	return s
}

func silence(seconds float64) sound { return sound{seconds: seconds} }

func repeated(n int, s ...sound) (out []sound) {
	for range n {
		out = append(out, s...)
	}
	return out
}

// builtin is what each tone is made of.
var builtin = map[string][]sound{
	// Two-tone warble: heard through speech without being speech.
	"ALERT_A": repeated(6, tone(0.12, 975), tone(0.12, 755)),
	// One steady note with its octave.
	"ALERT_B": {{seconds: 1.2, partials: []partial{{1000, 0.8}, {2000, 0.2}}}},
	// A low, rough double knock: "busy".
	"BONK": {
		{seconds: 0.16, partials: []partial{{311, 0.5}, {220, 0.35}, {415, 0.15}}, decay: 0.11},
		silence(0.03),
		{seconds: 0.22, partials: []partial{{233, 0.5}, {165, 0.35}, {311, 0.15}}, decay: 0.13},
	},
	// Rising sweeps in quick succession: urgent.
	"PANIC": repeated(5, sound{seconds: 0.22, partials: []partial{{700, 1}}, glideTo: 1700}, silence(0.04)),
	"BEEP":  {tone(0.3, 1200)},
	// Two short rising chirps.
	"CHIRP": repeated(2, sound{seconds: 0.13, partials: []partial{{1500, 1}}, glideTo: 2400, decay: 0.12}, silence(0.04)),
}

// Files returns the built-in tones by file name ("ALERT_A.wav"): 16-bit mono PCM. The
// result is the same on every call and must not be changed.
var Files = sync.OnceValue(func() map[string][]byte {
	out := map[string][]byte{}
	for name, sounds := range builtin {
		out[name+".wav"] = wav(render(sounds))
	}
	return out
})

// Seconds returns how long a built-in file plays; 0 for others.
func Seconds(file string) float64 {
	b, ok := Files()[file]
	if !ok {
		return 0
	}
	return float64(len(b)-headerSize) / 2 / Rate
}

func render(sounds []sound) []int16 {
	var out []int16
	for _, s := range sounds {
		n := int(math.Round(s.seconds * Rate))
		for i := range n {
			t := float64(i) / Rate
			// Rounding after the product keeps the bytes equal on machines that
			// would otherwise fuse multiply and add.
			out = append(out, int16(math.Round(float64(s.at(t)*s.envelope(t))*peak*math.MaxInt16)))
		}
	}
	return out
}

func (s sound) at(t float64) float64 {
	v := 0.0
	for i, p := range s.partials {
		turns := float64(p.hz * t)
		if i == 0 && s.glideTo != 0 { // the phase is the integral of the frequency
			turns += float64((s.glideTo - p.hz) * t * t / (2 * s.seconds))
		}
		_, turns = math.Modf(turns)
		v += float64(p.share * math.Sin(2*math.Pi*turns))
	}
	return v
}

// envelope is a raised cosine at both ends, times the decay.
func (s sound) envelope(t float64) float64 {
	e := 1.0
	if edge := min(t, s.seconds-t); edge < ramp {
		e = 0.5 - float64(0.5*math.Cos(math.Pi*edge/ramp))
	}
	if s.decay > 0 {
		e *= math.Exp(-t / s.decay)
	}
	return e
}

const headerSize = 44

// wav wraps samples in a RIFF header (Microsoft multimedia data standards,
// 1991, WAVE form, PCM).
func wav(pcm []int16) []byte {
	b := make([]byte, 0, headerSize+2*len(pcm))
	le := binary.LittleEndian
	b = append(b, "RIFF"...)
	b = le.AppendUint32(b, uint32(headerSize-8+2*len(pcm)))
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)     // size of the fmt chunk
	b = le.AppendUint16(b, 1)      // PCM
	b = le.AppendUint16(b, 1)      // mono
	b = le.AppendUint32(b, Rate)   // samples per second
	b = le.AppendUint32(b, 2*Rate) // bytes per second
	b = le.AppendUint16(b, 2)      // bytes per sample
	b = le.AppendUint16(b, 16)     // bits per sample
	b = append(b, "data"...)
	b = le.AppendUint32(b, uint32(2*len(pcm)))
	for _, v := range pcm {
		b = le.AppendUint16(b, uint16(v))
	}
	return b
}
