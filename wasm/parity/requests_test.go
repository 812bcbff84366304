package parity

import (
	"encoding/json"
	"reflect"
	"testing"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/scenario"
	"squelch/core/wire"
	"squelch/wasm/host"
	"squelch/wasm/sim"
)

// request is one request of a morning: what is sent, and the refusal ("": it is done).
type request struct {
	user    core.UserID
	what    string // an event, or a route
	payload string
	refused string
}

var morning = []request{
	{-1, "connect", `{"serverId":-1,"name":"Desk","nacId":"police"}`, ""},
	{12, "connect", `{"serverId":"12","name":"Adam"}`, ""},
	{-2, "connect", ``, ""},
	{-2, "connect", `{"serverId":0}`, "serverId must be negative for a dispatcher"},
	{-1, "setDispatchSession", `"a-session"`, ""},
	{-1, "setVoiceEncoding", `"imbe"`, ""},
	{-1, "heartbeat", `5`, ""},
	{-1, "updateUserInfo", `{"name":"Central"}`, ""},
	{12, "setSpeakerChannel", `"154.755"`, ""},
	{-1, "setSpeakerChannel", `154.755`, ""},
	{-1, "setSpeakerChannel", `"1.5"`, "Channel not found"},
	{-1, "setSpeakerChannel", `{}`, "frequency must be a frequency (decimal string or number)"},
	{-1, "addListeningChannel", `"460.25"`, ""},
	{-1, "removeListeningChannel", `"460.25"`, ""},
	{-1, "listenToUser", `12`, ""},
	{-1, "stopListeningToUser", `"12"`, ""},
	{-1, "add3DListening", `"460.25"`, ""},
	{-1, "remove3DListening", `"460.25"`, ""},
	{12, "setTalking", `{"state":true,"frequency":"154.755"}`, ""},
	{-1, "setTalking", `true`, ""},
	{12, "setTalking", `false`, ""},
	{12, "panic", `{"enabled":true}`, ""},
	{-1, "acknowledgePanic", `{"serverId":12}`, ""},
	{12, "panic", `{"enabled":true}`, ""},
	{-1, "acknowledgeEmergency", `{"id":"e-2"}`, ""},
	{-1, "closeEmergency", `{"id":"e-2","reason":"solved"}`, "reason must be one of resolved, accidental, test, other"},
	{-1, "closeEmergency", `{"id":"e-2","reason":"resolved"}`, ""},
	{-1, "acknowledgeEmergency", `{"id":"e-2"}`, "Emergency not found"},
	{-1, "triggerAlert", `{"frequency":"154.755","alertType":"SIGNAL 3"}`, ""},
	{12, "radioState", `{"power":true,"volumes":{"voice":0.5}}`, ""},
	{12, "setCallsign", `{"callsign":"A-11"}`, ""},
	{12, "setCallsign", `{"callsign":"A\u0007"}`, "callsign must not contain control characters"},
	{-1, "armAnnouncementGroup", `{"groupId":"city"}`, ""},
	{-1, "loopback", `{"enabled":true}`, ""},
	{-1, "voice", `{"data":"AAAA"}`, ""},
	{-1, "webrtc:offer", `{"sdp":"v=0"}`, "A simulation has no media plane"},
	{-1, "webrtc:report", `{"slots":[]}`, "A simulation has no media plane"},
	{-1, "webrtc:report", `{"slots":[{"mid":"1","received":9,"lost":-1,"concealed":0,"events":0}]}`, "slots[1].lost must be a whole number that is not negative"},
	{-1, "webrtc:close", `null`, ""},
	{12, "toneFile", `{"name":"BEEP"}`, "Tone not found"},
	{12, "serverEvent", `{"name":"radio:sendCallsign","args":["A-12"]}`, ""},

	{-1, "POST /api/trigger-broadcast", `{"message":"All units"}`, ""},
	{-1, "POST /radio/dispatch/broadcast", `{"message":"All units","frequency":"154.755","tone":"BEEP"}`, ""},
	{-1, "POST /api/play-tone", `{"frequency":154.755,"tone":"BEEP"}`, ""},
	{-1, "POST /radio/dispatch/tone", `{"frequency":"154.755","tone":"?"}`, `unknown tone "?" (known: ALERT_A, ALERT_B, BEEP, PANIC)`},
	{-1, "POST /radio/dispatch/alert/trigger", `{"frequency":"460.25","alertType":"SIGNAL 100"}`, ""},
	{-1, "POST /radio/dispatch/alert/clear", `{"frequency":"460.25"}`, ""},
	{-1, "POST /radio/dispatch/alert/oneshot", `{"frequency":"460.25","alertConfig":{"name":"Own","tones":"BEEP"}}`, ""},
	{-1, "POST /radio/dispatch/switchChannel", `{"serverId":12,"frequency":"154.815"}`, ""},
	{-1, "POST /dispatch/user/alert", `{"userId":12,"message":"Call the desk"}`, ""},
	{-1, "POST /dispatch/user/set-player-callsign", `{"userId":12,"callsign":"A-12"}`, ""},
	{-1, "POST /dispatch/user/update-callsign", `{"callsign":"Desk-1"}`, ""},
	{-1, "POST /api/patch/create", `{"frequencies":["154.755","460.25"]}`, ""},
	{-1, "POST /api/patch/create", `{"frequencies":["154.755","154.815"]}`, "154.755 is already in patch p-1"},
	{-1, "POST /api/patch/create", `{"frequencies":[null]}`, "frequencies must not contain null"},
	{-1, "POST /api/patch/remove", `{"id":"p-1"}`, ""},
	{-1, "POST /radio/dispatch/panic", `{"serverId":12,"enabled":true}`, ""},
	{-1, "POST /radio/dispatch/emergency/acknowledge", `{"id":"e-3"}`, ""},
	{-1, "POST /radio/dispatch/emergency/close", `{"id":"e-3"}`, "reason is missing"},
	{-1, "POST /radio/dispatch/emergency/close", `{"id":"e-3","reason":"test","note":"Drill"}`, ""},
	{0, "POST /api/player/connect", `{"serverId":40,"name":"Kim","aces":{"connect":[33.4]}}`, ""},
	{0, "POST /api/player/positions", `{"positions":[{"serverId":40,"x":1,"y":2,"z":3}]}`, ""},
	{0, "POST /api/game/positions", `{"positions":[[40,1.5,2,3]]}`, ""},
	{0, "POST /api/game/positions", `[[40,1,2]]`, "positions must be an array of [serverId, x, y, z]"},
	{0, "GET /api/game/changes", ``, "A simulation has no game server"},
	{0, "POST /api/game/do", `{"requests":[{"id":"1","do":"disconnectUser","serverId":40}]}`, "A simulation has no game server"},
	{0, "POST /api/game/players", `{"players":[{"serverId":40}]}`, "A simulation has no game server"},
	{0, "POST /api/game/players", `{"players":[{"serverId":-40}]}`, "players[1].serverId must be positive"},
	{0, "POST /api/game/webrtc", `{"serverId":40,"sdp":"v=0"}`, "A simulation has no media plane"},
	{0, "POST /api/game/webrtc", `{"serverId":41,"sdp":"v=0"}`, "User not found"},
	{0, "POST /api/player/drop", `{"serverId":40}`, ""},
	{-1, "GET /radio/dispatch/status", ``, ""},
	{-1, "GET /api/status", ``, ""},
	{-1, "GET /radio/dispatch/config", ``, ""},
	{-1, "GET /radio/dispatch/tones", ``, ""},
	{-1, "GET /api/patches", ``, ""},
	{-1, "POST /radio/dispatch/auth", `{"nacId":"desk-1","callsign":"x"}`, ""},
	{-1, "POST /radio/dispatch/logout", `{}`, ""},
	{-1, "POST /radio/dispatch/reauth", `{"callsign":"x"}`, ""},
	{-1, "GET /nowhere", ``, "No such path"},
	{-1, "GET /api/health", ``, ""},
	{-1, "POST /dispatch/user/disconnect", `{"userId":12}`, ""},
	{-2, "disconnect", ``, ""},
}

