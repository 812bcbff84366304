package socket

import (
	"reflect"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/session"
)

// apiKey makes a key for some scopes.
func (s *station) apiKey(name string, scopes ...string) (string, session.Key) {
	s.t.Helper()
	secret, key, err := s.sessions.Keys().Create(s.t.Context(), name, scopes)
	if err != nil {
		s.t.Fatal(err)
	}
	return secret, key
}

func TestKeysThatMayListenOrTalkGetIn(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("KING-1")
	talk, _ := s.apiKey("Talk", "talk")
	read, _ := s.apiKey("Read", "read")
	other, _ := s.apiKey("Other", "dispatch", "game", "metrics")
	gone, key := s.apiKey("Gone", "read", "talk")
	if _, err := s.sessions.Keys().Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	for range 4 { // three guesses lock an address, but none of these is one
		for _, a := range []struct {
			name string
			auth map[string]any
			want string
		}{
			{"to talk", map[string]any{"authToken": talk}, "40{"},
			{"to listen, with a session that has no meaning", map[string]any{"authToken": read, "sessionId": "gone", "serverId": -4}, "40{"},
			{"with somebody's session", map[string]any{"authToken": read, "sessionId": c.SessionID}, "40{"},
			{"under a player's id", map[string]any{"authToken": talk, "serverId": 7}, `"code":"bad_id"`},
			{"neither to listen nor to talk", map[string]any{"authToken": other}, `"code":"bad_scope","error":"This API key lacks the scope \"read\" or \"talk\""`},
			{"revoked", map[string]any{"authToken": gone}, `"code":"bad_token","error":"Authentication required"`},
		} {
			if _, got := s.dial(a.auth); !strings.Contains(got, a.want) {
				t.Errorf("%s: %s, want %s", a.name, got, a.want)
			}
		}
	}
	for range 3 {
		s.dial(map[string]any{"authToken": "guess"})
	}
	if _, got := s.dial(map[string]any{"authToken": read}); !strings.HasPrefix(got, "40{") {
		t.Errorf("a key from a locked address: %s", got)
	}
}

// handled has one event of each kind, as a well-behaved client sends it.
var handled = map[string]string{
	"setDispatchSession": `"any"`, "updateUserInfo": `{"name":"Bot"}`, "setSpeakerChannel": `"154.755"`, "addListeningChannel": `"463"`,
	"removeListeningChannel": `"463"`, "listenToUser": `-1`, "stopListeningToUser": `-1`, "add3DListening": `"154.755"`,
	"remove3DListening": `"154.755"`, "setTalking": `true`, "voice": `{"data":"QUJD"}`, "heartbeat": `1`,
	"panic": `{"enabled":false}`, "acknowledgePanic": `{"serverId":-1}`,
	"acknowledgeEmergency": `{"id":"e-0"}`, "closeEmergency": `{"id":"e-0","reason":"test"}`, "triggerAlert": `{"frequency":"154.755","enabled":false}`,
	"radioState": `{"power":true}`, "armAnnouncementGroup": `{"groupId":null}`, "setCallsign": `{"callsign":"KEY-1"}`, "setVoiceEncoding": `"opus"`,
	"webrtc:offer": `{}`, "toneFile": `{"name":"BEEP"}`, "webrtc:report": `{"slots":[]}`, "webrtc:close": `null`, "loopback": `{"enabled":false}`,
	"serverEvent": `{"name":"roster:open"}`,
}

func TestEventsAskAKeyForTheirScope(t *testing.T) {
	s := newStation(t, 100)
	for _, scopes := range [][]string{{"read"}, {"talk"}, {"read", "dispatch"}, {"read", "talk", "dispatch"}} {
		name := strings.Join(scopes, " ")
		secret, _ := s.apiKey(name, scopes...)
		r, _ := s.dial(map[string]any{"authToken": secret})
		tried := 0
		for event, arg := range handled {
			need, known := wire.EventScopes(event)
			if !known {
				t.Fatalf("%s is no event", event)
			}
			tried++
			lacks := wire.ScopeSetOf(scopes...).Check(need)
			before := s.Stats().Silenced
			got := r.asks(`["` + event + `",` + arg + `]`)
			if told := strings.Contains(got, "lacks the scope"); told != (lacks != nil) {
				t.Errorf("%s, %s: %s", name, event, got)
			}
			if lacks == nil {
				continue
			}
			if want := `431[{"success":false,"error":"` + strings.ReplaceAll(lacks.Error(), `"`, `\"`) + `"}]`; got != want {
				t.Errorf("%s, %s: %s, want %s", name, event, got, want)
			}
			if event == "voice" {
				if after := s.Stats().Silenced; after != before+1 {
					t.Errorf("%d frames were counted", after-before)
				}
			}
		}
		if r.say(`42["selfDestruct",1]`); r.asks(`["heartbeat",1]`) != `431[{"success":true}]` {
			t.Error("an unknown event is not ignored")
		}
		r.conn.Close()
		if all := reflect.TypeFor[wire.ClientEvents]().NumField(); tried != all {
			t.Errorf("%d events of %d were tried", tried, all)
		}
	}
}

