package core

import (
	"testing"
	"time"
)

// precinct is a radio with 200 units on ten channels and 50 receivers: 40 units of
// those, who see the units of two channels, and ten dispatchers.
func precinct(tb testing.TB, cfg Config) (*State, []PlayerPosition) {
	z := Zone{Name: "All"}
	for i := range 10 {
		ch := Channel{Name: "Ch " + itoa(i), Type: Conventional, Frequency: tenth(i)}
		if i < 2 {
			ch.GPS = GPS{Color: "#3b82f6", VisibleToNacs: []string{"police"}}
		}
		z.Channels = append(z.Channels, ch)
	}
	cfg.Zones = []Zone{z}
	s, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	do := func(u UserID, c Command) {
		if _, err := s.Step(time.UnixMilli(1_000), Actor{User: u, Surface: BySocket}, c); err != nil {
			tb.Fatal(err)
		}
	}
	places := make([]PlayerPosition, 200)
	for i := range places {
		u := UserID(1 + i)
		var facts Facts
		if i < 40 {
			facts.Nac = "police"
		}
		do(u, Connect{Want: u, Facts: facts})
		do(u, JoinAsSpeaker{u, tenth(i % 10)})
		places[i].User = u
	}
	for i := range 10 {
		do(UserID(-1-i), Connect{Want: UserID(-1 - i)})
	}
	return s, places
}

// drive moves everybody by a few metres; n counts the calls.
func drive(places []PlayerPosition, n int) {
	for i := range places {
		places[i].At = Position{X: float64(i*50 + n%400*7), Y: float64(i * 20), Z: 30}
	}
}

// TestOneMessageForEqualMaps: 50 receivers with two different maps are told by two
// events, and only once a second.
func TestOneMessageForEqualMaps(t *testing.T) {
	s, places := precinct(t, DefaultConfig())
	now := time.UnixMilli(10_000)
	told := 0
	for n := range 20 {
		drive(places, n)
		now = now.Add(500 * time.Millisecond)
		out, err := s.Step(now, Actor{Surface: ByREST}, SetPositions{places})
		if err != nil {
			t.Fatal(err)
		}
		var to []int
		for _, e := range out.Events {
			if f, ok := e.Fact.(UnitsLocated); ok {
				to = append(to, len(e.To.Users), len(f.Fixes))
			}
		}
		switch {
		case len(to) == 0:
		case len(to) == 4 && to[0] == 10 && to[1] == 200 && to[2] == 40 && to[3] == 40:
			told++
		default:
			t.Fatalf("receivers and units of the events: %v", to)
		}
	}
	if told != 10 {
		t.Fatalf("told in %d of 20 half seconds", told)
	}
}

// BenchmarkMaps is one report of 200 moving players, twice a second, to 50 receivers.
func BenchmarkMaps(b *testing.B) {
	s, places := precinct(b, DefaultConfig())
	benchmarkDrive(b, s, places)
}

func benchmarkDrive(b *testing.B, s *State, places []PlayerPosition) {
	now := time.UnixMilli(10_000)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		drive(places, n)
		now = now.Add(500 * time.Millisecond)
		if _, err := s.Step(now, Actor{Surface: ByREST}, SetPositions{places}); err != nil {
			b.Fatal(err)
		}
	}
}
