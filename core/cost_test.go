package core

import (
	"slices"
	"testing"
	"time"
)

// TestRowsOfOthersAreShared: a command makes new rows for the talkers whom it
// touches; the rows of the others stay at the same place in memory.
func TestRowsOfOthersAreShared(t *testing.T) {
	s, now := tenPerChannel(t, 200)
	do := func(c Command) *RouteTable {
		t.Helper()
		out, err := s.Step(now, Actor{Surface: ByLua}, c)
		if err != nil || out.Routes == nil {
			t.Fatalf("%T: %v, a new table: %v", c, err, out.Routes != nil)
		}
		return out.Routes
	}
	for u := UserID(11); u < 200; u += 10 { // one on each channel but the first
		do(KeyUp{User: u})
	}
	for _, c := range []struct {
		command Command
		touched []UserID // talkers
	}{
		{KeyUp{User: 1}, []UserID{1}},
		{MoveUser{2, tenth(1)}, []UserID{1, 11}},
		{StartScan{3, tenth(2)}, []UserID{21}},
		{Unlink{User: 4}, []UserID{1}},
		{SetRadio{User: 12, Power: ptr(false)}, []UserID{11}},
		{KeyDown{User: 1}, []UserID{1}},
	} {
		before := s.Routes().All()
		after := do(c.command)
		for _, r := range before {
			fresh, there := after.Row(r.Talker, r.Keyed)
			if shared := there && &fresh.Legs[0] == &r.Legs[0]; shared == slices.Contains(c.touched, r.Talker) {
				t.Errorf("%T: the row of %d is shared: %v", c.command, r.Talker, shared)
			}
		}
	}
}

// TestNothingChangesNothingIsMade: a command after which everybody is heard as
// before hands out no route table.
func TestNothingChangesNothingIsMade(t *testing.T) {
	s, now := tenPerChannel(t, 100)
	for _, c := range []Command{KeyUp{User: 1}, KeyUp{User: 1}, Unlink{User: 21}, Recover{User: 21}, MoveUser{31, tenth(4)}} {
		out, err := s.Step(now, Actor{Surface: ByLua}, c)
		if err != nil {
			t.Fatal(err)
		}
		if first := c == (KeyUp{User: 1}) && len(out.Events) > 0; (out.Routes != nil) != first {
			t.Errorf("%+v: a new table: %v", c, out.Routes != nil)
		}
	}
}

// TestCostDoesNotFollowTheNumberOfUsers: a command allocates as often on a large
// radio as on a small one with as many users on each channel. Time is measured by
// the benchmarks: a search through a long list does not allocate.
func TestCostDoesNotFollowTheNumberOfUsers(t *testing.T) {
	small, now := tenPerChannel(t, 100)
	large, _ := tenPerChannel(t, 2000)
	for _, pair := range [][2]Command{
		{KeyUp{User: 1}, KeyDown{User: 1}},
		{MoveUser{1, tenth(1)}, MoveUser{1, tenth(0)}},
		{StartScan{1, tenth(1)}, StopScan{1, tenth(1)}},
		{Unlink{User: 1}, Recover{User: 1}},
		{Connect{Want: 9999}, Unlink{9999, true}},
		{PlayTone{tenth(0), "BEEP"}, Broadcast{Message: "Hello", Frequency: tenth(0), Tone: "BEEP"}},
		{SetPositions{[]PlayerPosition{{1, Position{X: 1}}}}, SetPositions{[]PlayerPosition{{1, Position{X: 2}}}}},
	} {
		if a, b := allocations(t, small, now, pair), allocations(t, large, now, pair); a != b {
			t.Errorf("%T and %T allocate %v times beside 100 users and %v beside 2000", pair[0], pair[1], a, b)
		}
	}
}

func allocations(t *testing.T, s *State, now time.Time, pair [2]Command) float64 {
	return testing.AllocsPerRun(20, func() {
		for _, c := range pair {
			if _, err := s.Step(now, Actor{Surface: ByLua}, c); err != nil {
				t.Fatal(err)
			}
		}
	})
}
