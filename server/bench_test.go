package main

import (
	"encoding/json"
	"os"
	"testing"
)

// asProgram in the environment turns the test binary into squelch itself, because the
// benchmarks start their own executable as the service.
const asProgram = "SQUELCH_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Setenv(asProgram, "1") // for what the tests start
	os.Exit(m.Run())
}

// benchmark runs "squelch bench" and reads its figures.
func benchmark(t *testing.T, into any, args ...string) {
	t.Helper()
	out, _ := exits(t, 0, append([]string{"bench"}, args...)...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestTheBenchmarksMeasure(t *testing.T) {
	t.Run("voice", func(t *testing.T) {
		t.Parallel()
		var said struct {
			Results []struct {
				Delivered, Expected                        int
				CPUPerPacket, SetupCPU, KeyUpP50, KeyUpP99 float64
				EarlyKeyUpP50                              float64
			}
		}
		benchmark(t, &said, "voice", "--webrtc", "2", "--legacy", "2", "--rounds", "1", "--time", "1s", "--bursts", "2", "--json")
		if len(said.Results) != 1 {
			t.Fatalf("%d results", len(said.Results))
		}
		r := said.Results[0]
		if r.Expected == 0 || r.Delivered == 0 || r.CPUPerPacket == 0 || r.SetupCPU == 0 {
			t.Errorf("voice was not measured: %+v", r)
		}
		if r.KeyUpP50 <= 0 || r.KeyUpP99 < r.KeyUpP50 || r.EarlyKeyUpP50 <= 0 {
			t.Errorf("key-ups were not measured: %+v", r)
		}
	})
	t.Run("recording", func(t *testing.T) {
		t.Parallel()
		var said struct {
			RecordingRatio float64
			Results        []struct{ Delivered, Recorded, RecordedLost int }
		}
		benchmark(t, &said, "voice", "--record", "--webrtc", "2", "--channels", "2", "--rounds", "1", "--time", "1s", "--bursts", "1", "--json")
		if len(said.Results) != 2 || said.RecordingRatio <= 0 {
			t.Fatalf("not measured: %+v", said)
		}
		// Two talkers say 50 packets each, and then two short bursts each.
		if got := said.Results[1]; said.Results[0].Recorded != 0 || got.Recorded+got.RecordedLost < 100 || got.Recorded < got.Delivered/2 {
			t.Errorf("on the shelf: %+v", said.Results)
		}
	})
	t.Run("hostile", func(t *testing.T) {
		t.Parallel()
		var said struct {
			Attacks []struct {
				Attack         string
				Rate           float64
				Expected, Lost int
			}
		}
		benchmark(t, &said, "hostile", "--only", "quiet,streams,checks", "--listeners", "2", "--time", "1s", "--json")
		if len(said.Attacks) != 3 {
			t.Fatalf("%d attacks", len(said.Attacks))
		}
		for _, a := range said.Attacks {
			if a.Expected == 0 || a.Lost == a.Expected || (a.Rate > 0) != (a.Attack != "quiet") {
				t.Errorf("not measured: %+v", a)
			}
		}
	})
	t.Run("relay", func(t *testing.T) {
		t.Parallel()
		var said []struct {
			Server                   string
			Delivered                int
			CPUPerPacket, OfBareLoop float64
		}
		benchmark(t, &said, "relay", "--load", "1x2", "--time", "1s", "--rounds", "1", "--peers", "bare", "--json")
		if len(said) != 2 {
			t.Fatalf("%d servers", len(said))
		}
		for _, r := range said {
			if r.Delivered == 0 || r.CPUPerPacket <= 0 || r.OfBareLoop <= 0 {
				t.Errorf("not measured: %+v", r)
			}
		}
	})
	t.Run("replay", func(t *testing.T) {
		t.Parallel()
		var said struct {
			Recordings, Requests int
			Bytes, VoiceMs       int64
			Service, Static      struct{ P50Ms, P99Ms, MaxMs float64 }
			Ratio                float64
		}
		benchmark(t, &said, "replay", "--bursts", "9", "--length", "200ms", "--requests", "30", "--json")
		if said.Recordings != 9 || said.Requests != 30 || said.VoiceMs < 9*100 || said.Bytes == 0 {
			t.Errorf("nothing was recorded: %+v", said)
		}
		if s := said.Service; s.P50Ms <= 0 || s.P99Ms < s.P50Ms || s.MaxMs < s.P99Ms || said.Static.P50Ms <= 0 || said.Ratio <= 0 {
			t.Errorf("replays were not measured: %+v", said)
		}
	})
}
