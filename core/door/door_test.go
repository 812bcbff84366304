package door_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/scenario"
	"squelch/core/wire"
)

// radio is a radio with its front door and nothing else around it.
type radio struct {
	t     *testing.T
	state *core.State
	door  door.Door
}

func newRadio(t *testing.T) *radio {
	state, err := core.New(scenario.Standard())
	if err != nil {
		t.Fatal(err)
	}
	return &radio{t: t, state: state}
}

func (r *radio) look(read func(core.View)) error {
	read(r.state.View())
	return nil
}

// ask makes a request, has its command applied, and gives the answer.
func (r *radio) ask(q door.Request) door.Answer {
	r.t.Helper()
	step, err := r.door.Ask(r.look, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.apply(step)
}

func (r *radio) apply(step door.Step) door.Answer {
	var out core.Output
	var err error
	if step.Command != nil {
		out, err = r.state.Step(time.UnixMilli(1000), step.By, step.Command)
	}
	return step.Answer(out, err)
}

// desk connects a dispatcher of a login.
func (r *radio) desk(login string) door.Caller {
	r.t.Helper()
	by := door.Caller{Kind: door.Session, Owner: login, Name: login}
	step := door.Connect(by, -1, 0, door.Facts(by, -1))
	out, err := r.state.Step(time.UnixMilli(1000), step.By, step.Command)
	if err != nil {
		r.t.Fatal(err)
	}
	by.User, _, _ = door.Given(out, -1, 0)
	return by
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEveryRouteIsDecided: every route of the list is a job, reads the radio, or
// refuses an empty body; none falls through.
func TestEveryRouteIsDecided(t *testing.T) {
	r := newRadio(t)
	for _, route := range wire.Routes {
		by := door.Caller{Kind: door.Session, Owner: "ana"}
		if route.Auth == wire.Master {
			by = door.Caller{Kind: door.Master}
		}
		step, err := r.door.Ask(r.look, door.Request{By: by, Route: route.Method + " " + route.Path, Payload: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		answer := step.Answer(core.Output{}, nil)
		reads, missing := route.Body == nil && answer.Status == route.Status && answer.Body != nil, answer.Status == 400
		if step.Job == "" && !reads && !missing {
			t.Errorf("%s %s: job %q, answer %+v", route.Method, route.Path, step.Job, answer)
		}
		if route.Body != nil && !missing {
			t.Errorf("%s %s takes an empty body: %+v", route.Method, route.Path, answer)
		}
	}
}

// TestWhoMayUseARoute: a route admits the credentials that it asks for, and no
// others.
func TestWhoMayUseARoute(t *testing.T) {
	r := newRadio(t)
	key := func(scopes ...string) door.Caller {
		return door.Caller{Kind: door.Key, Owner: "key cad", Name: "cad", Scopes: wire.ScopeSetOf(scopes...)}
	}
	for _, c := range []struct {
		by     door.Caller
		route  string
		status int
	}{
		{door.Caller{Kind: door.Nobody}, "GET /api/health", 200},
		{door.Caller{Kind: door.Nobody}, "GET /api/patches", 401},
		{door.Caller{Kind: door.Player, User: 12}, "GET /api/patches", 401},
		{door.Caller{Kind: door.Master}, "GET /api/patches", 401},
		{door.Caller{Kind: door.Session, Owner: "ana"}, "GET /api/patches", 200},
		{door.Caller{Kind: door.Session, Owner: "ana"}, "HEAD /api/patches", 200},
		{door.Caller{Kind: door.Session, Owner: "ana"}, "POST /api/patches", 405},
		{door.Caller{Kind: door.Session, Owner: "ana"}, "GET /api/nothing", 404},
		{door.Caller{Kind: door.Session, Owner: "ana"}, "POST /api/player/drop", 401},
		{door.Caller{Kind: door.Master}, "POST /api/player/drop", 400},
		{key("read"), "GET /api/patches", 200},
		{key("talk"), "GET /api/patches", 403},
		{key("game"), "POST /api/player/drop", 400},
		{key("read"), "POST /radio/dispatch/logout", 403},
	} {
		if a := r.ask(door.Request{By: c.by, Route: c.route, Payload: json.RawMessage(`{}`)}); a.Status != c.status {
			t.Errorf("%s asks %s: %d (%v), want %d", c.by.Kind, c.route, a.Status, a.Err, c.status)
		}
	}
}

// TestTheConfigurationSaysWhatIsRecorded: only those channels, in both spellings of the
// list, that the service records.
func TestTheConfigurationSaysWhatIsRecorded(t *testing.T) {
	r := newRadio(t)
	first := r.state.View().Config().Zones[0].Channels[0].Frequency
	for _, recorded := range []func(core.Frequency) bool{nil, func(f core.Frequency) bool { return f == first }} {
		r.door.Host.Recorded = recorded
		body := r.ask(door.Request{By: door.Caller{Kind: door.Session, Owner: "ana"}, Route: "GET /radio/dispatch/config"}).Body
		if n, want := strings.Count(text(t, body), `"recorded":true`), 2; recorded == nil && n != 0 || recorded != nil && n != want {
			t.Errorf("%d channels are recorded, want %d if one is", n, want)
		}
	}
}

// TestTheFirstDispatcherIsMeant: update-callsign without userId is for the caller's
// own dispatcher, or for the one nearest to -1.
func TestTheFirstDispatcherIsMeant(t *testing.T) {
	r := newRadio(t)
	ana, ben := r.desk("ana"), r.desk("ben")
	if ana.User != -1 || ben.User != -2 {
		t.Fatalf("ana has %s, ben %s", ana.User, ben.User)
	}
	call := func(by door.Caller, callsign string) {
		t.Helper()
		body := json.RawMessage(`{"callsign":"` + callsign + `"}`)
		if a := r.ask(door.Request{By: by, Route: "POST /dispatch/user/update-callsign", Payload: body}); a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	call(door.Caller{Kind: door.Session, Owner: "ben"}, "Desk-2")
	call(door.Caller{Kind: door.Session, Owner: "somebody off the air"}, "Desk-1")
	for id, want := range map[core.UserID]string{-1: "Desk-1", -2: "Desk-2"} {
		if u, _ := r.state.View().User(id); u.Callsign != want {
			t.Errorf("%s is called %q, want %q", id, u.Callsign, want)
		}
	}
}

// TestAnIdIsWhatItsLoginMeans: ben asked for -1 and was given -2, so his -1 is -2.
func TestAnIdIsWhatItsLoginMeans(t *testing.T) {
	r := newRadio(t)
	r.desk("ana")
	r.desk("ben")
	body := json.RawMessage(`{"userId":-1,"callsign":"Desk-2"}`)
	a := r.ask(door.Request{By: door.Caller{Kind: door.Session, Owner: "ben"}, Route: "POST /dispatch/user/update-callsign", Payload: body})
	if u, _ := r.state.View().User(-2); a.Err != nil || u.Callsign != "Desk-2" {
		t.Errorf("%v, -2 is called %q", a.Err, u.Callsign)
	}
}

// TestWhatAnEventIsAnswered: acks, messages beside them, and what is counted as
// wrong.
func TestWhatAnEventIsAnswered(t *testing.T) {
	r := newRadio(t)
	ana := r.desk("ana")
	bot := ana
	bot.Kind, bot.Scopes = door.Key, wire.ScopeSetOf("read")
	for _, c := range []struct {
		by             door.Caller
		event, payload string
		ack, told      string
		wrong          bool
	}{
		{ana, "setSpeakerChannel", `"154.755"`, `{"success":true}`, ``, false},
		{ana, "setSpeakerChannel", `"1.5"`, `{"success":false,"error":"Channel not found"}`, "refused", false},
		{ana, "setSpeakerChannel", `[]`, `{"success":false,"error":"frequency must be a frequency (decimal string or number)"}`, ``, true},
		{ana, "heartbeat", `5`, `{"success":true}`, "heartbeat_response", false},
		{ana, "setVoiceEncoding", `"mp3"`, `{"success":false,"error":"encoding must be \"opus\" or \"imbe\""}`, ``, true},
		{ana, "setVoiceEncoding", `"imbe"`, `{"success":true}`, ``, false},
		{ana, "voice", `{"data":7}`, `{"success":false,"error":"data must be a string"}`, ``, true},
		{ana, "voice", `{"data":""}`, `{"success":false,"error":"data must be base64 text of 1 to 65536 bytes"}`, ``, true},
		{bot, "voice", `{"data":"AA=="}`, `{"success":false,"error":"This API key lacks the scope \"talk\""}`, ``, false},
		{bot, "setTalking", `true`, `{"success":false,"error":"This API key lacks the scope \"talk\""}`, "refused", false},
		{bot, "setDispatchSession", `"another"`, `{"success":true}`, ``, false},
		{ana, "selfDestruct", `1`, `null`, ``, false},
	} {
		a := r.ask(door.Request{At: 1000, By: c.by, Event: c.event, Payload: json.RawMessage(c.payload)})
		var told []string
		for _, m := range a.Messages {
			told = append(told, m.Name)
			if !m.To.Includes(c.by.User) {
				t.Errorf("%s: %s goes to %s", c.event, m.Name, m.To)
			}
		}
		if got := text(t, a.Body); got != c.ack || strings.Join(told, " ") != c.told || a.Wrong != c.wrong {
			t.Errorf("%s %s: ack %s, told %q, wrong %v", c.event, c.payload, got, told, a.Wrong)
		}
	}
}

// TestWhichIdAHandshakeMeans: a player gets its own id, a dispatcher a negative one.
func TestWhichIdAHandshakeMeans(t *testing.T) {
	given := func(id core.UserID) wire.ID { return wire.ID{User: id, Given: true} }
	player, session := door.Caller{Kind: door.Player, User: 12}, door.Caller{Kind: door.Session, Owner: "ana"}
	for _, c := range []struct {
		by   door.Caller
		asks wire.ID
		want core.UserID
		code string
	}{
		{session, wire.ID{}, -1, ""}, {session, given(-7), -7, ""}, {session, given(7), 0, "bad_id"}, {session, given(0), 0, "bad_id"},
		{player, wire.ID{}, 12, ""}, {player, given(12), 12, ""}, {player, given(13), 0, "bad_id"}, {player, given(-1), 0, "bad_id"},
		{door.Caller{Kind: door.Nobody}, wire.ID{}, 0, "bad_token"},
		{door.Caller{Kind: door.Key, Scopes: wire.ScopeSetOf("dispatch")}, wire.ID{}, 0, "bad_scope"},
		{door.Caller{Kind: door.Key, Scopes: wire.ScopeSetOf("read")}, wire.ID{}, -1, ""},
		{door.Caller{Kind: door.Master}, wire.ID{}, -1, ""},
	} {
		id, refusal := door.Handshake(c.by, c.asks)
		code := ""
		if refusal != nil {
			code = refusal.Code
		}
		if id != c.want || code != c.code {
			t.Errorf("%s asks for %+v: %s %q, want %s %q", c.by.Kind, c.asks, id, code, c.want, c.code)
		}
	}
}

// TestWhoIsToldItsId: only a client whose id is not the one that it asked for.
func TestWhoIsToldItsId(t *testing.T) {
	r := newRadio(t)
	for _, login := range []string{"ana", "ben"} {
		by := door.Caller{Kind: door.Session, Owner: login}
		step := door.Connect(by, -1, 0, core.Facts{})
		out, err := r.state.Step(time.UnixMilli(1000), step.By, step.Command)
		if err != nil {
			t.Fatal(err)
		}
		id, first, ok := door.Given(out, -1, 0)
		if told := len(first) > 0; !ok || told != (id != -1) {
			t.Errorf("%s has %s and is told %v", login, id, first)
		}
	}
}

// TestAFrameIsForItsChannel: a player's frame is for the floor that the player holds,
// whatever it names, a dispatcher's for the channel that it names.
func TestAFrameIsForItsChannel(t *testing.T) {
	named := wire.Frequency{At: 460_250, Given: true}
	for _, c := range []struct {
		by    door.Kind
		named wire.Frequency
		want  core.Frequency
	}{
		{door.Player, named, 0}, {door.Player, wire.Frequency{}, 0},
		{door.Session, named, 460_250}, {door.Session, wire.Frequency{}, 154_755},
	} {
		if got := door.Keyed(c.by, 154_755, c.named); got != c.want {
			t.Errorf("%s, tuned to 154.755, names %+v: %s", c.by, c.named, got)
		}
	}
}

// FuzzAsk: no request makes the front door fail, and a refusal has a status and a
// text.
func FuzzAsk(f *testing.F) {
	names := []string{"GET /nowhere", "POST /radio/tones/a/b", "connect"}
	for _, route := range wire.Routes {
		names = append(names, route.Method+" "+route.Path)
	}
	events := reflect.TypeFor[wire.ClientEvents]()
	for i := range events.NumField() {
		names = append(names, events.Field(i).Tag.Get("event"))
	}
	for i := range names {
		f.Add(uint16(i), byte(i), []byte(`{"serverId":-1,"frequency":"154.755","enabled":true,"state":true}`))
	}
	kinds := []door.Kind{door.Nobody, door.Session, door.Key, door.Player, door.Master}
	for _, s := range []struct {
		name    string
		kind    door.Kind
		payload string
	}{
		{"serverEvent", door.Player, `{"name":"radio:sendCallsign","args":["A-12"]}`},
		{"serverEvent", door.Player, `{"name":"radio:sendCallsign","args":[{"callsign":"A-12"}]}`},
		{"serverEvent", door.Player, `{"name":"roster:open","args":[null,{"on":true}]}`},
		{"toneFile", door.Player, `{"name":"BEEP","offset":16384}`},
		{"POST /api/game/positions", door.Master, `[[12,1.5,2,3]]`},
		{"POST /api/game/players", door.Master, `{"players":[{"serverId":12,"name":"Ana","access":true,"callbackNac":"100"}],"replace":true}`},
		{"POST /api/game/do", door.Master, `{"requests":[{"id":"1","do":"setCallsign","serverId":12,"callsign":"A-12"}]}`},
		{"POST /api/game/webrtc", door.Master, `{"serverId":12,"sdp":"v=0"}`},
	} {
		f.Add(uint16(slices.Index(names, s.name)), byte(slices.Index(kinds, s.kind)), []byte(s.payload))
	}
	f.Fuzz(func(t *testing.T, name uint16, kind byte, payload []byte) {
		r := newRadio(t)
		r.desk("ana")
		q := door.Request{By: door.Caller{Kind: kinds[int(kind)%len(kinds)], Owner: "ana", User: -1, Scopes: wire.ScopeSet(kind)}, Payload: payload}
		if q.By.Kind == door.Player {
			q.By.User = 12
		}
		if n := names[int(name)%len(names)]; strings.Contains(n, " ") {
			q.Route = n
		} else {
			q.Event = n
		}
		a := r.ask(q)
		if a.Err != nil && (a.Err.Error() == "" || q.Route != "" && !slices.Contains([]int{400, 401, 403, 404, 405, 409, 503}, a.Status)) {
			t.Fatalf("%s%s %q: %d %q", q.Route, q.Event, payload, a.Status, a.Err)
		}
		_ = text(t, a.Body)
	})
}

// The reply names the emergency that was asked for, also if another one ends by its
// timeout in the same step; by REST and as an ack it is the same.
func TestWhoTendsToAnEmergencyIsAnsweredItsRecord(t *testing.T) {
	r := newRadio(t)
	desk := r.desk("one")
	do := func(at int64, by core.UserID, c core.Command) {
		t.Helper()
		if _, err := r.state.Step(time.UnixMilli(at), core.Actor{User: by, Surface: core.BySocket}, c); err != nil {
			t.Fatal(err)
		}
	}
	north := core.Frequency(154_755_000)
	for id := core.UserID(12); id <= 13; id++ {
		do(1000, id, core.Connect{Want: id})
		do(1000, id, core.JoinAsSpeaker{User: id, Frequency: north})
	}
	do(1000, 12, core.SetPanic{User: 12, Enabled: true})
	do(2000, 13, core.SetPanic{User: 13, Enabled: true})
	answer := func(at int64, q door.Request) door.Answer {
		t.Helper()
		step, err := r.door.Ask(r.look, q)
		if err != nil {
			t.Fatal(err)
		}
		return step.Answer(r.state.Step(time.UnixMilli(at), step.By, step.Command))
	}
	limit := r.state.View().Config().PanicTimeout
	ack := answer(1000+limit, door.Request{By: desk, Event: "acknowledgeEmergency", Payload: json.RawMessage(`{"id":"e-2"}`)})
	if got := text(t, ack.Body); !strings.Contains(got, `"success":true,"emergency":{"id":"e-2"`) || !strings.Contains(got, `"ackBy":"one"`) || !strings.Contains(got, `"endedAt":null`) {
		t.Error(got)
	}
	again := answer(1000+limit, door.Request{By: desk, Route: "POST /radio/dispatch/emergency/acknowledge", Payload: json.RawMessage(`{"id":"e-2"}`)})
	if again.Status != 200 || text(t, again.Body) != text(t, ack.Body) {
		t.Errorf("%d %s", again.Status, text(t, again.Body))
	}
	first := answer(1000+limit, door.Request{By: desk, Route: "POST /radio/dispatch/emergency/acknowledge", Payload: json.RawMessage(`{"id":"e-1"}`)})
	if got := text(t, first.Body); !strings.Contains(got, `"endedBy":"timeout"`) || !strings.Contains(got, `"reason":"acknowledged"`) {
		t.Error(got)
	}
	late := answer(1000+limit, door.Request{By: desk, Route: "POST /radio/dispatch/emergency/close", Payload: json.RawMessage(`{"id":"e-1","reason":"test"}`)})
	if late.Status != 404 || text(t, late.Body) != `{"success":false,"error":"Emergency not found"}` {
		t.Errorf("%d %s", late.Status, text(t, late.Body))
	}
}
