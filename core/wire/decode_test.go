package wire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

const me core.UserID = -1

func ptr[T any](v T) *T { return &v }

// heard is one event that a client sends, and the command that it becomes.
type heard struct {
	event, payload string
	want           core.Command // nil: refused
	refusal        string       // part of the message
}

var heardEvents = []heard{
	{event: "updateUserInfo", payload: `{"name":"Dana","nacId":141}`, want: core.Identify{User: me, Name: ptr("Dana"), Nac: ptr("141")}},
	{event: "updateUserInfo", payload: `{"name":null}`, want: core.Identify{User: me}},
	{event: "updateUserInfo", payload: `{"name":{}}`, refusal: "name must be a string"},
	{event: "updateUserInfo", payload: `"Dana"`, refusal: "JSON object"},
	{event: "updateUserInfo", payload: ``, refusal: "JSON object"},

	{event: "setSpeakerChannel", payload: `"154.7550"`, want: core.JoinAsSpeaker{User: me, Frequency: mhz("154.755")}},
	{event: "setSpeakerChannel", payload: `154.75499999999998`, want: core.JoinAsSpeaker{User: me, Frequency: mhz("154.755")}},
	{event: "setSpeakerChannel", payload: `null`, want: core.LeaveChannel{User: me}},
	{event: "setSpeakerChannel", payload: ``, want: core.LeaveChannel{User: me}},
	{event: "setSpeakerChannel", payload: `false`, want: core.LeaveChannel{User: me}},
	{event: "setSpeakerChannel", payload: `""`, want: core.LeaveChannel{User: me}},
	{event: "setSpeakerChannel", payload: `true`, refusal: "frequency must be"},
	{event: "setSpeakerChannel", payload: `"all"`, refusal: "Channel not found"},
	{event: "setSpeakerChannel", payload: `-1`, refusal: "Channel not found"},
	{event: "addListeningChannel", payload: `460.250`, want: core.StartScan{User: me, Frequency: mhz("460.25")}},
	{event: "addListeningChannel", payload: `null`, refusal: "frequency is missing"},
	{event: "addListeningChannel", payload: `{"frequency":460.25}`, refusal: "frequency must be"},
	{event: "removeListeningChannel", payload: `"460.25"`, want: core.StopScan{User: me, Frequency: mhz("460.25")}},
	{event: "removeListeningChannel", payload: `[]`, refusal: "frequency must be"},
	{event: "add3DListening", payload: `"460.25"`, want: core.Start3D{User: me, Frequency: mhz("460.25")}},
	{event: "add3DListening", payload: `1e999`, refusal: "frequency must be"},
	{event: "remove3DListening", payload: `"460.25"`, want: core.Stop3D{User: me, Frequency: mhz("460.25")}},
	{event: "remove3DListening", payload: ``, refusal: "frequency is missing"},

	{event: "listenToUser", payload: `7`, want: core.Follow{User: me, Target: 7}},
	{event: "listenToUser", payload: `"7"`, want: core.Follow{User: me, Target: 7}},
	{event: "listenToUser", payload: `7.5`, refusal: "targetServerId must be an integer"},
	{event: "listenToUser", payload: `null`, refusal: "targetServerId is missing"},
	{event: "stopListeningToUser", payload: `-2`, want: core.Unfollow{User: me, Target: -2}},
	{event: "stopListeningToUser", payload: `{}`, refusal: "targetServerId must be an integer"},

	{event: "setCallsign", payload: `{"callsign":"1-ADAM-12"}`, want: core.SetCallsign{User: me, Callsign: "1-ADAM-12"}},
	{event: "setCallsign", payload: `{"callsign":12}`, want: core.SetCallsign{User: me, Callsign: "12"}},
	{event: "setCallsign", payload: `{"callsign":null}`, want: core.SetCallsign{User: me}},
	{event: "setCallsign", payload: `{"callsign":""}`, want: core.SetCallsign{User: me}},
	{event: "setCallsign", payload: `{"callsign":["A"]}`, refusal: "callsign must be a string"},
	{event: "setCallsign", payload: `"A-12"`, refusal: "The body must be a JSON object"},
	{event: "setTalking", payload: `true`, want: core.KeyUp{User: me}},
	{event: "setTalking", payload: `false`, want: core.KeyDown{User: me}},
	{event: "setTalking", payload: `{"state":true}`, want: core.KeyUp{User: me}},
	{event: "setTalking", payload: `{"state":true,"frequency":"154.755","override":true}`, want: core.KeyUp{User: me, Frequency: mhz("154.755"), Override: true}},
	{event: "setTalking", payload: `{"state":false,"frequency":154.755}`, want: core.KeyDown{User: me, Frequency: mhz("154.755")}},
	{event: "setTalking", payload: `{"state":false,"frequency":null,"override":null}`, want: core.KeyDown{User: me}},
	{event: "setTalking", payload: `{"state":false,"frequency":""}`, want: core.KeyDown{User: me}},
	{event: "setTalking", payload: `{"state":false,"frequency":"999.5"}`, want: core.KeyDown{User: me, Frequency: mhz("999.5")}},
	{event: "setTalking", payload: `{"state":false,"frequency":"Main"}`, want: core.KeyDown{User: me}},
	{event: "setTalking", payload: `{"state":false,"frequency":{"id":1}}`, want: core.KeyDown{User: me}},
	{event: "setTalking", payload: `{"state":false,"frequency":154.755,"override":"yes"}`, want: core.KeyDown{User: me, Frequency: mhz("154.755")}},
	{event: "setTalking", payload: `{"state":true,"frequency":""}`, refusal: "Channel not found"},
	{event: "setTalking", payload: `null`, refusal: "state is missing"},
	{event: "setTalking", payload: ``, refusal: "state is missing"},
	{event: "setTalking", payload: `{}`, refusal: "state is missing"},
	{event: "setTalking", payload: `{"state":"true"}`, refusal: "state must be a boolean"},
	{event: "setTalking", payload: `{"state":true,"frequency":"x"}`, refusal: "Channel not found"},
	{event: "setTalking", payload: `{"state":true,"override":1}`, refusal: "override must be a boolean"},
	{event: "setTalking", payload: `"true"`, refusal: "state must be a boolean or"},
	{event: "setTalking", payload: `1`, refusal: "state must be a boolean or"},

	{event: "panic", payload: `{"enabled":true}`, want: core.SetPanic{User: me, Enabled: true}},
	{event: "panic", payload: `{"enabled":false,"frequency":"154.755"}`, want: core.SetPanic{User: me, Frequency: mhz("154.755")}},
	{event: "panic", payload: `{"frequency":"154.755"}`, refusal: "enabled is missing"},
	{event: "panic", payload: `true`, refusal: "JSON object"},
	{event: "acknowledgePanic", payload: `{"serverId":"9"}`, want: core.AcknowledgePanic{User: 9}},
	{event: "acknowledgePanic", payload: `{"serverId":9,"frequency":154.755}`, want: core.AcknowledgePanic{User: 9, Frequency: mhz("154.755")}},
	{event: "acknowledgePanic", payload: `{}`, refusal: "serverId is missing"},
	{event: "acknowledgeEmergency", payload: `{"id":"e-1"}`, want: core.AcknowledgeEmergency{ID: "e-1"}},
	{event: "acknowledgeEmergency", payload: `{}`, refusal: "id is missing"},
	{event: "acknowledgeEmergency", payload: `{"id":1}`, refusal: "id must be a string"},
	{event: "closeEmergency", payload: `{"id":"e-1","reason":"resolved"}`, want: core.CloseEmergency{ID: "e-1", Reason: "resolved"}},
	{event: "closeEmergency", payload: `{"id":"e-1","reason":"other","note":"Lost"}`, want: core.CloseEmergency{ID: "e-1", Reason: "other", Note: "Lost"}},
	{event: "closeEmergency", payload: `{"id":"e-1"}`, refusal: "reason is missing"},
	{event: "closeEmergency", payload: `{"id":"e-1","reason":"other","note":1}`, refusal: "note must be a string"},
	{event: "triggerAlert", payload: `{"frequency":"154.755","enabled":true,"alertType":"Ping"}`, want: core.SetAlert{Frequency: mhz("154.755"), Enabled: core.Yes, Alert: core.AlertRef{Name: "Ping"}}},
	{event: "triggerAlert", payload: `{"frequency":"154.755","enabled":false}`, want: core.SetAlert{Frequency: mhz("154.755"), Enabled: core.No}},
	{event: "triggerAlert", payload: `{"frequency":"154.755"}`, want: core.SetAlert{Frequency: mhz("154.755")}},
	{event: "triggerAlert", payload: `{"enabled":true}`, refusal: "frequency is missing"},
	{event: "radioState", payload: `{"power":false,"volumes":{"voice":0.5},"layout":"apx","animationId":3,"battery":80}`,
		want: core.SetRadio{User: me, Power: ptr(false), Volume: ptr(0.5), Layout: ptr("apx"), AnimationID: ptr("3"), Battery: ptr(80.0)}},
	{event: "radioState", payload: `{}`, want: core.SetRadio{User: me}},
	{event: "radioState", payload: `{"volumes":{"tone":"loud"}}`, refusal: "volumes.tone must be a number"},
	{event: "radioState", payload: `{"volumes":5}`, refusal: "volumes must be an object"},
	{event: "armAnnouncementGroup", payload: `{"groupId":"all"}`, want: core.ArmGroup{User: me, Group: "all"}},
	{event: "armAnnouncementGroup", payload: `{"groupId":null}`, want: core.ArmGroup{User: me}},
	{event: "armAnnouncementGroup", payload: `{"groupId":5}`, refusal: "groupId must be a string"},
	{event: "loopback", payload: `{"enabled":true}`, want: core.SetLoopback{User: me, Enabled: true}},
	{event: "loopback", payload: `{}`, refusal: "enabled is missing"},

	{event: "voice", payload: `{"data":"AAEC"}`, refusal: "Unknown event"}, // never becomes a command
	{event: "__proto__", payload: `{}`, refusal: "Unknown event"},
}

