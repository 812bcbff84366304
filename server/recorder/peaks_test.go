package recorder

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/core"
	"squelch/server/recordings"
)

// tone makes packets of a tone, as loud as it is said to be.
func tone(t testing.TB, frames, loud int) (out [][]byte) {
	t.Helper()
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: 48_000, Channels: 1, Bitrate: 32_000, Complexity: 5})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1500)
	for n := range frames {
		var pcm [960]int16
		for i := range pcm {
			pcm[i] = int16(float64(loud) * math.Sin(2*math.Pi*440*float64(n*960+i)/48_000))
		}
		size, err := enc.Encode(pcm[:], buf)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Clone(buf[:size]))
	}
	return out
}

// TestAWaveformShowsWhereItIsLoud: it is made in the background, or at once for somebody
// who asks.
func TestAWaveformShowsWhereItIsLoud(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		talk := func() string {
			s.do(core.KeyUp{User: -1, Frequency: patrol})
			s.say(-1, patrol, tone(t, 100, 3000)...)
			s.say(-1, patrol, tone(t, 100, 20000)...)
			s.do(core.KeyDown{User: -1})
			s.settled()
			all := s.list()
			return all[len(all)-1].ID
		}
		id := talk()
		time.Sleep(time.Minute)
		e, _ := s.shelf.Get(id)
		if len(e.Peaks) != recordings.MaxPeaks || e.Peaks[20] < 10 || e.Peaks[20] > 40 || e.Peaks[80] < 110 || e.Peaks[80] > 200 {
			t.Errorf("in the background: %v", e.Peaks)
		}
		if err := s.shelf.SetPeaks(id, nil); err != nil {
			t.Fatal(err)
		}
		got, err := s.recorder.Peaks(s.t.Context(), id)
		if err != nil || !bytes.Equal(got, e.Peaks) {
			t.Errorf("at once: %v, %v", got, err)
		}
		if e, _ := s.shelf.Get(id); !bytes.Equal(e.Peaks, got) {
			t.Errorf("on the shelf: %v", e.Peaks)
		}
		if _, err := s.recorder.Peaks(s.t.Context(), "tx-9-9"); !errors.Is(err, recordings.ErrNotFound) {
			t.Errorf("of nothing: %v", err)
		}
	})
}

// TestWaveformsTakeASmallPartOfACore: after each step they rest nineteen times as long.
func TestWaveformsTakeASmallPartOfACore(t *testing.T) {
	onAir(t, func(s *station) {
		b, err := s.shelf.Create(recordings.Entry{ID: "tx-1-946684800000"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range tone(t, 100, 3000) {
			if err := b.WriteOpus(p, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Done(recordings.Entry{End: 946684802000}); err != nil {
			t.Fatal(err)
		}
		e := s.one()
		rests := 0
		if _, err := s.recorder.makePeaks(s.t.Context(), &e, func(ctx context.Context, spent time.Duration) { rests++ }); err != nil || rests != 100/peaksStep {
			t.Errorf("%d rests, %v", rests, err)
		}
		began := time.Now()
		rest(s.t.Context(), 10*time.Millisecond)
		if slept := time.Since(began); slept != 190*time.Millisecond {
			t.Errorf("after 10 ms of work it rests %v", slept)
		}
	})
}
