package core

import (
	"slices"
	"testing"
	"time"
)

// TestInterest: what a node must receive follows from who is attached to it, before anybody keys.
func TestInterest(t *testing.T) {
	north, south, tac, p25, east := mhz(154.755), mhz(154.815), mhz(460.25), mhz(770.5), mhz(856)
	working, next := mhz(856.0125), mhz(856.025) // the base itself is in the pool, and is left out
	two := UserID(-2)
	for _, c := range []struct {
		name string
		of   []Command
		want []Frequency
	}{
		{"nowhere", nil, nil},
		{"tuned", []Command{JoinAsSpeaker{two, p25}}, []Frequency{p25}},
		{"scanning", []Command{JoinAsSpeaker{two, p25}, StartScan{two, south}}, []Frequency{south, p25}},
		{"overhearing", []Command{Start3D{two, tac}}, []Frequency{north, tac}},
		{"across a patch", []Command{JoinAsSpeaker{two, north}}, []Frequency{north, tac}},
		{"a base hears its groups", []Command{JoinAsSpeaker{two, east}}, []Frequency{east, working, next}},
		{"a group hears its base", []Command{StartScan{two, working}}, []Frequency{east, working}},
		{"following a unit", []Command{Follow{two, 1}}, []Frequency{working}},
		{"following a dispatcher", []Command{Follow{two, -1}}, []Frequency{south, p25}},
		{"that keys another channel", []Command{Follow{two, -1}, KeyUp{User: -1, Frequency: tac}}, []Frequency{south, tac, p25}},
		{"gone", []Command{JoinAsSpeaker{two, p25}, Unlink{User: two, Clean: true}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := New(simConfig(0))
			if err != nil {
				t.Fatal(err)
			}
			for _, cmd := range append([]Command{
				Connect{Want: 1, Facts: Facts{Nac: "police"}}, Connect{Want: 2, Facts: Facts{Nac: "police"}}, Connect{Want: two}, Connect{Want: -1},
				SetPositions{Positions: []PlayerPosition{{User: 1}, {User: 2, At: Position{X: 5000}}}},
				JoinAsSpeaker{1, east}, JoinAsSpeaker{2, east}, JoinAsSpeaker{-1, south}, StartScan{-1, p25}, CreatePatch{Frequencies: []Frequency{north, tac}},
			}, c.of...) {
				if _, err := s.Step(time.UnixMilli(1), Actor{Surface: ByLua}, cmd); err != nil {
					t.Fatalf("%T: %v", cmd, err)
				}
			}
			if got := s.View().Interest([]UserID{two, 77}); !slices.Equal(got, c.want) {
				t.Errorf("interest in %v, want %v", got, c.want)
			}
		})
	}
}

// BenchmarkInterest is what a node's share of a full radio costs to find out, after a change of
// membership.
func BenchmarkInterest(b *testing.B) {
	s, _ := fullHouse(b, 0)
	var here []UserID
	for i, u := range s.users.all {
		if i%3 == 0 {
			here = append(here, u.ID)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.View().Interest(here)
	}
	b.ReportMetric(float64(len(here)), "users")
}