func TestWhatClientsSend(t *testing.T) {
	done, refused := map[string]bool{}, map[string]bool{}
	for _, h := range heardEvents {
		got, err := wire.DecodeEvent(h.event, me, json.RawMessage(h.payload))
		if h.want == nil {
			refused[h.event] = true
			checkRefusal(t, h.event+" "+h.payload, err, h.refusal)
			continue
		}
		done[h.event] = true
		if err != nil || !reflect.DeepEqual(got, h.want) {
			t.Errorf("%s %s: %#v, %v, want %#v", h.event, h.payload, got, err, h.want)
		}
	}
	for event := range eventTypes(wire.ClientEvents{}) {
		if wire.Decodes(event) && !(done[event] && refused[event]) {
			t.Errorf("no example, or no refusal, of %s", event)
		}
	}
}

func checkRefusal(t *testing.T, what string, err error, contains string) {
	t.Helper()
	var refusal *core.Error
	if !errors.As(err, &refusal) || (refusal.Kind != core.Invalid && refusal.Kind != core.NotFound) || refusal.Message == "" {
		t.Errorf("%s: error %v (%T), want a core.Error", what, err, err)
		return
	}
	if !strings.Contains(refusal.Message, contains) {
		t.Errorf("%s: %q, want %q", what, refusal.Message, contains)
	}
}

