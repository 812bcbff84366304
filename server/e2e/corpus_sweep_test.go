package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"squelch/core/wire"
)

// A sweep tries everything as everybody: each route by each kind of caller, and each
// event with payloads of every shape. The answers are not written down; the service
// and core.wasm must agree. New routes and events are included by themselves.

// shapes are what a client may send instead of anything else.
var shapes = []string{`null`, `true`, `7`, `-1`, `1.5`, `""`, `"text"`, `"154.755"`, `[]`, `[null]`, `{}`}

// sweepStory has a caller of each kind. Nothing in it ends by itself.
func sweepStory(title, file string) *corpusStory {
	s := &corpusStory{Title: title, file: file, sweep: true,
		Lua: []string{"Config.talkLease = 3600000", "Config.timeoutTimer = 0", "Config.limits.failedLogins = 1000000"},
		Callers: map[string]*corpusCaller{
			"ana": {Login: "Ana"}, "bea": {Login: "Bea"}, "unit": {Player: 7}, "game": {Master: true}, "nobody": {}, "stranger": {Token: "not-a-token"},
			"reader": {Key: []wire.Scope{wire.ScopeRead}}, "talker": {Key: []wire.Scope{wire.ScopeTalk}},
			"cad": {Key: []wire.Scope{wire.ScopeRead, wire.ScopeDispatch}}, "fivem": {Key: []wire.Scope{wire.ScopeGame}},
		},
		Steps: []*corpusStep{
			{By: "game", Route: "POST /api/player/connect", Payload: json.RawMessage(`{"serverId":7,"name":"Unit 7","nacId":"PD"}`)},
			{By: "ana", Connect: json.RawMessage(`{"serverId":-1}`)},
			{By: "bea", Connect: json.RawMessage(`{"serverId":-2}`)},
			{By: "unit", Connect: json.RawMessage(`{}`)},
			{By: "bea", Event: "addListeningChannel", Payload: json.RawMessage(`"154.810"`)},
			{By: "unit", Event: "setSpeakerChannel", Payload: json.RawMessage(`"154.755"`)},
		}}
	for name, c := range s.Callers {
		c.name = name
	}
	return s
}

// routeSweep calls each route as each caller with a good body, and then as an allowed
// one with bodies of every shape and with every field in every shape.
func routeSweep(t *testing.T) *corpusStory {
	s := sweepStory("Every route", "sweep-routes")
	samples := requestSamples(t)
	for _, r := range corpusRoutes {
		name := r.Method + " " + r.Path
		sample := samples[name]
		if r.Body != nil && sample == nil {
			t.Fatalf("requests.jsonl has no sample of %s", name)
		}
		for _, c := range s.sorted() {
			if c.kind() == "session" && name == "POST /radio/dispatch/logout" {
				continue // nobody would be left to ask
			}
			s.ask(c.name, name, sample)
			if r.Method == http.MethodGet {
				s.ask(c.name, "HEAD "+r.Path, nil)
			}
		}
		if r.Body == nil {
			continue
		}
		by := map[wire.Auth]string{wire.Public: "nobody", wire.Session: "ana", wire.TokenOnly: "ana", wire.Master: "game"}[r.Auth]
		for _, shape := range shapes {
			s.ask(by, name, json.RawMessage(shape))
		}
		for _, text := range []string{"", " ", "{", "nonsense", "{}{}"} {
			s.add(&corpusStep{By: by, Route: name, Raw: &text})
		}
		for _, body := range eachField(t, reflect.TypeOf(r.Body), sample) {
			s.ask(by, name, body)
		}
	}
	return s
}

func (s *corpusStory) ask(by, route string, body json.RawMessage) {
	s.add(&corpusStep{By: by, Route: route, Payload: body})
}

// add adds a step. Those that the game server may do, and only the service can, come
// last in the list of routes, so that the two radios are alike until then.
func (s *corpusStory) add(step *corpusStep) {
	step.ServiceOnly = onlyTheServiceCan[routeOf(step.Route)] != "" && (step.By == "game" || step.By == "fivem")
	s.Steps = append(s.Steps, step)
}

