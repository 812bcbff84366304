package mix_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/server/ogg/demo"
	"squelch/server/recdesk/mix"
	"squelch/sfu/opus/packet"
)

const (
	rate  = 16_000
	block = rate / 50
	began = int64(1_700_000_000_000)
)

func source(atMs int64, file []byte) mix.Source {
	return mix.Source{Start: began + atMs, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil }}
}

// recorded is sound as a recording, of packets of 20 ms at 48 kHz.
func recorded(t testing.TB, seconds float64, wave func(second float64) float64) []byte {
	t.Helper()
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: packet.Rate, Channels: 1, Bitrate: 64_000, Complexity: 5})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ogg.NewWriter(&file, 7, ogg.Head{Channels: 1, PreSkip: uint16(enc.PreSkip())}, ogg.Tags{Vendor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	pcm, buf := make([]int16, packet.Rate/50), make([]byte, 1500)
	for at := range int(seconds * 50) {
		for i := range pcm {
			pcm[i] = int16(wave(float64(at*len(pcm)+i) / packet.Rate))
		}
		n, err := enc.Encode(pcm, buf)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WritePacket(buf[:n]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func sine(hertz, loud float64) func(float64) float64 {
	return func(s float64) float64 { return loud * math.Sin(2*math.Pi*hertz*s) }
}

// heard is what a player makes of a file, without its pre-skip.
func heard(t testing.TB, file []byte) (pcm []float64) {
	t.Helper()
	r, err := ogg.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	dec, err := opus.NewDecoder(rate, 1)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]int16, packet.MaxSamples)
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if ogg.IsGap(p) {
			n, err = dec.Decode(nil, buf[:packet.Samples(p)*rate/packet.Rate])
		} else {
			n, err = dec.Decode(p, buf)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range buf[:n] {
			pcm = append(pcm, float64(s))
		}
	}
	return pcm[int(r.Head.PreSkip)*rate/packet.Rate:]
}

// envelope is how loud each 20 ms of sound are.
func envelope(pcm []float64) (e []float64) {
	for ; len(pcm) >= block; pcm = pcm[block:] {
		sum := 0.0
		for _, s := range pcm[:block] {
			sum += s * s
		}
		e = append(e, math.Sqrt(sum/block))
	}
	return e
}

func correlation(a, b []float64) float64 {
	n := min(len(a), len(b))
	var ma, mb float64
	for i := range n {
		ma, mb = ma+a[i]/float64(n), mb+b[i]/float64(n)
	}
	var ab, aa, bb float64
	for i := range n {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// power is how much of a frequency is in sound: the amplitude of its sine.
func power(pcm []float64, hertz float64) float64 {
	var re, im float64
	for i, s := range pcm {
		a := 2 * math.Pi * hertz * float64(i) / rate
		re, im = re+s*math.Cos(a), im+s*math.Sin(a)
	}
	return 2 * math.Hypot(re, im) / float64(len(pcm))
}

func made(t testing.TB, span mix.Span, sources ...mix.Source) []float64 {
	t.Helper()
	var file bytes.Buffer
	result, err := mix.Write(t.Context(), &file, sources, span)
	if err != nil || result.Mixed != len(sources) {
		t.Fatalf("%+v, %v", result, err)
	}
	return heard(t, file.Bytes())
}

// TestTheFileSaysWhatWasSaid: voice is where it was, as loud as it was, and between it is
// silence, for exactly as long.
func TestTheFileSaysWhatWasSaid(t *testing.T) {
	const seconds = 31
	speech := heard(t, demo.Speech)
	want := make([]float64, seconds*rate)
	copy(want[2*rate:], speech)
	copy(want[15*rate+300:], speech) // 15.01875 s: in the middle of a block
	got := made(t, mix.Span{From: began, To: began + seconds*1000, Keep: true}, source(15_018, demo.Speech), source(2000, demo.Speech))
	if off := len(got) - len(want); off < 0 || off > block {
		t.Fatalf("%d samples, want %d and not more than a block", len(got), len(want))
	}
	e, w := envelope(got), envelope(want)
	if c := correlation(e, w); c < 0.98 {
		t.Errorf("the envelope correlates with %.4f", c)
	}
	shifted := correlation(e[3:], w) // 60 ms late would be noticed
	if shifted > 0.97 {
		t.Errorf("60 ms late it still correlates with %.4f: this test sees nothing", shifted)
	}
	for _, part := range [][2]int{{0, 98}, {620, 749}, {1270, 1549}} { // in blocks: before, between, after
		for i := part[0]; i < part[1]; i++ {
			if e[i] > 30 {
				t.Fatalf("block %d of a pause has %.0f", i, e[i])
			}
		}
	}
}

// TestTwoAtOnceAreBothHeard, and an interval that only one of them fills has only that one.
func TestTwoAtOnceAreBothHeard(t *testing.T) {
	got := made(t, mix.Span{From: began, To: began + 6000, Keep: true},
		source(0, recorded(t, 4, sine(500, 8000))), source(2000, recorded(t, 4, sine(1300, 6000))))
	for _, c := range []struct {
		from, to  float64
		low, high bool
	}{{0.3, 1.8, true, false}, {2.2, 3.8, true, true}, {4.2, 5.8, false, true}} {
		part := got[int(c.from*rate):int(c.to*rate)]
		for hertz, want := range map[float64]float64{500: 8000, 1300: 6000} {
			there := c.low
			if hertz == 1300 {
				there = c.high
			}
			p := power(part, hertz)
			if there && math.Abs(p-want) > want/5 || !there && p > want/20 {
				t.Errorf("%.1f-%.1f s: %.0f of %.0f Hz, which speaks: %v", c.from, c.to, p, hertz, there)
			}
		}
	}
}

// TestLoudVoicesDoNotClip: four at full loudness are turned down together, so that nothing
// but their tones is heard.
func TestLoudVoicesDoNotClip(t *testing.T) {
	tones := []float64{400, 700, 1100, 1900}
	var all []mix.Source
	for i, hertz := range tones {
		all = append(all, source(int64(100*i), recorded(t, 4, sine(hertz, 30_000))))
	}
	got := made(t, mix.Span{From: began, To: began + 4000, Keep: true}, all...)
	part := got[rate : 3*rate] // a whole number of periods
	var whole, tonal float64
	for _, s := range part {
		whole += s * s / float64(len(part))
	}
	for _, hertz := range tones {
		p := power(part, hertz)
		if p < 4000 {
			t.Errorf("%.0f Hz has gone: %.0f", hertz, p)
		}
		tonal += p * p / 2
	}
	if other := 1 - tonal/whole; other > 0.05 {
		t.Errorf("%.1f %% of the sound are not theirs", 100*other)
	}
}

// TestShortPausesAreASecondAtMost: none before the first voice and after the last.
func TestShortPausesAreASecondAtMost(t *testing.T) {
	beep := recorded(t, 2, sine(500, 8000))
	got := made(t, mix.Span{From: began, To: began + 3_600_000}, source(60_000, beep), source(62_500, beep), source(1_800_000, beep))
	want := float64(2 + 0.5 + 2 + 1 + 2)
	if long := float64(len(got)) / rate; math.Abs(long-want) > 0.15 {
		t.Errorf("%.2f s, want %.2f", long, want)
	}
	e := envelope(got)
	if e[2] < 2000 || e[len(e)-4] < 2000 {
		t.Error("it does not begin and end with voice")
	}
}

// TestASpanCutsRecordings that began before it or go on after it.
func TestASpanCutsRecordings(t *testing.T) {
	wave := func(s float64) float64 {
		if s < 2 {
			return sine(500, 8000)(s)
		}
		return sine(1300, 8000)(s)
	}
	got := made(t, mix.Span{From: began + 2000, To: began + 3000, Keep: true}, source(0, recorded(t, 4, wave)))
	if long := len(got); long < rate || long > rate+2*block {
		t.Errorf("%d samples", long)
	}
	if p := power(got[rate/10:rate*9/10], 1300); p < 6000 {
		t.Errorf("%.0f of what was said then", p)
	}
	if p := power(got[rate/10:rate*9/10], 500); p > 400 {
		t.Errorf("%.0f of what was said before", p)
	}
}

// TestGapsOfARecordingAreSilence, however long, and voice after them is where it was.
func TestGapsOfARecordingAreSilence(t *testing.T) {
	whole := recorded(t, 2, sine(500, 8000))
	r, err := ogg.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ogg.NewWriter(&file, 7, r.Head, ogg.Tags{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		p, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if i == 50 {
			err = w.Gap(3 * packet.Rate)
		}
		if err = errors.Join(err, w.WritePacket(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	e := envelope(made(t, mix.Span{From: began, To: began + 5000, Keep: true}, source(0, file.Bytes())))
	for i := range e {
		if voice := i > 2 && i < 48 || i > 203 && i < 247; voice != (e[i] > 3000) && (i < 46 || i > 52) && (i < 197 || i > 205) && i > 3 && i < 246 {
			t.Fatalf("block %d has %.0f", i, e[i])
		}
	}
}

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestItEndsWhenNobodyListens(t *testing.T) {
	long := make([]mix.Source, 0, 360)
	for i := range int64(360) {
		long = append(long, source(i*10_000, demo.Speech))
	}
	span := mix.Span{From: began, To: began + 3_600_000, Keep: true}
	result, err := mix.Write(t.Context(), &full{20_000}, long, span)
	if !errors.Is(err, io.ErrShortWrite) || result.Mixed > 5 {
		t.Errorf("%+v, %v", result, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if result, err = mix.Write(ctx, io.Discard, long, span); !errors.Is(err, context.Canceled) || result.Mixed > 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err = mix.Write(ctx, io.Discard, nil, mix.Span{To: 1 << 50, Keep: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("an endless pause: %+v, %v", result, err)
	}
}

func TestWhatCannotBeReadIsLeftOut(t *testing.T) {
	gone := mix.Source{Start: began, Open: func() (io.ReadCloser, error) { return nil, errors.New("gone") }}
	cut := recorded(t, 2, sine(500, 8000))
	var file bytes.Buffer
	result, err := mix.Write(t.Context(), &file, []mix.Source{gone, source(0, []byte("RIFF")), source(0, nil), source(0, cut[:len(cut)*3/4])},
		mix.Span{From: began, To: began + 2000, Keep: true})
	if err != nil || result.Mixed != 1 || result.LeftOut != 3 {
		t.Fatalf("%+v, %v", result, err)
	}
	if p := power(heard(t, file.Bytes())[block*5:rate/2], 500); p < 5000 {
		t.Errorf("the part that is there has %.0f", p)
	}
}

func TestTooManyAtOnceAreRefused(t *testing.T) {
	beep := recorded(t, 1, sine(500, 800))
	var all []mix.Source
	for range mix.MaxAtOnce + 1 {
		all = append(all, source(0, beep))
	}
	if _, err := mix.Write(t.Context(), io.Discard, all, mix.Span{From: began, To: began + 1000}); err == nil {
		t.Error("nothing is said")
	}
}

// FuzzMix: whatever a recording has in it, the file gets its length and nothing breaks.
func FuzzMix(f *testing.F) {
	f.Add(demo.Speech[:4000])
	f.Add([]byte("OggS"))
	f.Add(recorded(f, 0.2, sine(500, 8000)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<14 {
			return
		}
		var out bytes.Buffer
		if _, err := mix.Write(t.Context(), &out, []mix.Source{source(100, file)}, mix.Span{From: began, To: began + 500, Keep: true}); err != nil {
			t.Fatal(err)
		}
		if got := len(heard(t, out.Bytes())); got < rate/2 || got > rate/2+block {
			t.Fatalf("%d samples", got)
		}
	})
}

// BenchmarkAMinuteOfSpeech is what a minute of voice costs, of one talker.
func BenchmarkAMinuteOfSpeech(b *testing.B) {
	var all []mix.Source
	for i := range int64(6) {
		all = append(all, source(i*10_000, demo.Speech))
	}
	for b.Loop() {
		if _, err := mix.Write(b.Context(), io.Discard, all, mix.Span{From: began, To: began + 60_000}); err != nil {
			b.Fatal(err)
		}
	}
}
