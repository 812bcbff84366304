package core

import (
	"testing"
	"time"
)

// What an older version stored has panics without records.
func TestPanicsOfAnOlderVersionGetRecords(t *testing.T) {
	cfg := simConfig(0)
	old := Data{Now: 5000, Panics: []Panic{{mhz(154.755), 3, 1000}, {mhz(154.815), 4, 2000}, {mhz(999), 5, 2000}}}
	s, err := Restore(cfg, old)
	if err != nil {
		t.Fatal(err)
	}
	open := s.View().Emergencies()
	if len(open) != 3 || open[0].ID() != "e-1" || open[0].User != 3 || open[0].RaisedAt != 1000 || open[1].Frequency != mhz(154.815) || open[0].EndedAt != 0 {
		t.Fatalf("%+v", open)
	}
	if open[2].EndedBy != EndedByScript { // its channel is no longer configured
		t.Errorf("%+v", open[2])
	}
	again, err := Restore(cfg, s.Durable())
	if err != nil || len(again.View().Emergencies()) != 3 {
		t.Errorf("%v %+v", err, again.View().Emergencies())
	}
}

// A closed emergency leaves nothing behind, and its number is not used again.
func TestNumbersOfEmergenciesAreNotUsedAgain(t *testing.T) {
	s, now := tenPerChannel(t, 10)
	for n := 1; n <= 300; n++ {
		now = now.Add(time.Second)
		id := EmergencyRecord{Number: n}.ID()
		for _, c := range []Command{SetPanic{User: 1, Enabled: true}, CloseEmergency{ID: id, Reason: "test"}} {
			if _, err := s.Step(now, Actor{Surface: ByREST, Name: "drill"}, c); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
	}
	if d := s.Durable(); len(d.Emergencies) != 0 || d.LastEmergency != 300 || len(d.Panics) != 0 {
		t.Errorf("%+v", d)
	}
}
