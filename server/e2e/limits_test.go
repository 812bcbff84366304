package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// rejected tries to join the radio and returns the connect_error.
func (s *service) rejected(auth string) string {
	s.t.Helper()
	r := s.websocket("")
	r.wait("0{")
	r.send("40" + auth)
	return r.wait("4")
}

func TestAGuesserIsLockedOut(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.limits.failedLogins = 3")
	by := s.login("EARLY")
	early := s.dispatcher(-1, by)
	for i := range 3 {
		if got := s.rejected(fmt.Sprintf(`{"authToken":"guess %d","serverId":-1}`, i)); !strings.Contains(got, `"code":"bad_token"`) {
			t.Errorf("guess %d: %s", i, got)
		}
	}
	if got := s.rejected(`{"authToken":"guess 4","serverId":-1}`); !strings.Contains(got, `"code":"locked_out"`) {
		t.Errorf("after the guesses: %s", got)
	}
	early.well() // whoever is in stays in
}

func TestAFullRadio(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.limits.users = 2")
	by := s.login("ONE")
	first, second := s.dispatcher(-1, by), s.dispatcher(-2, by)
	first.well() // an answered event comes after the radio has taken the user in
	second.well()
	auth := fmt.Sprintf(`{"authToken":%q,"serverId":-3}`, masterToken)
	if got := s.rejected(auth); !strings.HasPrefix(got, "44") || !strings.Contains(got, `"code":"full"`) {
		t.Errorf("the third: %s", got)
	}
	first.send("41")
	first.send("1")
	first.drain()
	for status := struct{ UserCount int }{2}; status.UserCount == 2; {
		s.ask("GET", "/api/status", nil, by, 200, &status)
	}
	r := s.open(map[string]any{"authToken": masterToken, "serverId": -3})
	r.well()
}

// A dead talker's floor ends with its lease: the next one gets it, however the dead
// one insists, and the dead one's place is kept.
func TestTheFloorOfACutTalkerEndsByItsLease(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.talkLease = 200")
	by := s.login("KING-1")
	one, two := s.dispatcher(-1, by), s.dispatcher(-2, s.login("QUEEN-2"))
	for _, r := range []*raw{one, two} {
		r.send(`421["setSpeakerChannel","154.755"]`)
		r.wait(`431[{"success":true`)
	}
	one.send(`42["setTalking",true]`)
	two.wait(`42["talkingState",{"serverId":-1,`)
	one.conn.NetConn().Close()
	for granted := false; !granted; {
		two.send(`42["setTalking",true]`)
		for {
			got := two.wait(`42["`)
			if granted = strings.HasPrefix(got, `42["talkingState",{"serverId":-2,"frequency":"154.755","state":true`); granted || strings.HasPrefix(got, `42["ptt:denied"`) {
				break
			}
		}
	}
	if got, _ := s.remembers(by); got.Users["-1"].Name != "KING-1" {
		t.Errorf("the place was not kept: %v", got.Users)
	}
}

// If it does not return, its place ends with the resume window.
func TestTheResumeWindowEnds(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.resumeWindow = 100")
	one, two := s.dispatcher(-1, s.login("KING-1")), s.dispatcher(-2, s.login("QUEEN-2"))
	one.send(`421["setSpeakerChannel","154.755"]`)
	one.wait(`431[{"success":true`)
	one.conn.NetConn().Close()
	two.wait(`42["speakerLeft",{"serverId":-1,`)
}
