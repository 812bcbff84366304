package quality

import (
	"encoding/binary"
	"math"
	"os"
	"testing"
)

func pcm(t *testing.T, name string) []float64 {
	t.Helper()
	raw, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(raw)/2)
	for i := range x {
		x[i] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
	}
	return x
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.4f, want %.4f within %g", what, got, want, tolerance)
	}
}

func TestPublishedFiguresAreReproduced(t *testing.T) {
	r, err := Compare(pcm(t, "speech_a.pcm"), pcm(t, "speech_a.op25.op25dec.pcm"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
	near(t, "STOI", r.STOI, 0.8818, 0.005)
	near(t, "ESTOI", r.ESTOI, 0.7704, 0.005)
	near(t, "LSD", r.LSD, 5.21, 0.1)
	if r.Lag < 464 || r.Lag > 476 {
		t.Errorf("lag %d, want 464 to 476", r.Lag)
	}
}

func TestASignalIsPerfectAgainstItself(t *testing.T) {
	x := pcm(t, "speech_a.pcm")
	late := make([]float64, 300+len(x))
	for i, v := range x {
		late[300+i] = v / 2
	}
	r, err := Compare(x, late)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "STOI", r.STOI, 1, 1e-6)
	near(t, "ESTOI", r.ESTOI, 1, 1e-6)
	near(t, "LSD", r.LSD, 0, 1e-6)
	near(t, "gain", r.Gain, -6.02, 0.01)
	if r.Lag != 300 {
		t.Errorf("lag %d, want 300", r.Lag)
	}
	if back, err := FindLag(late, x); err != nil || back != -300 {
		t.Errorf("lag the other way %d %v, want -300", back, err)
	}
}

func TestNoiseLowersEveryMeasure(t *testing.T) {
	x := pcm(t, "speech_a.pcm")
	state := uint32(1)
	noisy := make([]float64, len(x))
	for i, v := range x {
		state = state*1664525 + 1013904223
		noisy[i] = v + 2000*(float64(state>>8)/(1<<23)-1)
	}
	r, err := CompareAt(x, noisy, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.STOI > 0.95 || r.ESTOI > 0.9 || r.LSD < 3 {
		t.Errorf("noise at about 5 dB went unnoticed: %+v", r)
	}
}

func TestSilenceAndScrapsAreErrors(t *testing.T) {
	if _, err := Compare(make([]float64, 16000), make([]float64, 16000)); err == nil {
		t.Error("silence was compared")
	}
	if _, err := Compare(nil, nil); err == nil {
		t.Error("nothing was compared")
	}
	if _, err := CompareAt(make([]float64, 100), make([]float64, 100), 0); err == nil {
		t.Error("a hundred samples were compared")
	}
}

func TestResampleKeepsATone(t *testing.T) {
	x := make([]float64, 8000)
	for i := range x {
		x[i] = math.Sin(2 * math.Pi * 1000 * float64(i) / 8000)
	}
	for _, to := range []int{10000, 48000, 44100} {
		y := Resample(x, 8000, to)
		if len(y) != to {
			t.Fatalf("%d samples at %d Hz", len(y), to)
		}
		for i := to / 10; i < to*9/10; i++ {
			near(t, "sample", y[i], math.Sin(2*math.Pi*1000*float64(i)/float64(to)), 1e-3)
		}
	}
}
