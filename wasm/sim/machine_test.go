package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
)

func radio(t *testing.T) *Machine {
	t.Helper()
	in, err := json.Marshal(map[string]any{"start": wire.Start{Config: scenario.Standard()}, "transcript": true})
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{}
	if got := string(m.New(in)); got != `{"messages":[],"wake":0}` {
		t.Fatal(got)
	}
	return m
}

// TestKeyUpIsTold: a dispatcher and a unit are answered as the service would answer
// them.
func TestKeyUpIsTold(t *testing.T) {
	m := radio(t)
	for _, line := range []struct{ in, out string }{
		{`{"at":1000,"by":{"user":12},"event":"connect","payload":{"serverId":12,"name":"Adam"}}`, `"reply":{"serverId":12}`},
		{`{"at":1000,"by":{"user":-1},"event":"connect"}`, `"reply":{"serverId":-1}`},
		{`{"at":1000,"by":{"user":-1,"name":"second"},"event":"connect"}`, `{"to":{"users":[-2]},"name":"identity","payload":{"serverId":-2}}`},
		{`{"at":1000,"by":{"user":12},"event":"setSpeakerChannel","payload":"154.755"}`, `"name":"speakerJoined","payload":{"serverId":12`},
		{`{"at":2000,"by":{"user":12},"event":"setTalking","payload":true}`, `{"to":{"dispatchers":true,"users":[12]},"name":"talkingState","payload":{"serverId":12,"frequency":"154.755","state":true}}`},
		{`{"at":2000,"by":{"user":-1},"event":"setTalking","payload":{"state":true,"frequency":"154.755"}}`, `"name":"ptt:denied"`},
		{`{"at":2000,"by":{"user":-1},"event":"setSpeakerChannel","payload":"1.5"}`, `{"to":{"users":[-1]},"name":"refused","payload":{"action":"setSpeakerChannel","frequency":"1.5","error":"Channel not found"}}`},
		{`{"at":2000,"by":{"user":-1},"route":"POST /api/patch/create","payload":{"frequencies":["154.815",460.25]}}`, `"status":201`},
		{`{"at":2000,"by":{"user":-1},"route":"GET /radio/dispatch/status"}`, `"isTalking":true`},
	} {
		if got := string(m.Apply([]byte(line.in))); !strings.Contains(got, line.out) {
			t.Errorf("%s\nis answered %s\nwithout       %s", line.in, got, line.out)
		}
	}
	if got := string(m.Tick(62_000)); !strings.Contains(got, `"name":"talkingState","payload":{"serverId":12,"frequency":"154.755","state":false}`) {
		t.Errorf("the time-out timer did not end the talk: %s", got)
	}
}

// TestTheRouteTableIsTold: an answer says who hears whom when that changes, and when
// nobody does any more.
func TestTheRouteTableIsTold(t *testing.T) {
	m := radio(t)
	for _, line := range []string{
		`{"at":1000,"by":{"user":12},"event":"connect","payload":{"serverId":12}}`,
		`{"at":1000,"by":{"user":13},"event":"connect","payload":{"serverId":13}}`,
		`{"at":1000,"by":{"user":12},"event":"setSpeakerChannel","payload":"154.755"}`,
		`{"at":1000,"by":{"user":13},"event":"setSpeakerChannel","payload":"154.815"}`,
		`{"at":1000,"by":{"user":-1},"event":"connect"}`,
		`{"at":1000,"by":{"user":-1},"route":"POST /api/patch/create","payload":{"frequencies":["154.815","154.755"]}}`,
	} {
		if got := string(m.Apply([]byte(line))); strings.Contains(got, `"error"`) || strings.Contains(got, `"routes"`) {
			t.Fatalf("%s\\nis answered %s", line, got)
		}
	}
	for _, step := range []struct{ state, routes string }{
		{"true", `"routes":[{"talker":12,"frequency":"154.755","digital":false,"legs":[{"user":13,"frequency":"154.815","receiveType":"speaker","patchId":"p-1"}]}]`},
		{"false", `"routes":[],"wake"`},
	} {
		if got := string(m.Apply([]byte(`{"at":2000,"by":{"user":12},"event":"setTalking","payload":` + step.state + `}`))); !strings.Contains(got, step.routes) {
			t.Errorf("setTalking %s\\nis answered %s\\nwithout       %s", step.state, got, step.routes)
		}
	}
}