func TestAListeningKeyIsToldThatItMayNotTalk(t *testing.T) {
	s := newStation(t, 100)
	secret, _ := s.apiKey("Recorder", "read")
	r, _ := s.dial(map[string]any{"authToken": secret})
	r.tuned()
	r.say(`42["setTalking",{"state":true,"frequency":"154.755"}]`)
	if got := r.hear(`42["refused"`); !strings.Contains(got, `{"action":"setTalking","frequency":"154.755","error":"This API key lacks the scope \"talk\""}`) {
		t.Error(got)
	}
	r.say(`42["voice",{"data":"bm8gc2NvcGU="}]`)
	r.asks(`["heartbeat",1]`)
	if got := s.Stats(); got.Silenced != 1 || got.WrongPayload != 0 {
		t.Errorf("%+v", got)
	}
	for _, st := range s.Media.Stats().Talkers {
		if st.Packets+st.Unrouted > 0 {
			t.Errorf("its voice reached the media plane: %+v", st)
		}
	}
}

func TestAKeyIsADispatcherUnderItsName(t *testing.T) {
	s := newStation(t, 100)
	s.desk(-1)
	secret, key := s.apiKey("CAD bridge", "read", "talk")
	r, _ := s.dial(map[string]any{"authToken": secret, "serverId": -1})
	if got := r.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Errorf("its id: %s", got)
	}
	if err := s.Engine().View(t.Context(), func(v core.View) {
		u, _ := v.User(-2)
		if u.Name != "CAD bridge" || v.Alias(key.Owner(), -1) != -2 {
			t.Errorf("%+v, -1 means %d", u, v.Alias(key.Owner(), -1))
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestARestartedBotTakesItsIdBackByItsKey(t *testing.T) {
	s := newStation(t, 100)
	secret, _ := s.apiKey("Bot", "talk")
	auth := map[string]any{"authToken": secret, "serverId": -7}
	first, _ := s.dial(auth)
	first.tuned()
	if got := first.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Fatal(got)
	}
	first.conn.Close() // it crashes
	again, _ := s.dial(auth)
	again.tuned()
	if got := again.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Error(got)
	}
	if err := s.Engine().View(t.Context(), func(v core.View) {
		if n := len(v.Users()); n != 1 {
			t.Errorf("%d users: %+v", n, v.Users())
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestARevokedKeyHasNoSockets(t *testing.T) {
	s := newStation(t, 100)
	secret, key := s.apiKey("Bot", "read")
	other, _ := s.apiKey("Other", "read")
	first, _ := s.dial(map[string]any{"authToken": secret})
	second, _ := s.dial(map[string]any{"authToken": secret, "serverId": -8})
	stays, _ := s.dial(map[string]any{"authToken": other, "serverId": -9})
	for _, r := range []*set{first, second, stays} {
		r.asks(`["heartbeat",1]`) // it is on the radio
	}
	if _, err := s.sessions.Keys().Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if held, err := s.EndSession(t.Context(), key.Owner()); err != nil || len(held) != 2 {
		t.Errorf("held %v, %v", held, err)
	}
	first.hear("41")
	second.hear("41")
	if got := stays.asks(`["heartbeat",1]`); got != `431[{"success":true}]` {
		t.Errorf("another key: %s", got)
	}
	if _, got := s.dial(map[string]any{"authToken": secret}); !strings.Contains(got, `"code":"bad_token"`) {
		t.Errorf("again: %s", got)
	}
}

func TestAKeyThatIsRevokedWhileItConnectsDoesNotStay(t *testing.T) {
	s := newStation(t, 100)
	secret, key := s.apiKey("Bot", "read")
	s.Gate = &lateGate{s.Gate, func() {
		if _, err := s.sessions.Keys().Revoke(t.Context(), key.ID); err != nil {
			t.Error(err)
		}
		if held, err := s.EndSession(t.Context(), key.Owner()); err != nil || len(held) != 0 {
			t.Errorf("held %v, %v", held, err)
		}
	}}
	r, _ := s.dial(map[string]any{"authToken": secret})
	r.hear("41")
}