// eventSweep sends each event with payloads of every shape, and with every field
// in every shape.
func eventSweep(t *testing.T) *corpusStory {
	s := sweepStory("Every event", "sweep-events")
	for _, name := range []string{"reader", "talker", "cad"} {
		s.Steps = append(s.Steps, &corpusStep{By: name, Connect: json.RawMessage(`{}`)})
	}
	events := reflect.TypeFor[wire.ClientEvents]()
	for i := range events.NumField() {
		field := events.Field(i)
		name := field.Tag.Get("event")
		for _, by := range []string{"ana", "unit", "reader", "talker", "cad"} {
			for _, shape := range append([]string{""}, shapes...) {
				s.send(by, name, shape)
			}
		}
		sample := eventSamples[name]
		if field.Type.Kind() != reflect.Struct || sample == "" {
			continue
		}
		for _, by := range []string{"ana", "unit"} {
			s.send(by, name, sample)
			for _, payload := range eachField(t, field.Type, json.RawMessage(sample)) {
				s.send(by, name, string(payload))
			}
		}
	}
	return s
}

// eventSamples are payloads of the events that carry an object.
var eventSamples = map[string]string{
	"updateUserInfo":       `{"name":"Ana","nacId":"PD"}`,
	"setCallsign":          `{"callsign":"2-ADAM-7"}`,
	"setTalking":           `{"state":true,"frequency":"154.755","override":false}`,
	"voice":                `{"data":"AAAA","encoding":"opus","frequency":"154.755"}`,
	"panic":                `{"frequency":"154.755","enabled":true}`,
	"acknowledgePanic":     `{"serverId":7,"frequency":"154.755"}`,
	"acknowledgeEmergency": `{"id":"e-1"}`,
	"closeEmergency":       `{"id":"e-1","reason":"resolved","note":"Back in service"}`,
	"triggerAlert":         `{"frequency":"154.755","enabled":true,"alertType":"Ping"}`,
	"radioState":           `{"power":true,"open":true,"focused":true,"volumes":{"voice":0.5,"tone":0.5,"audio3d":0.5},"layout":"handheld","theme":"dark","animationId":"1","earbuds":true,"battery":50,"signal":0.5,"gps":true}`,
	"armAnnouncementGroup": `{"groupId":"law"}`,
	"webrtc:offer":         `{"sdp":"v=0"}`,
	"webrtc:report":        `{"slots":[{"mid":"1","received":1,"lost":0,"concealed":0,"events":0}]}`,
	"toneFile":             `{"name":"ALERT_A","offset":0}`,
	"loopback":             `{"enabled":true}`,
	"serverEvent":          `{"name":"radio:sendCallsign","args":["2-ADAM-7"]}`,
}

// send adds an event, unless only the service can answer it: one that names a session
// or a sound file or carries an offer, or a frame, which the media plane answers later.
func (s *corpusStory) send(by, event, payload string) {
	switch event {
	case "setDispatchSession":
		if payload == "" || payload == "null" || payload[0] == '"' {
			return
		}
	case "webrtc:offer":
		if strings.Contains(payload, `"sdp":"`) {
			return
		}
	case "webrtc:report":
		if strings.Contains(payload, `"slots":[`) {
			return
		}
	case "toneFile":
		if strings.Contains(payload, `"name":"ALERT_A"`) {
			return
		}
	case "voice":
		if strings.Contains(payload, `"data":"`) {
			return
		}
	}
	step := &corpusStep{By: by, Event: event}
	if payload != "" {
		step.Payload = json.RawMessage(payload)
	}
	s.Steps = append(s.Steps, step)
}

// eachField varies an object: each field of its type is left out, and given each
// shape.
func eachField(t *testing.T, shape reflect.Type, sample json.RawMessage) (all []json.RawMessage) {
	t.Helper()
	for i := range shape.NumField() {
		name, _, _ := strings.Cut(shape.Field(i).Tag.Get("json"), ",")
		for _, value := range append([]string{""}, shapes...) {
			fields := map[string]json.RawMessage{}
			if err := json.Unmarshal(sample, &fields); err != nil {
				t.Fatal(err)
			}
			delete(fields, name)
			if value != "" {
				fields[name] = json.RawMessage(value)
			}
			body, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, body)
		}
	}
	return all
}

// requestSamples are the good bodies of core/wire's tests, by route.
func requestSamples(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "core", "wire", "testdata", "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]json.RawMessage{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var sample struct {
			Route string
			Body  json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &sample); err != nil {
			t.Fatal(err)
		}
		all[sample.Route] = sample.Body
	}
	return all
}