func TestAWrongShapeComesBeforeAMissingChannel(t *testing.T) {
	var body wire.ToneRequest
	checkRefusal(t, "both", wire.Decode([]byte(`{"frequency":"nowhere"}`), &body), "tone is missing")
	checkRefusal(t, "channel", wire.Decode([]byte(`{"frequency":"nowhere","tone":"BEEP"}`), &body), "Channel not found")
}

// Older bots send a blank channel with a text for everybody.
func TestATextWithoutAChannelGoesToEveryone(t *testing.T) {
	for _, frequency := range []string{``, `,"frequency":null`, `,"frequency":""`, `,"frequency": "" `} {
		for _, into := range []wire.Commanding{&wire.TriggerBroadcast{}, &wire.BroadcastRequest{}} {
			err := wire.Decode([]byte(`{"message":"Storm"`+frequency+`}`), into)
			if c, _ := into.Command(0); err != nil || c.(core.Broadcast).Frequency != 0 || c.(core.Broadcast).Message != "Storm" {
				t.Errorf("%T %s: %+v, %v", into, frequency, c, err)
			}
		}
	}
	checkRefusal(t, "a blank is no channel", wire.Decode([]byte(`{"message":"x","frequency":" "}`), &wire.BroadcastRequest{}), "Channel not found")
	checkRefusal(t, "a tone needs one", wire.Decode([]byte(`{"tone":"BEEP","frequency":""}`), &wire.ToneRequest{}), "Channel not found")
}

func TestFieldsAreFoundByTheirExactName(t *testing.T) {
	var body wire.ToneRequest
	checkRefusal(t, "capitals", wire.Decode([]byte(`{"Frequency":154.755,"tone":"x"}`), &body), "frequency is missing")
	if err := wire.Decode([]byte(`{"frequency":1,"tone":"x","frequency":154.755}`), &body); err != nil || body.Frequency.At != mhz("154.755") {
		t.Fatalf("the last of two fields: %v %v", body, err)
	}
}

