package socket

import (
	"fmt"
	"strings"
	"testing"

	"squelch/core"
)

// A console that logs out and connects again at once, before the service has handled
// the goodbye to its end, begins anew: a goodbye is never taken for a lost link.
func TestAGoodbyeIsNotALostLink(t *testing.T) {
	s := newStation(t, 40)
	login := s.login("BRISK")
	for n := range 200 {
		r, got := s.dial(auth(login, -1))
		if !strings.HasPrefix(got, "40") {
			t.Fatalf("round %d: %s", n, got)
		}
		// Where the goodbye is still on its way, the newcomer gets the next id.
		var id core.UserID
		if _, err := fmt.Sscanf(r.hear(`42["self"`), `42["self",{"serverId":%d`, &id); err != nil {
			t.Fatal(err)
		}
		var u core.UserView
		_ = s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(id) })
		if u.Current != 0 {
			t.Fatalf("round %d: it is still on %v", n, u.Current)
		}
		r.tuned()
		r.say("41")
		r.say("1")
	}
}