// TestASnapshotGoesOn: a radio made from another's snapshot is the same radio.
func TestASnapshotGoesOn(t *testing.T) {
	m := radio(t)
	m.Command([]byte(`{"at":1000,"by":{"user":5,"surface":"socketio"},"command":"Connect","args":{"Want":5}}`))
	m.Command([]byte(`{"at":2000,"by":{"user":5,"surface":"socketio"},"command":"JoinAsSpeaker","args":{"User":5,"Frequency":"154.755"}}`))
	var twin Machine
	twin.New([]byte(`{"start":` + string(m.Snapshot()) + `}`))
	var a, b Hashes
	if json.Unmarshal(m.Hash(), &a) != nil || json.Unmarshal(twin.Hash(), &b) != nil {
		t.Fatal("no hashes")
	}
	if len(a.Transcript) != 64 || b.Transcript != "" || a.State != b.State || a.Config != b.Config {
		t.Fatalf("%+v\n%+v", a, b)
	}
	more := []byte(`{"at":3000,"by":{"user":5,"surface":"socketio"},"command":"KeyUp","args":{"User":5}}`)
	if x, y := string(m.Command(more)), string(twin.Command(more)); x != y || !strings.Contains(x, "talkingState") {
		t.Fatalf("%s\n%s", x, y)
	}
	var c Hashes
	if json.Unmarshal(m.Hash(), &c) != nil || c.State == a.State || c.Transcript == a.Transcript || c.Config != a.Config {
		t.Fatalf("%+v after %+v", c, a)
	}
}

// TestNonsenseIsAnswered: no bytes make a machine panic, and before New there is
// no radio.
func TestNonsenseIsAnswered(t *testing.T) {
	for name, out := range map[string][]byte{"apply": new(Machine).Apply([]byte(`{}`)), "hash": new(Machine).Hash(),
		"snapshot": new(Machine).Snapshot(), "tick": new(Machine).Tick(1)} {
		if !strings.Contains(string(out), errNoRadio.Error()) {
			t.Errorf("%s without a radio: %s", name, out)
		}
	}
	m := radio(t)
	for _, c := range []struct {
		call     func([]byte) []byte
		in, says string
	}{
		{m.Apply, ``, "not understood"},
		{m.Apply, `[]`, "not understood"},
		{m.Apply, `{"at":-1}`, "at must be a time"},
		{m.Apply, `{"at":1,"route":7}`, "not understood"},
		{m.Apply, `{"at":1,"event":"connect","payload":[]}`, "must be a JSON object"},
		{m.Command, ``, "not understood"},
		{m.Command, `{"at":1e99}`, "at must not be a number"},
		{m.Command, `{"at":1,"command":"Explode"}`, "Unknown command Explode"},
		{m.View, `{"kind":"secrets"}`, "kind must be"},
		{m.View, `7`, "not understood"},
		{m.New, ``, "not understood"},
		{m.New, `{"start":5}`, "cannot unmarshal number"},
		{m.New, `{"start":{"config":{"zones":[{"channels":[{}]}]}}}`, "zones[1].channels[1].frequency"},
	} {
		var a Answer
		out := c.call([]byte(c.in))
		if err := json.Unmarshal(out, &a); err != nil || a.Error == nil || !strings.Contains(a.Error.Message, c.says) {
			t.Errorf("%q is answered %s, want %q", c.in, out, c.says)
		}
	}
	for _, now := range []float64{-1, 0.5, 1e300} {
		if out := string(radio(t).Tick(now)); !strings.Contains(out, `"field":"at"`) {
			t.Errorf("tick %g: %s", now, out)
		}
	}
}

// FuzzMachine throws bytes at every call.
func FuzzMachine(f *testing.F) {
	f.Add([]byte(`{"at":1,"by":{"user":-1},"event":"connect"}`), []byte(`{"at":1,"by":{"user":-1},"command":"Connect","args":{"Want":-1}}`))
	f.Add([]byte(`{"at":1,"route":"POST /api/patch/create","payload":{}}`), []byte(`{"kind":"player","user":3}`))
	for _, r := range wire.Routes {
		f.Add([]byte(`{"at":1,"route":"`+r.Method+" "+r.Path+`"}`), []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		radio, err := New(wire.Start{Config: scenario.Standard()}, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &Machine{radio: radio}
		radio.Do(wire.Order{At: 1, By: core.Actor{User: -1}, Command: core.Connect{Want: -1}})
		for _, out := range [][]byte{m.Apply(a), m.Command(b), m.View(b), m.Snapshot(), m.Hash(), m.New(b)} {
			if !json.Valid(out) {
				t.Fatalf("no JSON: %s", out)
			}
		}
	})
}
