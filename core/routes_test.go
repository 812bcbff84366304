package core

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPaths: unit 1 talks on North, which is patched to Tac. How console -2 hears
// the talk depends on its membership; the best path counts.
func TestPaths(t *testing.T) {
	north, tac, p25 := mhz(154.755), mhz(460.25), mhz(770.5)
	two := UserID(-2) // a console: it may use every channel, and follow
	join := func(f Frequency) Command { return JoinAsSpeaker{two, f} }
	scan := func(f Frequency) Command { return StartScan{two, f} }
	near := func(f Frequency) Command { return Start3D{two, f} }
	follow := Follow{two, 1}
	off, earbuds := SetRadio{User: two, Power: ptr(false)}, SetRadio{User: two, Earbuds: ptr(true)}
	for _, c := range []struct {
		name string
		of   []Command
		want string
	}{
		{"nowhere", nil, ""},
		{"on another channel", []Command{join(p25), scan(mhz(154.815))}, ""},
		{"speaker", []Command{join(north)}, "speaker 154.755 0"},
		{"speaker across the patch", []Command{join(tac)}, "speaker 460.25 1"},
		{"listener", []Command{scan(north)}, "listener 154.755 0"},
		{"listener across the patch", []Command{scan(tac)}, "listener 460.25 1"},
		{"follower", []Command{follow}, "userListener 154.755 0"},
		{"3D", []Command{near(north)}, "3DAudio 154.755 0"},
		{"3D across the patch", []Command{near(tac)}, "3DAudio 460.25 1"},
		{"3D with earbuds", []Command{near(north), earbuds}, ""},
		{"speaker across the patch before direct listener", []Command{join(tac), scan(north)}, "speaker 460.25 1"},
		{"direct before the patch", []Command{scan(tac), scan(north)}, "listener 154.755 0"},
		{"listener before follower", []Command{follow, scan(tac)}, "listener 460.25 1"},
		{"follower before 3D", []Command{near(north), follow}, "userListener 154.755 0"},
		{"everything", []Command{near(north), follow, scan(north), scan(tac), join(north)}, "speaker 154.755 0"},
		{"switched off", []Command{join(north), off}, ""},
		{"lost", []Command{join(north), Unlink{User: two}}, ""},
		{"gone", []Command{join(north), Unlink{User: two, Clean: true}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := New(simConfig(0))
			if err != nil {
				t.Fatal(err)
			}
			do := func(cs ...Command) {
				for _, cmd := range cs {
					if _, err := s.Step(time.UnixMilli(1), Actor{Surface: ByLua}, cmd); err != nil {
						t.Fatalf("%T: %v", cmd, err)
					}
				}
			}
			do(Connect{Want: 1, Facts: Facts{Nac: "police"}}, JoinAsSpeaker{1, north}, Connect{Want: two}, CreatePatch{Frequencies: []Frequency{north, tac}})
			do(c.of...)
			do(KeyUp{User: 1})
			row, ok := s.Routes().Row(1, north)
			if !ok {
				t.Fatal("the talker has no row")
			}
			var got []string
			for _, l := range row.Legs {
				got = append(got, fmt.Sprintf("%s %s %d", l.Reason, l.Frequency, l.Patch))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("heard as %q, want %q", got, c.want)
			}
			do(KeyDown{User: 1})
			if len(s.Routes().All()) != 0 {
				t.Error("a row is left after the release")
			}
		})
	}
}

// TestMessagesAreAdjacent: legs that carry the same message follow each other,
// so that a relay prepares each message once.
func TestMessagesAreAdjacent(t *testing.T) {
	s, err := New(simConfig(0))
	if err != nil {
		t.Fatal(err)
	}
	do := func(c Command) {
		if _, err := s.Step(time.UnixMilli(1), Actor{Surface: ByLua}, c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	do(CreatePatch{Frequencies: []Frequency{mhz(154.755), mhz(154.815)}})
	for u := UserID(1); u <= 12; u++ {
		do(Connect{Want: u})
		switch u % 4 {
		case 0:
			do(JoinAsSpeaker{u, mhz(154.755)})
		case 1:
			do(JoinAsSpeaker{u, mhz(154.815)})
		case 2:
			do(StartScan{u, mhz(154.755)})
		case 3:
			do(Start3D{u, mhz(154.815)})
		}
	}
	do(KeyUp{User: 4})
	row, ok := s.Routes().Row(4, mhz(154.755))
	if !ok || len(row.Legs) != 11 {
		t.Fatalf("row %v", row)
	}
	runs := 1
	for i := 1; i < len(row.Legs); i++ {
		if !row.Legs[i].SameMessage(row.Legs[i-1]) {
			runs++
		}
	}
	if runs != 4 {
		t.Errorf("%d runs for 4 messages: %v", runs, row.Legs)
	}
}
