package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"squelch/core/wire"
)

// TestAClientReadsEveryChange: a change that the service writes is the same after a client
// has read it; one of an unknown type is an error.
func TestAClientReadsEveryChange(t *testing.T) {
	sent := wire.GameChanges{Epoch: "e", Next: 9}
	for i, like := range wire.ChangeTypes {
		sent.Changes = append(sent.Changes, like.Numbered(uint64(i+1)))
	}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.GameChanges
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Changes) != len(wire.ChangeTypes) || got.Epoch != "e" || got.Next != 9 {
		t.Fatalf("read %+v", got)
	}
	for i, c := range got.Changes {
		if reflect.TypeOf(c) != reflect.TypeOf(sent.Changes[i]) || c.Subject() != sent.Changes[i].Subject() {
			t.Errorf("change %d is read as %T about %+v, not %T", i+1, c, c.Subject(), sent.Changes[i])
		}
	}
	if again, err := json.Marshal(got); err != nil || string(again) != string(text) {
		t.Errorf("sent %s\nread %s (%v)", text, again, err)
	}
	err = json.Unmarshal([]byte(`{"changes":[{"seq":4,"type":"weather"}]}`), &got)
	if err == nil || err.Error() != `change 4 has the unknown type "weather"` {
		t.Errorf("an unknown type: %v", err)
	}
}

// TestAClientWritesActions: id, do and the arguments are one object, as the service reads it.
func TestAClientWritesActions(t *testing.T) {
	text, err := json.Marshal(wire.GameDo{Requests: wire.GameRequests{{ID: "1", Do: "alert", Args: json.RawMessage(`{"frequency":"154.755","id":"x"}`)}, {ID: "2", Do: "refresh"}}})
	if want := `{"requests":[{"do":"alert","frequency":"154.755","id":"1"},{"do":"refresh","id":"2"}]}`; err != nil || string(text) != want {
		t.Errorf("%s, not %s (%v)", text, want, err)
	}
	if _, err := json.Marshal(wire.GameRequest{ID: "1", Do: "alert", Args: json.RawMessage(`[]`)}); err == nil {
		t.Error("arguments that are no object are written")
	}
}
