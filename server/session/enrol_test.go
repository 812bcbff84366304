package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"squelch/core"
	"squelch/server/internal/teststation"
	"squelch/server/store"
)

func enrolled(ids ...int) (all []Enrolled) {
	for _, id := range ids {
		all = append(all, Enrolled{ServerID: id, Registration: json.RawMessage(fmt.Sprintf(`{"name":"Unit %d"}`, id))})
	}
	return all
}

func TestManyPlayersAtOnce(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	m := manager(t, storage, clock, nil)
	before, err := m.Enrol(t.Context(), enrolled(1, 2, 3), nil)
	if err != nil || len(before) != 3 {
		t.Fatalf("%v, %v", before, err)
	}
	join := enrolled(2, 3, 4, 5)
	join[0].Keep, join[2].Keep = true, true // who has no token cannot keep one
	join[0].Registration = json.RawMessage(`{"name":"Renamed"}`)
	after, err := m.Enrol(t.Context(), join, []int{1, 99})
	if err != nil || len(after) != 3 || after[2] != "" {
		t.Fatalf("%v, %v", after, err)
	}
	for round, m := range []*Manager{m, manager(t, storage, clock, nil)} {
		for token, want := range map[string]int{before[1]: 0, before[2]: 2, before[3]: 0, after[3]: 3, after[4]: 4, after[5]: 5} {
			if id, _ := m.CheckPlayer(token); id != want {
				t.Errorf("round %d: a token is that of %d, want %d", round, id, want)
			}
		}
		players := m.Players()
		if len(players) != 4 || string(players[2]) != `{"name":"Renamed"}` {
			t.Errorf("round %d: %d players, 2 is %s", round, len(players), players[2])
		}
	}
}

func TestEnrollingChangesNothingThatIsNotStored(t *testing.T) {
	storage := &teststation.Bucket{}
	m := manager(t, storage, newWatch(), nil)
	before, err := m.Enrol(t.Context(), enrolled(1, 2, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	storage.Break(core.ErrStorage("the disk is full"))
	if after, err := m.Enrol(t.Context(), enrolled(1, 4), []int{3}); err == nil || len(after) != 0 {
		t.Fatalf("%v, %v", after, err)
	}
	for id, want := range map[int]bool{1: true, 2: true, 3: false} { // who leaves is gone all the same
		if _, ok := m.CheckPlayer(before[id]); ok != want {
			t.Errorf("player %d: %v", id, ok)
		}
	}
	if len(m.Players()) != 2 {
		t.Errorf("%d players", len(m.Players()))
	}
}

func TestEnrollingHasItsBounds(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), func(o *Options) { o.MaxPlayers = 2 })
	if _, err := m.Enrol(t.Context(), enrolled(1, 2, 3), nil); !errors.Is(err, ErrFull) {
		t.Errorf("three of two: %v", err)
	}
	if _, err := m.Enrol(t.Context(), enrolled(1, 2), nil); err != nil {
		t.Errorf("two: %v", err)
	}
	if _, err := m.Enrol(t.Context(), enrolled(2, 3), []int{1}); err != nil {
		t.Errorf("one for another: %v", err)
	}
	for _, wrong := range []Enrolled{{ServerID: 0}, {ServerID: 1, Registration: json.RawMessage("{")},
		{ServerID: 1, Registration: json.RawMessage(`"` + strings.Repeat("x", MaxRegistration) + `"`)}} {
		if _, err := m.Enrol(t.Context(), []Enrolled{wrong}, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d: %v", wrong.ServerID, err)
		}
	}
}

// TestAFullGameServerIsStored: the largest list with large registrations, in the real
// store.
func TestAFullGameServerIsStored(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := New(s.Sessions(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var join []Enrolled
	for id := 1; id <= 2048; id++ {
		join = append(join, Enrolled{ServerID: id, Registration: json.RawMessage(`{"name":"` + strings.Repeat("x", 2000) + `"}`)})
	}
	tokens, err := m.Enrol(t.Context(), join, nil)
	if err != nil || len(tokens) != 2048 {
		t.Fatalf("%d tokens, %v", len(tokens), err)
	}
	again, err := New(s.Sessions(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for id, token := range tokens {
		if got, _ := again.CheckPlayer(token); got != id {
			t.Fatalf("player %d is %d", id, got)
		}
	}
}