// without are the routes that mean nothing without a service: files and the
// external login. All others must occur in the morning above.
var without = map[string]bool{"GET /radio/dispatch/installer": true, "GET /radio/dispatch/update.json": true,
	"GET /radio/tones/{file}": true, "GET /radio/dispatch/login": true, "GET /radio/dispatch/callback": true,
	"GET /api/game/callbacks": true, "GET /radio/resource.zip": true}

// requests runs the morning natively, checks the answers, and gives the calls for the
// other builds.
func requests(t *testing.T) answered {
	t.Helper()
	run := Run{Name: "requests"}
	if err := run.New(wire.Start{Config: scenario.Standard()}); err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for i, m := range morning {
		q := sim.Request{At: int64(1000 * (i + 1)), By: sim.Caller{User: m.user}, Payload: json.RawMessage(m.payload)}
		if q.Event = m.what; isRoute(m.what) {
			q.Route, q.Event = m.what, ""
		}
		if err := run.add("apply", q); err != nil {
			t.Fatal(err)
		}
		done[m.what] = true
	}
	for _, v := range []sim.View{{Kind: "status", At: 9}, {Kind: "config"}, {Kind: "tones"}, {Kind: "patches"}, {Kind: "player", User: 12}, {Kind: "?"}} {
		if err := run.add("view", v); err != nil {
			t.Fatal(err)
		}
	}
	run.Calls = append(run.Calls, Call{Function: "snapshot"})
	run.Hash()
	for _, r := range wire.Routes {
		if door.ServiceOnly(r.Path) {
			continue // core.wasm does not have them
		}
		if name := r.Method + " " + r.Path; !done[name] && !without[name] && r.Auth != wire.Admin {
			t.Errorf("no request for %s", name)
		}
	}
	events := reflect.TypeFor[wire.ClientEvents]()
	for i := range events.NumField() {
		if name := events.Field(i).Tag.Get("event"); !done[name] {
			t.Errorf("no request for the event %s", name)
		}
	}
	told := answer(t, run)
	checkMorning(t, told.native)
	return told
}

func isRoute(what string) bool { return len(what) > 4 && (what[:4] == "GET " || what[:5] == "POST ") }

func checkMorning(t *testing.T, answers [][]byte) {
	t.Helper()
	for i, m := range morning {
		var a host.Answer
		if err := json.Unmarshal(answers[i+1], &a); err != nil {
			t.Fatal(err)
		}
		said := ""
		if a.Error != nil {
			said = a.Error.Message
		}
		if said != m.refused || len(a.Reply) == 0 {
			t.Errorf("%d %s %s is answered %s, want %q", m.user, m.what, m.payload, answers[i+1], m.refused)
		}
	}
}
