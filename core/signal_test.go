package core

import (
	"math"
	"testing"
	"time"
)

// signals are the ways in which a radio of precinct can have them.
var signals = []struct {
	name   string
	signal *Signal
}{
	{"off", nil},
	{"direct", &Signal{Range: 4000}},
	{"sites", &Signal{Range: 4000, Sites: []Site{{At: Position{X: 1000}}, {At: Position{X: 4000, Y: 1000}}, {At: Position{X: 9000, Y: 4000}, Range: 2500}}}},
}

// BenchmarkDriving is one report of 200 moving players, twice a second, while one on
// each of ten channels talks: with everything that positions lead to.
func BenchmarkDriving(b *testing.B) {
	for _, c := range signals {
		b.Run(c.name, func(b *testing.B) {
			cfg := DefaultConfig()
			cfg.Signal, cfg.TimeoutTimer = c.signal, 0
			s, places := precinct(b, cfg)
			for i := range 10 {
				if _, err := s.Step(time.UnixMilli(1_000), Actor{User: UserID(1 + i), Surface: BySocket}, KeyUp{User: UserID(1 + i)}); err != nil {
					b.Fatal(err)
				}
			}
			benchmarkDrive(b, s, places)
		})
	}
}

// TestRowsAreKeptWhileNoStepChanges: who moves within a step of its signal leaves the
// route table as it is.
func TestRowsAreKeptWhileNoStepChanges(t *testing.T) {
	for _, c := range signals[1:] {
		cfg := DefaultConfig()
		cfg.Signal = c.signal
		s, places := precinct(t, cfg)
		now := time.UnixMilli(10_000)
		step := func(c Command) Output {
			t.Helper()
			out, err := s.Step(now, Actor{Surface: ByREST}, c)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		drive(places, 0)
		step(SetPositions{places})
		step(KeyUp{User: 1})
		before := s.Routes()
		for i := range places {
			places[i].At.X += 0.01
		}
		if out := step(SetPositions{places}); out.Routes != nil || s.Routes() != before {
			t.Errorf("%s: a centimetre makes a new route table", c.name)
		}
		places[0].At.Z += 2500
		if out := step(SetPositions{places}); out.Routes == nil {
			t.Errorf("%s: a talker who takes off is heard as before", c.name)
		}
	}
}

// TestCheckNamesWhatIsWrongWithASignal lists every value that a radio cannot work with.
func TestCheckNamesWhatIsWrongWithASignal(t *testing.T) {
	many := make([]Site, maxSites+1)
	for _, c := range []struct {
		signal Signal
		field  string
	}{
		{Signal{Range: -1}, "signal.range"},
		{Signal{Range: maxReach + 1}, "signal.range"},
		{Signal{Sites: many}, "signal.sites"},
		{Signal{Sites: []Site{{}, {Range: -5}}}, "signal.sites[2].range"},
		{Signal{Sites: []Site{{At: Position{X: math.NaN()}}}}, "signal.sites[1]"},
		{Signal{Noise: 101}, "signal.noise"},
		{Signal{Dropouts: -1}, "signal.dropouts"},
	} {
		cfg := DefaultConfig()
		cfg.Signal = &c.signal
		if p := cfg.Problems(); len(p) != 1 || p[0].Field != c.field {
			t.Errorf("%s: the problems are %v", c.field, p)
		}
	}
}
