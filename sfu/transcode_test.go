package sfu

import (
	"bytes"
	"encoding/base64"
	"math"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/core"
	"squelch/sfu/imbe"
	"squelch/sfu/imbe/quality"
	"squelch/sfu/opus/packet"
)

// speech is five seconds of a person reading, at 8 kHz.
func speech(t testing.TB) []int16 {
	t.Helper()
	b, err := os.ReadFile("imbe/testdata/speech_a.pcm")
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, min(len(b)/2, 5*8000))
	for i := range pcm {
		pcm[i] = int16(uint16(b[2*i]) | uint16(b[2*i+1])<<8)
	}
	return pcm
}

// opusSpeech is the speech as a browser would send it: 48 kHz Opus, 20 ms.
func opusSpeech(t testing.TB) [][]byte {
	t.Helper()
	opusOnce.Do(func() { opusPackets = encodeSpeech(t) })
	return opusPackets
}

var (
	opusOnce    sync.Once
	opusPackets [][]byte
)

func encodeSpeech(t testing.TB) [][]byte {
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: 48_000, Channels: 1, Bitrate: 64_000, Complexity: 5})
	if err != nil {
		t.Fatal(err)
	}
	var up Interpolator
	var wide []int16
	for _, s := range speech(t) {
		six := up.Next(s)
		wide = append(wide, six[:]...)
	}
	var out [][]byte
	buf := make([]byte, 1500)
	for i := 0; i+frameSamples <= len(wide); i += frameSamples {
		n, err := enc.Encode(wide[i:i+frameSamples], buf)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Clone(buf[:n]))
	}
	return out
}

// heardFrames records what a client is sent.
type heardFrames struct {
	frames    [][]byte
	encodings []Encoding
}

func (h *heardFrames) Send(m *Message) {
	h.frames = append(h.frames, bytes.Clone(m.Bytes()))
	h.encodings = append(h.encodings, m.Encoding)
}

// digitalRadio has a talker, a P25 listener and a plain one on a digital channel.
func digitalRadio(t testing.TB, recorder Recorder) (r *radio, p25, plain *heardFrames) {
	r = onAir(t, Options{Recorder: recorder})
	p25, plain = &heardFrames{}, &heardFrames{}
	for id, sink := range map[core.UserID]Sink{-1: &deafSink{}, -2: p25, -3: plain} {
		r.tune(id, digital1)
		r.sfu.Attach(id, sink)
	}
	r.sfu.AcceptIMBE(-2, true)
	r.key(-1, digital1)
	return r, p25, plain
}

type deafSink struct{}

func (deafSink) Send(*Message) {}

// transmit publishes packets 20 ms apart. The tests that use it run in a synctest
// bubble, so that a busy machine makes no pause in a burst.
func transmit(r *radio, talker core.UserID, e Encoding, packets [][]byte) {
	f := &Frame{}
	for _, p := range packets {
		f.Reset()
		f.Talker, f.Keyed, f.Encoding, f.Text = talker, digital1, e, base64.StdEncoding.EncodeToString(p)
		r.sfu.Publish(f)
		time.Sleep(20 * time.Millisecond)
	}
}

func TestSpeechOnADigitalChannelSoundsLikeP25ToEverybody(t *testing.T) {
	synctest.Test(t, speechOnADigitalChannelSoundsLikeP25ToEverybody)
}

