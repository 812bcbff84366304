package imbe

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// expected is a line of a params.jsonl: the parameters that a decoder must have after a
// frame.
type expected struct {
	I      int       `json:"i"`
	Repeat bool      `json:"repeat"`
	Mute   bool      `json:"mute"`
	B0     *int      `json:"b0"`
	L      int       `json:"L"`
	K      int       `json:"K"`
	B      []int     `json:"b"`
	V      string    `json:"v"`
	LM     []float64 `json:"lm"`
	MB     []float64 `json:"mb"`
	ER     *float64  `json:"eR"`
}

func lines[T any](t testing.TB, name string) []T {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []T
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s line %d: %v", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func framesOf(t testing.TB, name string) []Frame {
	t.Helper()
	raw := readFile(t, name)
	frames := make([]Frame, len(raw)/FrameBytes)
	for i := range frames {
		copy(frames[i][:], raw[i*FrameBytes:])
	}
	return frames
}

func channelFramesOf(t testing.TB, name string) []ChannelFrame {
	t.Helper()
	raw := readFile(t, name)
	frames := make([]ChannelFrame, len(raw)/ChannelBytes)
	for i := range frames {
		copy(frames[i][:], raw[i*ChannelBytes:])
	}
	return frames
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// The published tolerance on log2 M_l; enhanced amplitudes are printed with
// four digits.
const (
	logTolerance = 0.002
	ampTolerance = 0.002
)

func checkParameters(t *testing.T, d *Decoder, want expected) {
	t.Helper()
	s := &d.now
	if s.b0 != *want.B0 || s.l != want.L || s.k != want.K {
		t.Fatalf("frame %d: b0 %d L %d K %d, want %d %d %d", want.I, s.b0, s.l, s.k, *want.B0, want.L, want.K)
	}
	for l := 1; l <= s.l; l++ {
		if diff := math.Abs(s.logM[l] - want.LM[l-1]); diff > logTolerance {
			t.Fatalf("frame %d harmonic %d: log2 M %.4f, want %.4f", want.I, l, s.logM[l], want.LM[l-1])
		}
		if want.MB != nil && math.Abs(s.m[l]-want.MB[l-1]) > ampTolerance*math.Max(1, want.MB[l-1]) {
			t.Fatalf("frame %d harmonic %d: enhanced %.4g, want %.4g", want.I, l, s.m[l], want.MB[l-1])
		}
		if want.V != "" && s.voiced[l] != (want.V[l-1] == '1') {
			t.Fatalf("frame %d harmonic %d: voiced %v, want %c", want.I, l, s.voiced[l], want.V[l-1])
		}
	}
}

func TestDecodedParametersMeetTheVectors(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"speech_a.op25", "allL"} {
		t.Run(name, func(t *testing.T) {
			frames := framesOf(t, name+".imbe")
			want := lines[expected](t, name+".params.jsonl")
			if len(frames) != len(want) || len(frames) < 300 {
				t.Fatalf("%d frames, %d lines", len(frames), len(want))
			}
			d := NewDecoder(DecoderOptions{})
			for i, f := range frames {
				var b index
				if _, ok := f.unpack(&b); !ok {
					t.Fatalf("frame %d: illegal pitch", i)
				}
				for m, v := range want[i].B {
					if b[m] != v {
						t.Fatalf("frame %d: b%d = %d, want %d", i, m, b[m], v)
					}
				}
				d.parameters(&f, ErrorCounts{})
				checkParameters(t, d, want[i])
			}
		})
	}
}

func TestABadChannelRepeatsAndMutesAsExpected(t *testing.T) {
	t.Parallel()
	frames := channelFramesOf(t, "errstream.imbe18")
	want := lines[expected](t, "errstream.params.jsonl")
	if len(frames) != len(want) || len(frames) != 300 {
		t.Fatalf("%d frames, %d lines", len(frames), len(want))
	}
	d := NewDecoder(DecoderOptions{})
	repeats, mutes := 0, 0
	for i := range frames {
		f, e := FEC{}.Decode(&frames[i])
		st := d.parameters(&f, e)
		if st.Repeated != want[i].Repeat || st.Muted != want[i].Mute {
			t.Fatalf("frame %d: repeat %v mute %v, want %v %v", i, st.Repeated, st.Muted, want[i].Repeat, want[i].Mute)
		}
		if want[i].ER == nil || math.Abs(st.ErrorRate-*want[i].ER) > 1e-6 {
			t.Fatalf("frame %d: error rate %.6f", i, st.ErrorRate)
		}
		if st.Repeated {
			repeats++
		}
		if st.Muted {
			mutes++
		}
		if want[i].B0 != nil {
			checkParameters(t, d, want[i])
		}
	}
	if repeats == 0 || mutes == 0 {
		t.Fatalf("%d repeats, %d mutes: the stream is meant to have both", repeats, mutes)
	}
}

func TestFECCorrectsExactlyWhatItCan(t *testing.T) {
	t.Parallel()
	type line struct {
		Tx, Rx, Rec string
		E           ErrorCounts
		BER         float64
	}
	cases := lines[line](t, "fec.jsonl")
	if len(cases) != 625 {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		var tx, rec Frame
		var rx ChannelFrame
		mustHex(t, tx[:], c.Tx)
		mustHex(t, rec[:], c.Rec)
		mustHex(t, rx[:], c.Rx)
		if got, e := (FEC{}).Decode(&rx); got != rec || e != c.E {
			t.Errorf("case %d: got %x %v, want %x %v", i, got, e, rec, c.E)
		}
		sent := FEC{}.Encode(&tx)
		if c.BER == 0 && sent != rx {
			t.Errorf("case %d: sent %x, want %x", i, sent, rx)
		}
	}
}

func mustHex(t *testing.T, dst []byte, s string) {
	t.Helper()
	if n, err := hex.Decode(dst, []byte(s)); err != nil || n != len(dst) {
		t.Fatalf("bad hex %q: %v", s, err)
	}
}

func TestProtectedStreamsMatchTheirFrames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"speech_a.op25", "allL"} {
		frames, channel := framesOf(t, name+".imbe"), channelFramesOf(t, name+".imbe18")
		if len(frames) != len(channel) {
			t.Fatalf("%s: %d and %d frames", name, len(frames), len(channel))
		}
		for i := range frames {
			if got := (FEC{}).Encode(&frames[i]); got != channel[i] {
				t.Fatalf("%s frame %d: %x, want %x", name, i, got, channel[i])
			}
		}
	}
}

func TestBitOrderIsTheStandardsForEveryL(t *testing.T) {
	t.Parallel()
	var tables struct {
		Priority struct {
			ByL map[string][infoBits][2]uint8 `json:"by_L"`
		} `json:"bit_priority"`
	}
	raw, err := os.ReadFile("tables.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &tables); err != nil {
		t.Fatal(err)
	}
	for l := minHarmonics; l <= maxHarmonics; l++ {
		want, ok := tables.Priority.ByL[strconv.Itoa(l)]
		if !ok {
			t.Fatalf("no order for L=%d", l)
		}
		for i, p := range bitOrder[l] {
			if p.m != want[i][0] || p.bit != want[i][1] {
				t.Fatalf("L=%d bit %d: b%d bit %d, want %v", l, i, p.m, p.bit, want[i])
			}
		}
	}
}
