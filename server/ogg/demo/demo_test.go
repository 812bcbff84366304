package demo

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

func TestTheDemoSpeaksForTenSeconds(t *testing.T) {
	if len(Speech) > 60<<10 {
		t.Errorf("%d bytes are too many for every binary", len(Speech))
	}
	r, err := ogg.NewReader(bytes.NewReader(Speech))
	if err != nil {
		t.Fatal(err)
	}
	dec, err := opus.NewDecoder(48_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, packet.MaxSamples)
	packets, loud := 0, 0
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if packet.Samples(p) != 960 {
			t.Fatalf("packet %d lasts %d samples", packets, packet.Samples(p))
		}
		n, err := dec.Decode(p, pcm)
		if err != nil || n != 960 {
			t.Fatalf("packet %d decodes to %d samples: %v", packets, n, err)
		}
		packets++
		var energy float64
		for _, v := range pcm[:n] {
			energy += float64(v) * float64(v)
		}
		if math.Sqrt(energy/float64(n)) > 300 {
			loud++
		}
	}
	if packets != 500 || r.Granule() != 500*960 {
		t.Errorf("%d packets end at sample %d", packets, r.Granule())
	}
	if loud < packets/3 {
		t.Errorf("only %d of %d packets carry speech", loud, packets)
	}
}
