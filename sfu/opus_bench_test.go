package sfu

import (
	"fmt"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/sfu/imbe"
)

// vocoded is speech as it comes out of the vocoder, which has to be encoded for
// listeners who do not take IMBE.
func vocoded(t testing.TB) []int16 {
	enc, dec := imbe.NewEncoder(imbe.EncoderOptions{}), imbe.NewDecoder(imbe.DecoderOptions{})
	var out []int16
	pcm := speech(t)
	for i := 0; i+imbe.FrameSamples <= len(pcm); i += imbe.FrameSamples {
		var heard imbe.PCM
		dec.Decode(enc.Encode((*imbe.PCM)(pcm[i:])), &heard)
		out = append(out, heard[:]...)
	}
	return out
}

// BenchmarkOpusOnVocoderSpeech compares settings of the encoder on decoded IMBE: the
// time for a frame of 20 ms, the resulting bit rate, and how similar the decoded sound
// is to the input.
func BenchmarkOpusOnVocoderSpeech(b *testing.B) {
	voice := vocoded(b)
	for _, c := range []opus.EncoderConfig{
		{Bitrate: 16_000, Complexity: 2, ConstrainedVBR: true},
		{Bitrate: 20_000, Complexity: 2, ConstrainedVBR: true},
		{Bitrate: 24_000, Complexity: 0, ConstrainedVBR: true},
		{Bitrate: 24_000, Complexity: 2, ConstrainedVBR: true},
		{Bitrate: 24_000, Complexity: 2},
		{Bitrate: 24_000, Complexity: 5, ConstrainedVBR: true},
		{Bitrate: 24_000, Complexity: 10, ConstrainedVBR: true},
		{Bitrate: 32_000, Complexity: 2, ConstrainedVBR: true},
	} {
		c.SampleRate, c.Channels = voiceRate, 1
		mode := "vbr"
		if c.ConstrainedVBR {
			mode = "cvbr"
		}
		b.Run(fmt.Sprintf("%dk-%s-complexity%d", c.Bitrate/1000, mode, c.Complexity), func(b *testing.B) {
			heard, bytes := throughOpus(b, c, voice)
			r := compare(b, voice, heard)
			enc, err := opus.NewEncoder(c)
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, maxOpusPacket)
			frames := len(voice) / blockSamples
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i % frames * blockSamples
				if _, err := enc.Encode(voice[at:at+blockSamples], buf); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(bytes*8)/float64(frames)/20, "kbit/s")
			b.ReportMetric(r.STOI, "STOI")
			b.ReportMetric(r.ESTOI, "ESTOI")
		})
	}
}

func throughOpus(t testing.TB, c opus.EncoderConfig, voice []int16) (heard []int16, bytes int) {
	enc, err := opus.NewEncoder(c)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := opus.NewDecoder(voiceRate, 1)
	if err != nil {
		t.Fatal(err)
	}
	buf, out := make([]byte, maxOpusPacket), make([]int16, blockSamples)
	for i := 0; i+blockSamples <= len(voice); i += blockSamples {
		n, err := enc.Encode(voice[i:i+blockSamples], buf)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
		if _, err := dec.Decode(buf[:n], out); err != nil {
			t.Fatal(err)
		}
		heard = append(heard, out...)
	}
	return heard, bytes
}
