package socket

import (
	"strings"
	"testing"

	"squelch/core/wire"
)

// TestDispatchersAreToldOfThemes: those on the radio, and those whose link comes back
// as if nothing had been. Players are not.
func TestDispatchersAreToldOfThemes(t *testing.T) {
	t.Parallel()
	s := newStation(t, 100)
	king, rook := s.login("KING-1"), s.login("ROOK-1")
	r, greeting := s.dial(auth(king, -1))
	other, _ := s.dial(auth(rook, -2))
	r.tuned()
	other.tuned()
	player, _ := s.dial(map[string]any{"authToken": must(s.sessions.PlayerConnect(t.Context(), 7, nil))})
	player.say(`42["heartbeat",1]`)
	player.hear(`42["heartbeat_response"`)
	r.say(`42["heartbeat",1]`)
	pid, offset := papers(greeting, r.hear(`42["heartbeat_response"`))
	r.conn.NetConn().Close()
	s.waiting(1, "the socket is lost")

	s.Announce(wire.ThemesChanged(wire.ThemeList{Themes: []wire.Theme{{Slug: "night"}}, DefaultTheme: "night"}, 1))
	const told = `42["dispatchNotification",{"type":"themes","themes":[{"slug":"night",`
	other.hear(told)
	back := auth(king, -1)
	back["pid"], back["offset"] = pid, offset
	r, _ = s.dial(back)
	r.hear(told)
	player.say(`42["heartbeat",2]`)
	for _, m := range player.until(`42["heartbeat_response"`) {
		if strings.Contains(m, "themes") {
			t.Errorf("a player is told %s", m)
		}
	}
}

// TestTranscriptsAreForThoseWhoMayHearRecordings: dispatchers, and API keys with the scope.
func TestTranscriptsAreForThoseWhoMayHearRecordings(t *testing.T) {
	t.Parallel()
	s := newStation(t, 100)
	desk, _ := s.dial(auth(s.login("KING-1"), -1))
	may, _ := s.apiKey("Archive", "read", "recordings")
	mayNot, _ := s.apiKey("Wall board", "read", "talk")
	archive, _ := s.dial(map[string]any{"authToken": may})
	board, _ := s.dial(map[string]any{"authToken": mayNot})
	player, _ := s.dial(map[string]any{"authToken": must(s.sessions.PlayerConnect(t.Context(), 7, nil))})
	for _, r := range []*set{desk, archive, board, player} {
		r.say(`42["heartbeat",1]`)
		r.hear(`42["heartbeat_response"`)
	}
	s.AnnounceTo(wire.ScopeRecordings, wire.Transcribed("tx-7-1700000000000", "Shots fired", 1))
	const told = `42["dispatchNotification",{"type":"transcript","id":"tx-7-1700000000000","text":"Shots fired","timestamp":1}`
	desk.hear(told)
	archive.hear(told)
	for name, r := range map[string]*set{"a key without the scope": board, "a player": player} {
		r.say(`42["heartbeat",2]`)
		for _, m := range r.until(`42["heartbeat_response"`) {
			if strings.Contains(m, "transcript") {
				t.Errorf("%s is told %s", name, m)
			}
		}
	}
}

// until gives what a set hears before a message begins with prefix.
func (r *set) until(prefix string) (heard []string) {
	r.t.Helper()
	for {
		_, b, err := r.conn.ReadMessage()
		if err != nil {
			r.t.Fatal(err)
		}
		if strings.HasPrefix(string(b), prefix) {
			return heard
		}
		heard = append(heard, string(b))
	}
}
