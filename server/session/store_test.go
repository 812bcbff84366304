package session_test

import (
	"testing"

	"squelch/server/session"
	"squelch/server/store"
)

func TestTheStoreKeepsSessions(t *testing.T) {
	dir := t.TempDir()
	var credentials session.Credentials
	var token string
	for round := range 2 {
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := session.New(s.Sessions(), session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			credentials, _, err = m.Create(t.Context(), session.Identity{Callsign: "NORTH", Via: session.ViaNAC})
			if err != nil {
				t.Fatal(err)
			}
			if token, err = m.PlayerConnect(t.Context(), 12, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := m.Check(credentials.SessionID, credentials.Token); err != nil || got.Callsign != "NORTH" {
			t.Errorf("round %d: %+v, %v", round, got, err)
		}
		if id, ok := m.CheckPlayer(token); !ok || id != 12 {
			t.Errorf("round %d: player %d, %v", round, id, ok)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
