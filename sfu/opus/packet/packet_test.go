package packet

import (
	"bytes"
	"testing"
)

func TestHowLongAPacketLasts(t *testing.T) {
	body := func(n int) []byte { return bytes.Repeat([]byte{7}, n) }
	for _, c := range []struct {
		says    string
		packet  []byte
		samples int
	}{
		{"SILK narrowband, 20 ms", append([]byte{1 << 3}, body(30)...), 960},
		{"SILK wideband, 60 ms", append([]byte{11 << 3}, body(60)...), 2880},
		{"hybrid, 10 ms", append([]byte{14 << 3}, body(60)...), 480},
		{"CELT fullband, 2.5 ms", append([]byte{28 << 3}, body(9)...), 120},
		{"CELT fullband stereo, 20 ms", append([]byte{31<<3 | 4}, body(90)...), 960},
		{"two equal frames of 20 ms", append([]byte{31<<3 | 1}, body(40)...), 1920},
		{"two frames of different length", append([]byte{31<<3 | 2, 10}, body(25)...), 1920},
		{"three frames of equal length", append([]byte{31<<3 | 3, 3}, body(33)...), 2880},
		{"three frames of stated length with padding", append([]byte{31<<3 | 3, 3 | 64 | 128, 2, 4, 6}, body(4+6+5+2)...), 2880},
		{"a frame that was not sent (DTX)", []byte{31 << 3}, 960},
	} {
		if got := Samples(c.packet); got != c.samples {
			t.Errorf("%s: %d samples, want %d", c.says, got, c.samples)
		}
	}
}

func TestWhatIsNoPacket(t *testing.T) {
	for says, p := range map[string][]byte{
		"nothing":                        {},
		"a frame above 1275 bytes":       make([]byte, 1277),
		"two equal frames of odd length": {1, 2, 3, 4},
		"a first frame beyond the end":   {2, 200, 1, 2},
		"code 3 without a count":         {3},
		"a count of none":                {3, 0},
		"seven frames of 20 ms":          append([]byte{31<<3 | 3, 7}, make([]byte, 7)...),
		"padding beyond the end":         {31<<3 | 3, 1 | 64, 200, 1},
		"padding without an end":         {31<<3 | 3, 1 | 64, 255, 255},
		"stated lengths beyond the end":  {31<<3 | 3, 2 | 128, 90, 1, 2},
		"half a length":                  {2, 253},
		"a voice message in a container": append([]byte{0x1a, 0x45, 0xdf, 0xa3}, make([]byte, 4000)...),
	} {
		if info, err := Inspect(p); err == nil {
			t.Errorf("%s passes as %+v", says, info)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte{31<<3 | 3, 3 | 64 | 128, 2, 4, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte{2, 253, 1})
	f.Fuzz(func(t *testing.T, p []byte) {
		info, err := Inspect(p)
		if err == nil && (info.Samples <= 0 || info.Samples > MaxSamples || info.Frames < 1 || info.Frames > 48) {
			t.Fatalf("%x passes as %+v", p, info)
		}
	})
}
