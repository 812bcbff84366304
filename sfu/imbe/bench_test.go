package imbe

import (
	"testing"
	"time"
)

// frameBudget is how long a frame lasts, and so the longest time that coding it may
// take.
const frameBudget = 20 * time.Millisecond

// perFrame runs f once for each frame and prints its processor time, also as a part of
// the frame's length.
func perFrame(b *testing.B, f func(i int)) {
	b.ReportAllocs()
	start, i := cpuTime(b), 0
	for b.Loop() {
		f(i)
		i++
	}
	cost := (cpuTime(b) - start).Seconds() / float64(i)
	b.ReportMetric(cost*1e6, "cpu-µs/frame")
	b.ReportMetric(100*cost/frameBudget.Seconds(), "%-of-20ms")
}

func benchmarkEncode(b *testing.B, o EncoderOptions) {
	speech := framesPCM(pcmOf(b, "speech_a.pcm"))
	e := NewEncoder(o)
	perFrame(b, func(i int) { e.Encode(&speech[i%len(speech)]) })
}

func BenchmarkEncode(b *testing.B) { benchmarkEncode(b, EncoderOptions{}) }

func BenchmarkEncodeShortLookAhead(b *testing.B) {
	benchmarkEncode(b, EncoderOptions{ShortLookAhead: true})
}

func BenchmarkEncodeStandard(b *testing.B) { benchmarkEncode(b, EncoderOptions{Standard: true}) }

func BenchmarkEncodeConditioned(b *testing.B) {
	benchmarkEncode(b, EncoderOptions{Conditioning: Conditioning{HighPass: true, NoiseSuppression: true, LevelControl: true}})
}

func BenchmarkDecode(b *testing.B) {
	frames := framesOf(b, "speech_a.op25.imbe")
	d := NewDecoder(DecoderOptions{})
	var out PCM
	perFrame(b, func(i int) { d.Decode(frames[i%len(frames)], &out) })
}

func BenchmarkLost(b *testing.B) {
	frames := framesOf(b, "speech_a.op25.imbe")
	d := NewDecoder(DecoderOptions{})
	var out PCM
	for _, f := range frames[:60] {
		d.Decode(f, &out)
	}
	perFrame(b, func(int) { d.Lost(&out) })
}

func BenchmarkFEC(b *testing.B) {
	frames := framesOf(b, "speech_a.op25.imbe")
	perFrame(b, func(i int) {
		c := FEC{}.Encode(&frames[i%len(frames)])
		FEC{}.Decode(&c)
	})
}
