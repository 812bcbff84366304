package imbecmd

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const vectors = "../../sfu/imbe/testdata/"

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// run calls imbe with a standard input and returns what it prints.
func run(t testing.TB, stdin []byte, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	cmd := Command()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, log bytes.Buffer
	cmd.SetIn(bytes.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&log)
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.Bytes(), log.String(), err
}

func ok(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	out, _, err := run(t, stdin, args...)
	if err != nil {
		t.Fatalf("imbe %s: %v", strings.Join(args, " "), err)
	}
	return out
}

type figures struct {
	STOI, ESTOI, LSDDb, GainDb float64
	LagSamples                 int
}

func compare(t testing.TB, args ...string) figures {
	t.Helper()
	var f figures
	if err := json.Unmarshal(ok(t, nil, append([]string{"compare", "--json"}, args...)...), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCompareReproducesThePublishedFigures(t *testing.T) {
	f := compare(t, vectors+"speech_a.pcm", vectors+"speech_a.op25.op25dec.pcm")
	if math.Abs(f.STOI-0.8818) > 0.005 || math.Abs(f.ESTOI-0.7704) > 0.005 || math.Abs(f.LSDDb-5.21) > 0.1 {
		t.Errorf("%+v, published are 0.8818, 0.7704, 5.21", f)
	}
	text := string(ok(t, nil, "compare", "--lag", "464", vectors+"speech_a.pcm", vectors+"speech_a.op25.op25dec.pcm"))
	for _, want := range []string{"STOI   0.88", "ESTOI  0.77", "LSD    5.2", "dB\n", "lag    464 samples (58.0 ms)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
}

func TestSpeechGoesThroughFilesAndPipesAlike(t *testing.T) {
	dir := t.TempDir()
	frames, wav := filepath.Join(dir, "a.imbe18"), filepath.Join(dir, "a.wav")
	ok(t, nil, "encode", "--fec", vectors+"speech_a.pcm", frames)
	if n := len(read(t, frames)); n != 500*18 {
		t.Fatalf("%d bytes of frames, want %d", n, 500*18)
	}
	ok(t, nil, "decode", "--fec", frames, wav)
	raw := read(t, wav)
	if len(raw) != 44+160000 || string(raw[:4]) != "RIFF" || binary.LittleEndian.Uint32(raw[40:]) != 160000 {
		t.Fatalf("%d bytes of WAV, header % x", len(raw), raw[:44])
	}
	if f := compare(t, vectors+"speech_a.pcm", wav); f.STOI < 0.89 || f.ESTOI < 0.80 || f.LSDDb > 4.4 || math.Abs(f.GainDb) > 2 {
		t.Errorf("quality %+v", f)
	}

	plain := ok(t, read(t, vectors+"speech_a.pcm"), "encode")
	if len(plain) != 500*11 {
		t.Fatalf("%d bytes of frames from the pipe", len(plain))
	}
	pcm := ok(t, plain, "decode", "-", "-")
	if !bytes.Equal(pcm, raw[44:]) {
		t.Error("the pipe and the files give different speech")
	}
	if streamed := ok(t, plain, "decode", "--wav"); len(streamed) != len(raw) || string(streamed[:4]) != "RIFF" {
		t.Errorf("%d bytes of WAV on the pipe", len(streamed))
	}
	again := ok(t, streamedWAV(t, plain), "encode")
	if len(again) != len(plain) {
		t.Errorf("a WAV without a length gives %d bytes", len(again))
	}
	if tail := ok(t, read(t, vectors+"speech_a.pcm"), "encode", "--tail"); len(tail) != 503*11 {
		t.Errorf("%d bytes with the tail, want %d", len(tail), 503*11)
	}
}

func streamedWAV(t testing.TB, frames []byte) []byte {
	t.Helper()
	return ok(t, frames, "decode", "--wav")
}

func TestStudioRecordingsAreResampled(t *testing.T) {
	// A second of a 300 Hz buzz, 48 kHz stereo, with an odd chunk before data.
	const rate = 48000
	var wav bytes.Buffer
	wav.WriteString("RIFF\xff\xff\xff\xffWAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00\x01\x00\x02\x00")
	for _, v := range []any{uint32(rate), uint32(4 * rate), uint16(4), uint16(16), []byte("data"), uint32(4 * rate)} {
		if err := binary.Write(&wav, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	for n := range rate {
		v := int16(6000 * math.Sin(2*math.Pi*300*float64(n)/rate))
		if err := binary.Write(&wav, binary.LittleEndian, [2]int16{v, v}); err != nil {
			t.Fatal(err)
		}
	}
	frames := ok(t, wav.Bytes(), "encode")
	if len(frames) != 50*11 {
		t.Fatalf("%d bytes of frames for a second", len(frames))
	}
	pcm := ok(t, frames, "decode")
	peak := 0.0
	for i := 8000; i+1 < len(pcm); i += 2 {
		peak = math.Max(peak, math.Abs(float64(int16(binary.LittleEndian.Uint16(pcm[i:])))))
	}
	if peak < 3000 || peak > 12000 {
		t.Errorf("the buzz of 6000 comes back at %.0f", peak)
	}
}

func TestFECCommandMeetsTheVectors(t *testing.T) {
	type line struct {
		Rx, Rec string
		E       [7]int
	}
	var air, want []byte
	var counts [][7]int
	sc := bufio.NewScanner(bytes.NewReader(read(t, vectors+"fec.jsonl")))
	for sc.Scan() {
		var l line
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		rx, err1 := hex.DecodeString(l.Rx)
		rec, err2 := hex.DecodeString(l.Rec)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		air, want, counts = append(air, rx...), append(want, rec...), append(counts, l.E)
	}
	if len(counts) != 625 {
		t.Fatalf("%d vectors", len(counts))
	}
	if got := ok(t, air, "fec"); !bytes.Equal(got, want) {
		t.Error("corrected frames differ from the vectors")
	}
	file := filepath.Join(t.TempDir(), "out.imbe")
	sc = bufio.NewScanner(bytes.NewReader(ok(t, air, "fec", "--json", "-", file)))
	n := 0
	for ; sc.Scan(); n++ {
		var c correction
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.I != n || [7]int(c.E) != counts[n] || c.Total != c.E.Total() || c.Rec != hex.EncodeToString(want[11*n:11*n+11]) {
			t.Fatalf("line %d: %+v", n, c)
		}
	}
	if n != 625 || !bytes.Equal(read(t, file), want) {
		t.Errorf("%d lines", n)
	}
	if got := ok(t, air, "fec", "--json"); !bytes.HasPrefix(got, []byte(`{"i":0,"rec":"`)) {
		t.Errorf("standard output begins with %.20q", got)
	}
}

func TestAWeakChannelIsHeard(t *testing.T) {
	frames := read(t, vectors+"speech_a.op25.imbe")
	clean := ok(t, frames, "decode")
	for _, args := range [][]string{
		{"decode", "--ber", "0.05"},
		{"decode", "--fec", "--ber", "0.05", vectors + "speech_a.op25.imbe18"},
	} {
		if weak := ok(t, frames, args...); len(weak) != len(clean) || bytes.Equal(weak, clean) {
			t.Errorf("imbe %v: %d bytes, same %v", args, len(weak), bytes.Equal(weak, clean))
		}
	}
	pcm := read(t, vectors+"speech_a.pcm")
	if bytes.Equal(ok(t, pcm, "encode", "--fec", "--ber", "0.02"), ok(t, pcm, "encode", "--fec")) {
		t.Error("no bit of the 18-byte frames was flipped")
	}
	if bytes.Equal(ok(t, pcm, "encode", "--ber", "0.1"), ok(t, pcm, "encode")) {
		t.Error("no 11-byte frame was spoilt at 10 %")
	}
}

func TestMistakesAreNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.imbe")
	if err := os.WriteFile(file, make([]byte, 22), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"short", []string{"decode"}, "input ends inside frame 0: 5 of 11 bytes"},
		{strings.Repeat("x", 20), []string{"fec"}, "input ends inside frame 1: 2 of 18 bytes"},
		{"", []string{"decode", "--ber", "0.6"}, "--ber 0.6: must be from 0 to 0.5"},
		{"", []string{"fec", "--ber", "NaN"}, "--ber NaN"},
		{"", []string{"encode", "--look-ahead", "3"}, "--look-ahead 3: must be 0, 1 or 2"},
		{"", []string{"encode", "/nowhere/a.pcm"}, "/nowhere/a.pcm"},
		{"", []string{"decode", "."}, "is a directory"},
		{"", []string{"decode", file, file}, "is the input"},
		{"", []string{"compare", file}, "accepts 2 arg"},
		{"", []string{"compare", file, file}, "silent"},
		{"RIFF....WAVEdata\x04\x00\x00\x00", []string{"encode"}, "data before fmt"},
		{"RIFF....WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00\x40\x1f\x00\x00\x00\x00\x00\x00\x04\x00\x20\x00", []string{"encode"}, "only 16-bit PCM"},
		{"RIFF....WAVEfmt \x10\x00\x00\x00\x01\x00\x00\x00\x40\x1f\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00", []string{"encode"}, "0 channels"},
		{"RIFF....WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00", []string{"encode"}, "1 Hz"},
		{"RIFF....WAVE", []string{"encode"}, "no data chunk"},
	} {
		_, _, err := run(t, []byte(c.stdin), c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("imbe %v: %v, want %q", c.args, err, c.want)
		}
	}
}

func TestABarIsDrawnOnlyWhenAsked(t *testing.T) {
	for _, asked := range []bool{false, true} {
		args := []string{"decode", vectors + "speech_a.op25.imbe", filepath.Join(t.TempDir(), "o.pcm")}
		if asked {
			args = append(args, "--progress")
		}
		_, stderr, err := run(t, nil, args...)
		if err != nil || strings.Contains(stderr, "decode") != asked {
			t.Errorf("asked %v: %v, stderr %q", asked, err, stderr)
		}
	}
}

func FuzzEncodeCommand(f *testing.F) {
	f.Add([]byte("RIFF....WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x04\x00\x00\x00\x01\x00\x02\x00"))
	f.Add([]byte("RIFF\xff\xff\xff\xffWAVEjunk\x01\x00\x00\x00\x00\x00fmt "))
	f.Add([]byte("raw samples"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, _, err := run(t, raw, "encode")
		if len(out)%11 != 0 {
			t.Fatalf("%d bytes of frames", len(out))
		}
		if err == nil && len(raw) >= 2 && !bytes.HasPrefix(raw, []byte("RIFF")) && len(out) != (len(raw)/2+159)/160*11 {
			t.Fatalf("%d bytes of frames for %d bytes", len(out), len(raw))
		}
	})
}
