package core

import (
	"testing"
	"time"
)

// TestMovingIsRoutedOnlyWhereItMatters: positions of all players come several times
// a second. A route table is handed out only if somebody begins or ceases to hear.
func TestMovingIsRoutedOnlyWhereItMatters(t *testing.T) {
	s, err := New(simConfig(0))
	if err != nil {
		t.Fatal(err)
	}
	do := func(c Command) Output {
		t.Helper()
		out, err := s.Step(time.UnixMilli(1), Actor{Surface: ByLua}, c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return out
	}
	north := mhz(154.755)
	at := func(u UserID, x float64) Command {
		return SetPositions{[]PlayerPosition{{u, Position{X: x}}}}
	}
	for _, c := range []Command{Connect{Want: 1}, Connect{Want: 2}, Connect{Want: 3}, JoinAsSpeaker{1, north}, JoinAsSpeaker{2, north},
		at(1, 900), at(2, 0), at(3, 500), Start3D{3, north}, KeyUp{User: 1}} {
		do(c)
	}
	for _, c := range []struct {
		name string
		of   Command
		new  bool
		legs int
	}{
		{"far away", at(3, 400), false, 1},
		{"into range", at(3, 25), true, 2},
		{"nearer", at(3, 3), false, 2},
		{"standing still", at(3, 3), false, 2},
		{"the radio is carried off", at(2, 200), true, 1},
		{"past the talker", at(3, 899), true, 2},
		{"somebody who is not there", at(77, 0), false, 2},
	} {
		out := do(c.of)
		row, _ := s.Routes().Row(1, north)
		if (out.Routes != nil) != c.new || len(row.Legs) != c.legs {
			t.Errorf("%s: new table %v, legs %v", c.name, out.Routes != nil, row.Legs)
		}
	}
	do(KeyDown{User: 1})
	if out := do(at(3, 901)); out.Routes != nil {
		t.Error("a table was handed out although nobody talks")
	}
}
