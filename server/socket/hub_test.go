package socket

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/session"
	"squelch/sfu"
)

func (s *station) login(callsign string) session.Credentials {
	s.t.Helper()
	c, _, err := s.sessions.Create(s.t.Context(), session.Identity{Callsign: callsign, NacID: "911", Via: session.ViaNAC})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func TestWhoGetsIn(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("KING-1")
	player := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{"serverId":7}`)))
	for _, a := range []struct {
		name string
		auth map[string]any
		want string
	}{
		{"a session", map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -3}, "40{"},
		{"a session's token alone", map[string]any{"authToken": c.Token}, "40{"},
		{"the master token", map[string]any{"authToken": masterToken, "serverId": "-9"}, "40{"},
		{"a player", map[string]any{"authToken": player}, "40{"},
		{"a player with its id", map[string]any{"authToken": player, "serverId": 7}, "40{"},
		{"a player under another id", map[string]any{"authToken": player, "serverId": 8}, `"code":"bad_id"`},
		{"a dispatcher with a player's id", map[string]any{"authToken": masterToken, "serverId": 7}, `"code":"bad_id"`},
		{"an id that is none", map[string]any{"authToken": masterToken, "serverId": "me"}, `"code":"bad_id"`},
		{"an ended session", map[string]any{"authToken": c.Token, "sessionId": "gone"}, `"code":"bad_session"`},
		{"nobody", map[string]any{}, `"code":"bad_token"`},
		{"a guess", map[string]any{"authToken": "guess", "serverId": -1}, `"code":"bad_token"`},
		{"a guess with a session", map[string]any{"authToken": "guess", "sessionId": c.SessionID}, `"code":"bad_token"`},
		{"a session of another login", map[string]any{"authToken": c.Token, "sessionId": s.login("ROOK-1").SessionID}, `"code":"bad_session"`},
		{"a third guess", map[string]any{"authToken": "guess 3"}, `"code":"bad_token"`},
		{"a fourth guess", map[string]any{"authToken": "guess 4"}, `"code":"locked_out","error":"Too many failed logins, try again later","retryAfter":300}`},
		{"nobody, after the guesses", map[string]any{}, `"code":"bad_token"`},
		{"an outdated token", map[string]any{"authToken": strings.Repeat("x", 43)}, `"code":"bad_token"`},
		{"a player, after the guesses", map[string]any{"authToken": player}, "40{"},
		{"the master token, after the guesses", map[string]any{"authToken": masterToken}, "40{"},
		{"a session, after the guesses", map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -4}, "40{"},
	} {
		if _, got := s.dial(a.auth); !strings.Contains(got, a.want) {
			t.Errorf("%s: %s, want %s", a.name, got, a.want)
		}
	}
}

func TestAFullRadioRefusesInTheHandshake(t *testing.T) {
	s := newStation(t, 1)
	s.desk(-1).tuned() // connected
	if _, got := s.dial(map[string]any{"authToken": masterToken, "serverId": -2}); got != `44{"message":"The radio is full","data":{"code":"full","error":"The radio is full"}}` {
		t.Errorf("the second: %s", got)
	}
}

func TestCookiesCountOnlyOnOurOwnPages(t *testing.T) {
	for _, c := range []struct {
		origin, fetch string
		want          wire.Text
	}{
		{"http://radio.example.org", "", "secret"}, {"", "same-origin", "secret"},
		{"https://dispatch.example.org", "", "secret"}, {"http://dispatch.example.org", "", ""},
		{"http://evil.example.org", "", ""}, {"null", "", ""}, {"", "", ""}, {"", "cross-site", ""}, {"http://evil.example.org", "same-origin", ""},
	} {
		h := http.Header{"Cookie": {"dispatch_auth_token=secret; dispatch_session_id=one"}}
		if c.origin != "" {
			h.Set("Origin", c.origin)
		}
		if c.fetch != "" {
			h.Set("Sec-Fetch-Site", c.fetch)
		}
		var auth wire.Handshake
		fromCookies(&auth, h, "radio.example.org", "https://dispatch.example.org")
		if auth.AuthToken != c.want {
			t.Errorf("origin %q, fetch site %q: token %q, want %q", c.origin, c.fetch, auth.AuthToken, c.want)
		}
	}
}

func TestNoCookieCarriesAnAPIKey(t *testing.T) {
	key := session.KeyPrefix + strings.Repeat("k", 43)
	var auth wire.Handshake
	fromCookies(&auth, http.Header{"Origin": {"http://radio.example.org"}, "Cookie": {"dispatch_auth_token=" + key}}, "radio.example.org", "")
	if !session.KeyForm(key) || auth.AuthToken != "" {
		t.Errorf("a cookie carries %q", auth.AuthToken)
	}
}

func TestAnswersAndRefusals(t *testing.T) {
	s := newStation(t, 100)
	r := s.desk(-1)
	for _, c := range []struct{ event, answer string }{
		{`["heartbeat",1]`, `{"success":true}`},
		{`["setSpeakerChannel","999"]`, `{"success":false,"error":"Channel not found"}`},
		{`["setSpeakerChannel",{}]`, `{"success":false,"error":"frequency must be a frequency (decimal string or number)"}`},
		{`["setTalking",true]`, `{"success":false,"error":"No channel is selected"}`},
		{`["setVoiceEncoding","mp3"]`, `{"success":false,"error":"encoding must be \"opus\" or \"imbe\""}`},
		{`["setVoiceEncoding","imbe"]`, `{"success":true}`},
		{`["setDispatchSession",7]`, `{"success":false,"error":"sessionId must be a string"}`},
		{`["setDispatchSession","x"]`, `{"success":false,"error":"Unknown or expired session"}`},
		{`["webrtc:close"]`, `{"success":true}`},
		{`["webrtc:offer",{}]`, `{"success":false,"error":"sdp is missing"}`},
		{`["webrtc:report",{"slots":[]}]`, `{"success":false,"error":"There is no media connection"}`},
		{`["webrtc:report",{}]`, `{"success":false,"error":"slots is missing"}`},
		{`["webrtc:report",{"slots":[{"mid":"1","received":1,"lost":0.5,"concealed":0,"events":0}]}]`,
			`{"success":false,"error":"slots[1].lost must be a whole number that is not negative"}`},
		{`["webrtc:report",{"slots":[` + strings.Repeat("{},", 16) + `{}]}]`, `{"success":false,"error":"slots must have at most 16 entries"}`},
		{`["voice",{}]`, `{"success":false,"error":"data must be base64 text of 1 to 65536 bytes"}`},
	} {
		if got := r.asks(c.event); got != "431["+c.answer+"]" {
			t.Errorf("%s: %s", c.event, got)
		}
	}
	r.say(`42["setSpeakerChannel","999"]`)
	if got := r.hear(`42["refused"`); !strings.Contains(got, `{"action":"setSpeakerChannel","frequency":"999","error":"Channel not found"}`) {
		t.Errorf("refused: %s", got)
	}
	if n := s.Stats().WrongPayload; n != 8 {
		t.Errorf("%d wrong payloads were counted", n)
	}
}

func TestAKeyUpThatIsNotGrantedIsAckedSo(t *testing.T) {
	s := newStation(t, 100)
	holder, other := s.desk(-1).tuned(), s.desk(-2).tuned()
	if got := holder.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Fatal(got)
	}
	other.say(`421["setTalking",true]`)
	if got := other.hear(`42["ptt:denied"`); !strings.Contains(got, `"currentTalker":-1`) {
		t.Errorf("told %s", got)
	}
	if got := other.hear(`431[`); got != `431[{"success":false,"error":"The channel is busy","currentTalker":-1}]` {
		t.Errorf("acked %s", got)
	}
	// A release never fails, whatever it names and whoever holds the floor.
	for _, release := range []string{`false`, `{"state":false,"frequency":""}`, `{"state":false,"frequency":null}`, `{"state":false,"frequency":"999"}`,
		`{"state":false,"frequency":"Main"}`, `{"state":false,"frequency":[]}`} {
		for _, who := range []*set{holder, other} {
			if got := who.asks(`["setTalking",` + release + `]`); got != `431[{"success":true}]` {
				t.Errorf("release with %s: %s", release, got)
			}
		}
	}
	if got := other.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Errorf("after the release: %s", got)
	}
	if n := s.Stats().WrongPayload; n != 0 {
		t.Errorf("%d releases count as wrong payloads", n)
	}
}

func TestAUserIsToldOfItselfAndSetsItsOwnCallsign(t *testing.T) {
	s := newStation(t, 100)
	r, other := s.desk(-1), s.desk(-2)
	if got := r.hear(`42["self"`); !strings.Contains(got, `"serverId":-1,`) || !strings.Contains(got, `"channel":null`) {
		t.Errorf("on connect: %s", got)
	}
	r.say(`421["setSpeakerChannel","154.755"]`)
	if got := r.hear(`42["self"`); !strings.Contains(got, `"channel":"154.755"`) {
		t.Errorf("after a join: %s", got)
	}
	r.hear(`431[{"success":true}]`)
	r.say(`421["setCallsign",{"callsign":" NORTH "}]`)
	if got := r.hear(`42["self"`); !strings.Contains(got, `"callsign":"NORTH"`) {
		t.Errorf("with a callsign: %s", got)
	}
	r.hear(`431[{"success":true}]`)
	if got := r.asks(`["setCallsign",{"callsign":"N\u0007"}]`); got != `431[{"success":false,"error":"callsign must not contain control characters"}]` {
		t.Errorf("with a bell: %s", got)
	}
	if got := other.hear(`42["self"`); !strings.Contains(got, `"serverId":-2,`) {
		t.Errorf("the other is told %s", got)
	}
}

func TestALateSessionBringsItsIdAndName(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("ROOK-1")
	link := `["setDispatchSession","` + c.SessionID + `"]`
	first := s.desk(-1)
	if got := first.asks(link); got != `431[{"success":true}]` {
		t.Fatal(got)
	}
	first.tuned()
	// The first goes silent: it no longer answers pings, which nobody has noticed when
	// the second connects.
	second := s.desk(-1)
	if got := second.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Errorf("before the session is named: %s", got)
	}
	second.say("421" + link)
	if got := second.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-1}`) {
		t.Errorf("after: %s", got)
	}
	second.hear(`431[{"success":true}]`)
	var u core.UserView
	var gone bool
	if err := s.Engine().View(t.Context(), func(v core.View) {
		u, _ = v.User(-1)
		_, found := v.User(-2)
		gone = !found
	}); err != nil {
		t.Fatal(err)
	}
	if u.Name != "ROOK-1" || u.Current.String() != "154.755" || !gone {
		t.Errorf("the user is %+v, the other id is free: %v", u, gone)
	}
	if got := second.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Errorf("key-up: %s", got)
	}
}

func TestVoiceThatNobodyMayHearIsCounted(t *testing.T) {
	s := newStation(t, 100)
	r, near := s.desk(-1).tuned(), s.desk(-2)
	for _, c := range []string{"imbe", "opus"} {
		near.asks(`["setVoiceEncoding","` + c + `"]`)
	}
	near.asks(`["setSpeakerChannel","463"]`)
	for _, event := range []string{`["voice",{"data":"bm8gZmxvb3I="}]`, `["setSpeakerChannel","463"]`, `["setTalking",true]`,
		`["voice",{"data":"GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibQ=="}]`} { // WebM's first bytes on a digital channel
		if got := r.asks(event); got != `431[{"success":true}]` {
			t.Errorf("%s: %s", event, got)
		}
	}
	for _, st := range s.Media.Stats().Talkers {
		if st.User == -1 && st.Unrouted == 1 && st.Dropped == 1 {
			return
		}
	}
	t.Errorf("the counts are %+v", s.Media.Stats().Talkers)
}

func TestEndedSessionsHaveNoSockets(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("KING-1")
	r, _ := s.dial(map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -1})
	r.asks(`["heartbeat",1]`) // it is on the radio
	live, err := s.sessions.Check(c.SessionID, c.Token)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.sessions.Revoke(t.Context(), live.Key); err != nil {
		t.Fatal(err)
	}
	if held, err := s.EndSession(t.Context(), live.Key); err != nil || len(held) != 1 {
		t.Errorf("held %v, %v", held, err)
	}
	if err := s.Engine().View(t.Context(), func(v core.View) {
		if _, found := v.User(-1); found {
			t.Error("the user is still on the radio when it is over")
		}
	}); err != nil {
		t.Fatal(err)
	}
	r.hear("41")
}

func TestVoiceIsWrittenAsTheWireSaysIt(t *testing.T) {
	f := &sfu.Frame{}
	for _, text := range []string{"QUJD", `no "base64" \ at all`, "\u0001ü\u2028<>&"} {
		f.Reset()
		f.Talker, f.Text = -7, text
		m := &sfu.Message{Frame: f, Leg: core.Leg{Frequency: must(core.ParseFrequency("154.755")), Reason: core.AsListener, Patch: 3}}
		var got, want wire.Voice
		want = wire.Voice{ServerID: -7, Frequency: "154.755", Data: text,
			ReceiveType: "listener", PatchID: core.PatchID(3)}
		if err := json.Unmarshal(voiceJSON(m), &got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		m.Leg.Fade = 40
		got = wire.Voice{}
		if err := json.Unmarshal(voiceJSON(m), &got); err != nil || got.Signal == nil || *got.Signal != 60 {
			t.Errorf("with a weak signal: %+v, %v", got, err)
		}
	}
}

// TestAUserWhomAnotherNodeTakesOffHasNoSocket: a login that ends at one node of a cluster ends
// its users by orders, which may be here before the news of the login.
func TestAUserWhomAnotherNodeTakesOffHasNoSocket(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("KING-1")
	r, _ := s.dial(map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": -1})
	r.asks(`["heartbeat",1]`) // it is on the radio
	end := door.End(-1, core.ByAdmin)
	if _, err := s.Engine().Do(t.Context(), end.By, end.Command); err != nil {
		t.Fatal(err)
	}
	r.hear("41")
}
