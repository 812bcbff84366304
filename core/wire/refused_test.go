package wire_test

import (
	"encoding/json"
	"errors"
	"testing"

	"squelch/core/wire"
)

func TestARefusalNamesTheFrequencyThatWasAskedFor(t *testing.T) {
	for _, c := range []struct{ event, payload, want string }{
		{"setSpeakerChannel", `"154.755"`, `"154.755"`},
		{"setSpeakerChannel", `154.755`, `"154.755"`},
		{"setSpeakerChannel", `null`, `null`},
		{"setSpeakerChannel", `"nowhere"`, `null`},
		{"setTalking", `{"state":true,"frequency":"154.755"}`, `"154.755"`},
		{"setTalking", `{"state":true,"frequency":154.7550}`, `"154.755"`},
		{"setTalking", `{"state":true}`, `null`},
		{"setTalking", `{"state":true,"frequency":"nowhere"}`, `null`},
		{"setTalking", `{"state":true,"frequency":[154.755]}`, `null`},
		{"setTalking", `true`, `null`},
		{"setTalking", `{"frequency":"154.755"`, `null`},
		{"connect", ``, `null`},
	} {
		b, err := json.Marshal(wire.RefusedOf(c.event, json.RawMessage(c.payload), errors.New("No access to 154.755")))
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"action":"` + c.event + `","frequency":` + c.want + `,"error":"No access to 154.755"}`; string(b) != want {
			t.Errorf("%s %s: %s, want %s", c.event, c.payload, b, want)
		}
	}
}
