package sfu

import (
	"math"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/sfu/imbe"
	"squelch/sfu/imbe/quality"
)

// Delays are counted in samples at 8 kHz: 8 are a millisecond.
const samplesPerMs = voiceRate / 1000

// mostAdded is what a digital channel may add to the delay of a conventional one: 40 ms.
const mostAdded = 40 * samplesPerMs

// opusHeard is what a client hears of Opus packets, at 8 kHz.
func opusHeard(t *testing.T, packets [][]byte) []float64 {
	t.Helper()
	dec, err := opus.NewDecoder(voiceRate, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	var pcm [blockSamples]int16
	for _, p := range packets {
		n, err := dec.Decode(p, pcm[:])
		if err != nil || n != blockSamples {
			t.Fatalf("%d samples, %v", n, err)
		}
		for _, v := range pcm {
			out = append(out, float64(v))
		}
	}
	return out
}

func samples(pcm []int16) []float64 {
	out := make([]float64, len(pcm))
	for i, v := range pcm {
		out[i] = float64(v)
	}
	return out
}

func lag(t *testing.T, from, to []float64) int {
	t.Helper()
	n, err := quality.FindLag(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The stages between the talker's Opus and the listener's, each by itself, and then all of
// them beside a conventional channel. (What the browsers do is the same on both.)
func TestADigitalChannelAddsLittleDelay(t *testing.T) {
	sum := 0
	stage := func(name string, got, most int) {
		t.Logf("%-40s %4d samples, %5.1f ms", name, got, float64(got)/samplesPerMs)
		if got > most {
			t.Errorf("%s: %d samples, want at most %d", name, got, most)
		}
		sum += got
	}
	stage("48 to 8 kHz", decimatorDelay(), 29)

	c, err := newCodec(nil)
	if err != nil {
		t.Fatal(err)
	}
	talk := samples(speech(t))
	enc, dec := imbe.NewEncoder(imbe.EncoderOptions{ShortLookAhead: true}), imbe.NewDecoder(imbe.DecoderOptions{})
	var vocoded []float64
	var again [][]byte
	for _, block := range blocksOf(speech(t)) {
		var pcm imbe.PCM
		dec.Decode(enc.Encode(&block), &pcm)
		vocoded = append(vocoded, samples(pcm[:])...)
		buf := make([]byte, maxOpusPacket)
		n, err := c.out.Encode(block[:], buf)
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, buf[:n])
	}
	if c.enc.Delay() != enc.Delay() {
		t.Errorf("the codec's vocoder delays by %d samples, not %d", c.enc.Delay(), enc.Delay())
	}
	stage("IMBE: half a window, filter, look-ahead", enc.Delay(), 220)
	stage("IMBE: beyond that (measured)", lag(t, talk, vocoded)-enc.Delay(), 24)
	stage("8 kHz Opus: look-ahead and overlap", lag(t, talk, opusHeard(t, again)), c.out.Lookahead()+8)

	digital, conventional := digitalLag(t, talk)
	t.Logf("%-40s %4d samples, %5.1f ms", "the stages together", sum, float64(sum)/samplesPerMs)
	t.Logf("%-40s %4d samples, %5.1f ms", "digital less conventional (measured)", digital-conventional, float64(digital-conventional)/samplesPerMs)
	if added := digital - conventional; added > mostAdded || added < enc.Delay() {
		t.Errorf("a digital channel adds %d samples, want %d to %d", added, enc.Delay(), mostAdded)
	}
}

// digitalLag carries speech over a digital and a conventional channel. Each packet leaves
// as a packet: none waits for the next one.
func digitalLag(t *testing.T, talk []float64) (digital, conventional int) {
	t.Helper()
	c, err := newCodec(&new(talker).bitErrors)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for i, p := range opusSpeech(t) {
		f := &Frame{Payload: p, timestamp: uint32(i) * frameSamples, timed: true, at: int64(i+1) * 20e6}
		c.make(f, true)
		if f.decoded == nil || f.decoded.Samples() != frameSamples || c.fill != 0 {
			t.Fatalf("packet %d: not carried at once, %d samples wait", i, c.fill)
		}
		out = append(out, append([]byte(nil), f.decoded.Payload...))
	}
	return lag(t, talk, opusHeard(t, out)), lag(t, talk, opusHeard(t, opusSpeech(t)))
}

// decimatorDelay is the centre of what the filter makes of a pulse, in samples.
func decimatorDelay() int {
	var d Decimator
	var sum, moment float64
	const at = 100
	for i := range 200 {
		var in [decimation]int16
		if i == at {
			in = [decimation]int16{30_000, 30_000, 30_000, 30_000, 30_000, 30_000}
		}
		v := float64(d.Next(&in))
		sum, moment = sum+v, moment+v*float64(i-at)
	}
	return int(math.Round(moment / sum))
}

func blocksOf(pcm []int16) (out []imbe.PCM) {
	for ; len(pcm) >= blockSamples; pcm = pcm[blockSamples:] {
		out = append(out, imbe.PCM(pcm[:blockSamples]))
	}
	return out
}
