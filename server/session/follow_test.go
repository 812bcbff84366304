package session

import (
	"context"
	"errors"
	"maps"
	"testing"
)

// shared is a storage of two services: each is told of what the other changes.
type shared struct {
	values map[string][]byte
	told   []func(key string, value []byte, removed bool)
}

func (s *shared) All() map[string][]byte { return maps.Clone(s.values) }

func (s *shared) Change(_ context.Context, put map[string][]byte, remove []string) error {
	for key, value := range put {
		s.values[key] = value
		for _, f := range s.told {
			f(key, value, false)
		}
	}
	for _, key := range remove {
		delete(s.values, key)
		for _, f := range s.told {
			f(key, nil, true)
		}
	}
	return nil
}

// TestTwoServicesShareTheirSessions: a login at one is good at the other, and its end is the
// end at both; a player's token and an API key too. Nobody is logged out to make room who is
// on the radio at the other one.
func TestTwoServicesShareTheirSessions(t *testing.T) {
	s := &shared{values: map[string][]byte{}}
	used := ""
	var both []*Manager
	var over []string
	for range 2 {
		m, err := New(s, Options{MasterToken: "token", MaxSessions: 2, InUse: func(lineage string) bool { return lineage == used }})
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, m)
	}
	for _, m := range both {
		s.told = append(s.told, func(key string, value []byte, removed bool) {
			ended, err := m.Follow(key, value, removed)
			if err != nil {
				t.Error(err)
			}
			if ended != "" {
				over = append(over, ended)
			}
		})
	}
	a, b := both[0], both[1]
	in, first, err := a.Create(t.Context(), Identity{Callsign: "Desk 1", Via: ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.Check(in.SessionID, in.Token); err != nil || got.Lineage != first.Lineage {
		t.Errorf("at the other: %+v, %v", got, err)
	}
	token, err := b.PlayerConnect(t.Context(), 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := a.CheckPlayer(token); !ok || id != 7 {
		t.Errorf("the player's token is of %d, %v", id, ok)
	}
	if err := a.PlayerDrop(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.CheckPlayer(token); ok {
		t.Error("the token is good after the player was dropped at the other")
	}
	secret, key, err := a.Keys().Create(t.Context(), "CAD", []string{"read"})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := b.Keys().Check(secret); !ok || got.ID != key.ID {
		t.Errorf("the key at the other: %+v, %v", got, ok)
	}

	used = first.Lineage // its socket is at the other one
	if _, _, err := b.Create(t.Context(), Identity{Callsign: "Desk 2", Via: ViaNAC}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Create(t.Context(), Identity{Callsign: "Desk 3", Via: ViaNAC}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Check(in.SessionID, in.Token); err != nil {
		t.Errorf("a login that is on the radio was ended to make room: %v", err)
	}
	over = nil
	if err := b.Revoke(t.Context(), first.Lineage); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Check(in.SessionID, in.Token); !errors.Is(err, ErrUnknown) {
		t.Errorf("after its end: %v", err)
	}
	if len(over) != 1 || over[0] != first.Lineage {
		t.Errorf("ended are %q, want %q once", over, first.Lineage)
	}
}
