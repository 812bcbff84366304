package tones

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

var names = []string{"ALERT_A.wav", "ALERT_B.wav", "BEEP.wav", "BONK.wav", "CHIRP.wav", "PANIC.wav"}

func samples(t *testing.T, file string) []float64 {
	t.Helper()
	b := Files()[file]
	if len(b) < headerSize || string(b[:4]) != "RIFF" || string(b[8:16]) != "WAVEfmt " || string(b[36:40]) != "data" {
		t.Fatalf("%s is no WAV file", file)
	}
	le := binary.LittleEndian
	if int(le.Uint32(b[4:])) != len(b)-8 || int(le.Uint32(b[40:])) != len(b)-headerSize {
		t.Fatalf("%s: sizes in the header are wrong", file)
	}
	if le.Uint16(b[20:]) != 1 || le.Uint16(b[22:]) != 1 || le.Uint32(b[24:]) != Rate || le.Uint16(b[34:]) != 16 {
		t.Fatalf("%s is not 16-bit mono PCM at %d Hz", file, Rate)
	}
	var out []float64
	for i := headerSize; i < len(b); i += 2 {
		out = append(out, float64(int16(le.Uint16(b[i:])))/math.MaxInt16)
	}
	return out
}

func TestTheSixTonesAreThere(t *testing.T) {
	var got []string
	for name := range Files() {
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, names) {
		t.Fatalf("tones are %v", got)
	}
}

func TestTonesAreShortAndOfOneLoudness(t *testing.T) {
	for _, name := range names {
		pcm := samples(t, name)
		if s := Seconds(name); s < 0.3 || s > 1.5 || int(math.Round(s*Rate)) != len(pcm) {
			t.Errorf("%s plays %.2f s", name, s)
		}
		loudest, energy := 0.0, 0.0
		for _, v := range pcm {
			loudest = max(loudest, math.Abs(v))
			energy += v * v
		}
		if loudest < 0.15 || loudest > 0.5 {
			t.Errorf("%s peaks at %.2f", name, loudest)
		}
		if rms := math.Sqrt(energy / float64(len(pcm))); rms < 0.05 {
			t.Errorf("%s is faint: rms %.3f", name, rms)
		}
	}
}

// A click is a step that the tone's own frequency cannot make: 2.5 kHz at the
// peak level moves at most 2π·2500/24000 of it between two samples.
func TestTonesHaveNoClicks(t *testing.T) {
	for _, name := range names {
		pcm := samples(t, name)
		last := 0.0
		for i, v := range append(pcm, 0) {
			if math.Abs(v-last) > peak*2*math.Pi*2500/Rate {
				t.Errorf("%s clicks at sample %d: %.3f to %.3f", name, i, last, v)
				break
			}
			last = v
		}
	}
}

// strength of one frequency in a stretch (Goertzel), relative to its energy.
func strength(pcm []float64, hz float64) float64 {
	var re, im, energy float64
	for i, v := range pcm {
		re += v * math.Cos(2*math.Pi*hz*float64(i)/Rate)
		im += v * math.Sin(2*math.Pi*hz*float64(i)/Rate)
		energy += v * v
	}
	return 2 * (re*re + im*im) / (energy * float64(len(pcm)))
}

func TestTonesSoundAsTheirNamesSay(t *testing.T) {
	part := func(file string, from, to float64) []float64 {
		return samples(t, file)[int(from*Rate):int(to*Rate)]
	}
	for _, c := range []struct {
		say       string
		pcm       []float64
		hz, least float64
	}{
		{"the warble starts high", part("ALERT_A.wav", 0, 0.12), 975, 0.9},
		{"and goes low", part("ALERT_A.wav", 0.12, 0.24), 755, 0.9},
		{"ALERT_B is steady at its start", part("ALERT_B.wav", 0, 0.3), 1000, 0.85},
		{"and at its end", part("ALERT_B.wav", 0.9, 1.2), 1000, 0.85},
		{"BEEP is one note", part("BEEP.wav", 0, 0.3), 1200, 0.95},
		{"BONK is low", part("BONK.wav", 0, 0.16), 311, 0.4},
		{"PANIC starts low", part("PANIC.wav", 0.005, 0.015), 745, 0.8},
		{"and rises", part("PANIC.wav", 0.2, 0.21), 1632, 0.8},
	} {
		if s := strength(c.pcm, c.hz); s < c.least {
			t.Errorf("%s: %.0f Hz has %.2f of the energy", c.say, c.hz, s)
		}
	}
	if Seconds("none.wav") != 0 {
		t.Error("a file that is not there plays")
	}
}
