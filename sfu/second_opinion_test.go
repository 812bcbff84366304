package sfu

import (
	"math"
	"testing"
	"testing/synctest"

	pion "github.com/pion/opus"
	"github.com/tphakala/go-opus/opus"

	"squelch/sfu/opus/packet"
)

// TestASecondDecoderUnderstandsEveryPacketWeMake: an encoder and a decoder by the same
// author could share a misunderstanding.
func TestASecondDecoderUnderstandsEveryPacketWeMake(t *testing.T) {
	synctest.Test(t, secondDecoderUnderstandsEveryPacketWeMake)
}

func secondDecoderUnderstandsEveryPacketWeMake(t *testing.T) {
	r, _, plain := digitalRadio(t, nil)
	transmit(r, -1, Opus, opusSpeech(t))
	second, err := pion.NewDecoderWithOutput(48_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := opus.NewDecoder(48_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ab, aa, bb float64
	a, b := make([]int16, frameSamples), make([]int16, frameSamples)
	for i, p := range plain.frames {
		if n, err := first.Decode(p, a); err != nil || n != frameSamples {
			t.Fatalf("packet %d: %d samples, %v", i, n, err)
		}
		if n, err := second.DecodeToInt16(p, b); err != nil || n != frameSamples {
			t.Fatalf("packet %d: the second decoder gives %d samples, %v", i, n, err)
		}
		for k := range a {
			x, y := float64(a[k]), float64(b[k])
			ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
		}
	}
	if likeness := ab / math.Sqrt(aa*bb); likeness < 0.999 {
		t.Errorf("the two decoders hear different things: correlation %.4f over %d packets", likeness, len(plain.frames))
	}
}

// A decoder that gets an empty packet for a lost one keeps time, and goes on with the
// sound instead of falling silent.
func TestDecodersConcealAnEmptyPacket(t *testing.T) {
	packets := opusSpeech(t)
	d, err := opus.NewDecoder(48_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, frameSamples)
	loudness := func(p []byte) (sum float64) {
		n, err := d.Decode(p, pcm)
		if err != nil || n != frameSamples {
			t.Fatalf("% x: %d samples, %v", p, n, err)
		}
		for _, x := range pcm {
			sum += float64(x) * float64(x)
		}
		return sum
	}
	before, concealed := 0.0, 0.0
	for i, p := range packets {
		if i%10 == 9 {
			concealed += loudness(packet.Empty(nil, p))
		} else if now := loudness(p); i%10 == 8 {
			before += now
		}
	}
	if concealed < before/10 {
		t.Errorf("what stands for lost packets has %.3f of the loudness before them", concealed/before)
	}
}
