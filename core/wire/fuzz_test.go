package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

// refusalOf fails the test unless err is a refusal that clients may see.
func refusalOf(t *testing.T, err error) {
	t.Helper()
	var refusal *core.Error
	if !errors.As(err, &refusal) || refusal.Message == "" || (refusal.Kind != core.Invalid && refusal.Kind != core.NotFound) {
		t.Fatalf("error %#v is no refusal for a client", err)
	}
}

// FuzzDecodeEvent sends any bytes as any event. A command that decodes is run on a
// radio: nothing panics, and a refused command changes nothing.
func FuzzDecodeEvent(f *testing.F) {
	for _, h := range heardEvents {
		f.Add(h.event, []byte(h.payload))
	}
	radio, err := core.New(countyConfig())
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range shift[:endOfFirstHalf()] {
		if _, err := radio.Step(start, e.by, e.cmd); err != nil {
			f.Fatal(err)
		}
	}
	memory := radio.Snapshot()
	f.Fuzz(func(t *testing.T, event string, payload []byte) {
		cmd, err := wire.DecodeEvent(event, me, payload)
		if err != nil {
			refusalOf(t, err)
			return
		}
		s, err := core.Restore(countyConfig(), memory)
		if err != nil {
			t.Fatal(err)
		}
		before := s.Snapshot()
		out, err := s.Step(start, core.Actor{User: me, Surface: core.BySocket}, cmd)
		if err != nil && !reflect.DeepEqual(before, s.Snapshot()) {
			t.Fatalf("%s %s was refused (%v) and changed the radio", event, payload, err)
		}
		for _, e := range out.Events {
			for _, m := range wire.Encode(e, s.View()) {
				if _, err := json.Marshal(m.Payload); err != nil {
					t.Fatalf("%s %s: %s cannot be told: %v", event, payload, m.Name, err)
				}
			}
		}
	})
}

// bodies are the zero values of all request bodies, one of each type.
func bodies() (all []any) {
	var seen []reflect.Type
	for _, r := range wire.Routes {
		if shape := reflect.TypeOf(r.Body); r.Body != nil && !slices.Contains(seen, shape) {
			seen, all = append(seen, shape), append(all, r.Body)
		}
	}
	return all
}

// FuzzBodies reads any bytes as any request body.
func FuzzBodies(f *testing.F) {
	for _, text := range []string{`{}`, `{"frequency":154.755,"tone":"BEEP","message":"x","serverId":7,"userId":-1,"enabled":true,"callsign":"A","id":"p-1"}`,
		`{"frequencies":["154.755",460.25,null],"label":"x"}`, `{"alertConfig":{"name":"X","tones":{"activate":"A"}},"frequency":"154.755"}`,
		`{"positions":[{"serverId":7,"x":1e308,"y":-1,"z":0}]}`, `{"serverId":1,"name":"A","aces":{"connect":[1],"zones":true}}`,
		`{"positions":[[7,1.5,2,3]]}`, `[[7,1,2,3]]`, `{"requests":[{"id":"1","do":"refreshPlayerInfo"}]}`, `{"players":[{"serverId":7,"name":"A","access":false}]}`,
		`{"nacId":4711,"callsign":"x"}`, `[`, `null`, "\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, zero := range bodies() {
			body := reflect.New(reflect.TypeOf(zero)).Interface()
			if err := wire.Decode(data, body); err != nil {
				refusalOf(t, err)
				continue
			}
			if err := wire.ResolveIDs(body, func(id core.UserID) core.UserID { return id }); err != nil {
				refusalOf(t, err)
			}
			if c, ok := body.(wire.Commanding); ok {
				if cmd, err := c.Command(-1); err != nil {
					refusalOf(t, err)
				} else if cmd == nil {
					t.Fatalf("%T %s made no command", body, data)
				}
			}
			if p, ok := body.(*wire.PlayerConnect); ok {
				_ = p.Facts()
			}
		}
	})
}

// FuzzShapes reads any bytes as the payloads and parts that adapters decode on
// their own.
func FuzzShapes(f *testing.F) {
	for _, text := range []string{`{"data":"AAEC","frequency":154.755}`, `{"authToken":5,"sessionId":"x","serverId":-1}`, `true`, `"154.755"`, `154.75499999999998`, `[1,"2"]`,
		`{"name":"X","tones":[]}`, `{"sdp":"v=0"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, into := range []any{new(wire.ClientVoice), new(wire.Handshake), new(wire.WebRTCOffer)} {
			if err := wire.Decode(data, into); err != nil {
				refusalOf(t, err)
			}
		}
		var frequency wire.Frequency
		if json.Unmarshal(data, &frequency) == nil && frequency.Given {
			var again wire.Frequency
			text, err := json.Marshal(frequency)
			if err != nil || json.Unmarshal(text, &again) != nil || again != frequency {
				t.Fatalf("%s is %s, and that is %v", data, text, again)
			}
		}
		var alert wire.Alert
		if json.Unmarshal(data, &alert) == nil {
			var again wire.Alert
			text, err := json.Marshal(alert)
			if err != nil || json.Unmarshal(text, &again) != nil || math.IsNaN(alert.RepeatInterval) {
				t.Fatalf("%s is %s, %v", data, text, err)
			}
		}
		_ = json.Unmarshal(data, new(wire.ID))
		_ = json.Unmarshal(data, new(wire.Text))
		_ = json.Unmarshal(data, new(wire.SetTalking))
		_ = json.Unmarshal(data, new(wire.Grant))
		_ = json.Unmarshal(data, new(wire.ZoneGrant))
	})
}