func speechOnADigitalChannelSoundsLikeP25ToEverybody(t *testing.T) {
	r, p25, plain := digitalRadio(t, nil)
	packets := opusSpeech(t)
	transmit(r, -1, Opus, packets)
	if len(p25.frames) != len(packets) || len(plain.frames) != len(packets) {
		t.Fatalf("%d packets became %d IMBE frames and %d Opus packets", len(packets), len(p25.frames), len(plain.frames))
	}
	var fromIMBE, fromOpus []int16
	dec := imbe.NewDecoder(imbe.DecoderOptions{})
	out, err := opus.NewDecoder(8000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p25.frames {
		if p25.encodings[i] != IMBE || len(p25.frames[i]) != imbeFrame || plain.encodings[i] != Opus {
			t.Fatalf("frame %d: %v of %d bytes, %v", i, p25.encodings[i], len(p25.frames[i]), plain.encodings[i])
		}
		var pcm imbe.PCM
		dec.Decode(imbe.Frame(p25.frames[i]), &pcm)
		fromIMBE = append(fromIMBE, pcm[:]...)
		buf := make([]int16, 160)
		if n, err := out.Decode(plain.frames[i], buf); err != nil || n != 160 {
			t.Fatalf("packet %d: %d samples, %v", i, n, err)
		}
		fromOpus = append(fromOpus, buf...)
	}
	same := compare(t, fromIMBE, fromOpus)
	t.Logf("frames against Opus of the same audio: STOI %.3f ESTOI %.3f LSD %.2f dB gain %.2f dB", same.STOI, same.ESTOI, same.LSD, same.Gain)
	if same.ESTOI < 0.97 || math.Abs(same.Gain) > 0.5 {
		t.Errorf("the Opus listener does not hear what the P25 listener hears: %+v", same)
	}
	whole := compare(t, speech(t), fromOpus)
	t.Logf("speech against what a browser hears: STOI %.3f ESTOI %.3f LSD %.2f dB gain %.2f dB", whole.STOI, whole.ESTOI, whole.LSD, whole.Gain)
	if whole.STOI < 0.89 || whole.ESTOI < 0.80 {
		t.Errorf("the way through the radio costs too much: %+v", whole)
	}
}

func compare(t testing.TB, clean, degraded []int16) quality.Result {
	t.Helper()
	float := func(pcm []int16) []float64 {
		out := make([]float64, len(pcm))
		for i, s := range pcm {
			out[i] = float64(s)
		}
		return out
	}
	r, err := quality.Compare(float(clean), float(degraded))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestIMBEPassesADigitalChannelUntouched(t *testing.T) {
	synctest.Test(t, iMBEPassesADigitalChannelUntouched)
}

func iMBEPassesADigitalChannelUntouched(t *testing.T) {
	r, p25, plain := digitalRadio(t, nil)
	enc := imbe.NewEncoder(imbe.EncoderOptions{})
	var frames [][]byte
	pcm := speech(t)
	for i := 0; i+imbe.FrameSamples <= len(pcm); i += imbe.FrameSamples {
		f := enc.Encode((*imbe.PCM)(pcm[i:]))
		frames = append(frames, bytes.Clone(f[:]))
	}
	pairs := [][]byte{}
	for i := 0; i+1 < len(frames); i += 2 { // two frames in one event
		pairs = append(pairs, append(bytes.Clone(frames[i]), frames[i+1]...))
	}
	transmit(r, -1, IMBE, pairs)
	if !bytes.Equal(bytes.Join(p25.frames, nil), bytes.Join(pairs, nil)) {
		t.Error("the frames changed on the way")
	}
	for i, p := range plain.frames {
		if n := packet.Samples(p); n != 2*frameSamples {
			t.Fatalf("packet %d lasts %d samples for two frames", i, n)
		}
	}
	if len(plain.frames) != len(pairs) {
		t.Errorf("%d of %d events were heard as Opus", len(plain.frames), len(pairs))
	}
}

func TestAWeakSignalRepeatsAndMutes(t *testing.T) {
	synctest.Test(t, aWeakSignalRepeatsAndMutes)
}

func aWeakSignalRepeatsAndMutes(t *testing.T) {
	loudness := func(rate float64) float64 {
		r, _, plain := digitalRadio(t, nil)
		r.sfu.SetBitErrors(-1, rate)
		transmit(r, -1, Opus, opusSpeech(t)[:150])
		dec, _ := opus.NewDecoder(8000, 1)
		sum := 0.0
		buf := make([]int16, 160)
		for _, p := range plain.frames {
			n, _ := dec.Decode(p, buf)
			for _, s := range buf[:n] {
				sum += float64(s) * float64(s)
			}
		}
		return sum
	}
	clean, lost := loudness(0), loudness(0.3)
	if clean == 0 || lost > clean/100 {
		t.Errorf("at 30 %% bit errors the channel should be all but muted: energy %.3g of %.3g", lost, clean)
	}
}

func TestGarbageOnADigitalChannelHarmsNobody(t *testing.T) {
	synctest.Test(t, garbageOnADigitalChannelHarmsNobody)
}

func garbageOnADigitalChannelHarmsNobody(t *testing.T) {
	r, p25, plain := digitalRadio(t, nil)
	webm := append([]byte{0x1a, 0x45, 0xdf, 0xa3}, make([]byte, 400)...)
	transmit(r, -1, Opus, [][]byte{webm, {1, 2, 3}, bytes.Repeat([]byte{0xff}, 300)})
	transmit(r, -1, IMBE, [][]byte{make([]byte, 10)})
	for _, h := range []*heardFrames{p25, plain} {
		for _, f := range h.frames {
			if bytes.Equal(f, webm) || len(f) == 10 {
				t.Error("a payload that is no voice was carried on")
			}
		}
	}
	before := len(plain.frames)
	transmit(r, -1, Opus, opusSpeech(t)[:50])
	if len(plain.frames)-before != 50 {
		t.Errorf("after garbage %d of 50 packets were heard", len(plain.frames)-before)
	}
}

func TestOneCodecRunServesEveryListener(t *testing.T) {
	r, _, _ := digitalRadio(t, nil)
	for id := core.UserID(-40); id < -3; id++ {
		r.tune(id, digital1)
		r.sfu.Attach(id, &heardFrames{})
	}
	plan := r.sfu.plan.Load()
	f := &Frame{Talker: -1, Keyed: digital1, Payload: opusSpeech(t)[20]}
	f.at = 1
	t1 := plan.talks[-1]
	if held, free := t1.transcode(f); !held || !free || f.decoded == nil {
		t.Fatal("no Opus was made")
	}
	seen := map[*Frame]bool{}
	for i := range t1.rows {
		for j := range t1.rows[i].runs {
			seen[r.sfu.formed(&t1.rows[i], f, t1.rows[i].runs[j].form(Opus))] = true
		}
	}
	if len(seen) != 2 || seen[nil] {
		t.Errorf("%d different frames for two encodings", len(seen))
	}
	if _, free := t1.transcode(&Frame{Talker: -1, Keyed: digital1, Payload: f.Payload}); free {
		t.Error("two goroutines use one codec")
	}
	t1.carried(f)
}

func TestTheResamplerIsFlatToTelephoneBandAndSteep(t *testing.T) {
	gain := func(hz float64) float64 {
		var d Decimator
		var in [decimation]int16
		sum, n := 0.0, 0
		for i := range 8000 {
			for k := range in {
				in[k] = int16(10_000 * math.Sin(2*math.Pi*hz*float64(i*decimation+k)/48_000))
			}
			out := d.Next(&in)
			if i > 1000 {
				sum, n = sum+float64(out)*float64(out), n+1
			}
		}
		return 10 * math.Log10(sum/float64(n)/(10_000*10_000/2)+1e-12)
	}
	for _, hz := range []float64{100, 300, 1000, 2000, 3000, 3400} {
		if g := gain(hz); math.Abs(g) > 0.1 {
			t.Errorf("%v Hz passes with %.2f dB", hz, g)
		}
	}
	for _, hz := range []float64{4050, 4600, 6000, 12_000, 20_000} {
		if g := gain(hz); g > -60 {
			t.Errorf("%v Hz leaks with %.1f dB", hz, g)
		}
	}
}

func BenchmarkDigitalTalker(b *testing.B) {
	r, _, _ := digitalRadio(b, nil)
	packets := opusSpeech(b)
	f := &Frame{}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Reset()
		f.Talker, f.Keyed, f.Payload = -1, digital1, packets[i%len(packets)]
		r.sfu.Publish(f)
	}
	us := float64(b.Elapsed().Microseconds()) / float64(b.N)
	b.ReportMetric(us, "µs/frame")
	b.ReportMetric(20_000/us, "talkers/core")
}