func TestTextKeepsTheDigitsOfANumber(t *testing.T) {
	for given, want := range map[string]string{`"141"`: "141", `141`: "141", `0141`: "", `12345678901234567890`: "12345678901234567890",
		`1.50`: "1.5", `-7`: "-7", `1e3`: "1000", `null`: "", `"é\u0000"`: "é\x00"} {
		var got wire.Text
		err := json.Unmarshal([]byte(given), &got)
		if want == "" && given != "null" {
			if err == nil {
				t.Errorf("%s was taken as %q", given, got)
			}
		} else if err != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", given, got, err, want)
		}
	}
}

func TestIDsAreIntegersInAnySpelling(t *testing.T) {
	for given, want := range map[string]core.UserID{`5`: 5, `5.0`: 5, `"5"`: 5, `-1`: -1, `"-1"`: -1, `5e0`: 5, `2147483647`: 2147483647} {
		var got wire.ID
		if err := json.Unmarshal([]byte(given), &got); err != nil || got.User != want || !got.Given {
			t.Errorf("%s: %+v %v", given, got, err)
		}
	}
	for _, given := range []string{`5.5`, `"5.0"`, `""`, `" 5"`, `true`, `2147483648`, `"2147483648"`, `1e999`, `[5]`} {
		if json.Unmarshal([]byte(given), new(wire.ID)) == nil {
			t.Errorf("%s was taken", given)
		}
	}
}

func TestAliasesAreResolvedInEveryField(t *testing.T) {
	alias := func(id core.UserID) core.UserID {
		if id == -1 {
			return -4
		}
		return id
	}
	resolved := 0
	for _, route := range wire.Routes {
		if route.Body == nil {
			continue
		}
		body := reflect.New(reflect.TypeOf(route.Body))
		for i := range body.Elem().NumField() {
			id, ok := body.Elem().Field(i).Addr().Interface().(*wire.ID)
			if !ok {
				continue
			}
			resolved++
			for given, want := range map[core.UserID]core.UserID{-1: -4, -3: -3, 7: 7} {
				*id = wire.ID{User: given, Given: true}
				if err := wire.ResolveIDs(body.Interface(), alias); err != nil || id.User != want {
					t.Errorf("%s: %d became %d, %v", route.Path, given, id.User, err)
				}
			}
			*id = wire.ID{Given: true}
			checkRefusal(t, route.Path, wire.ResolveIDs(body.Interface(), alias), "must not be 0")
			*id = wire.ID{}
			if err := wire.ResolveIDs(body.Interface(), alias); err != nil || id.Given {
				t.Errorf("%s: nobody became %+v, %v", route.Path, *id, err)
			}
		}
	}
	if resolved < 7 {
		t.Fatalf("only %d id fields found", resolved)
	}
}

func TestWhatAGameServerSaysOfAPlayer(t *testing.T) {
	var body wire.PlayerConnect
	err := wire.Decode([]byte(`{"serverId":"12","name":"Ana","nacId":100,"unitId":"A-7","identifiers":["license:a"],
		"aces":{"connect":[460.25,"154.755",154.7550],"scan":true,"gps":false,"zones":[2,1,2],"dispatch":true,"nac":5}}`), &body)
	if err != nil {
		t.Fatal(err)
	}
	want := core.Facts{Name: "Ana", Nac: "100", Unit: "A-7", Identifiers: []string{"license:a"}, Given: core.Grants{
		Connect: core.Grant{Listed: true, Frequencies: []core.Frequency{mhz("154.755"), mhz("460.25")}}, Scan: core.Grant{All: true},
		Zones: core.ZoneGrant{Listed: true, Zones: []int{1, 2}}, Dispatch: true, Nac: "5"}}
	if got := body.Facts(); !reflect.DeepEqual(got, want) {
		t.Fatalf("facts %+v, want %+v", got, want)
	}
}

func TestAlertEntriesComeBackAsTheyWere(t *testing.T) {
	for _, entry := range []string{
		`{"name":"X"}`, `{"name":"X","tones":[],"extra":{"a":[1,2.50,"<"]},"isPersistent":null}`, `{"name":"X","tones":"BEEP"}`,
		`{"name":"X","tone":"BEEP","toneOnly":true}`, `{"id":"mine","name":"X","unknown":null,"name":"Y"}`,
	} {
		var a wire.Alert
		if err := json.Unmarshal([]byte(entry), &a); err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if got, err := a.MarshalJSON(); err != nil || string(got) != entry {
			t.Errorf("%s came back as %s, %v", entry, got, err)
		}
	}
}
