package door_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// goodActs has every action with arguments that are understood, and what they mean.
var goodActs = []struct {
	name, args string
	want       door.Act
}{
	{"setUserChannel", `{"serverId":"12","frequency":154.7550}`, door.Act{Command: core.MoveUser{User: 12, Frequency: 154_755_000}}},
	{"disconnectUser", `{"serverId":-1}`, door.Act{Command: core.Kick{User: -1}}},
	{"setAlertOnChannel", `{"frequency":"154.755","enabled":true}`, door.Act{Command: core.SetAlert{Frequency: 154_755_000, Enabled: core.Yes}}},
	{"setAlertOnChannel", `{"frequency":"154.755","enabled":false,"alert":2}`, door.Act{Command: core.SetAlert{Frequency: 154_755_000, Enabled: core.No, Alert: core.AlertRef{Index: 2, Given: true}}}},
	{"setAlertOnChannel", `{"frequency":"154.755","enabled":null,"alert":"signal 100"}`, door.Act{Command: core.SetAlert{Frequency: 154_755_000, Alert: core.AlertRef{Name: "signal 100", Given: true}}}},
	{"setAlertOnChannel", `{"frequency":"154.755","alert":""}`, door.Act{Command: core.SetAlert{Frequency: 154_755_000, Alert: core.AlertRef{Given: true}}}},
	{"setChannelPanic", `{"serverId":12,"frequency":"154.755","enabled":false}`, door.Act{Command: core.SetPanic{User: 12, Frequency: 154_755_000}}},
	{"setUserNacId", `{"serverId":12,"nacId":141}`, door.Act{Command: core.SetNac{User: 12, Nac: "141"}}},
	{"refreshNacId", `{"serverId":12}`, door.Act{Refresh: 12}},
	{"refreshSubscriber", `{"serverId":12.0}`, door.Act{Refresh: 12}},
	{"refreshPlayerInfo", ``, door.Act{All: true}},
	{"refreshPlayerInfo", `[]`, door.Act{All: true}},
	{"setCallsign", `{"serverId":12,"callsign":"2-ADAM-7"}`, door.Act{Command: core.SetCallsign{User: 12, Callsign: "2-ADAM-7"}}},
	{"setCallsign", `{"serverId":12}`, door.Act{Command: core.SetCallsign{User: 12}}},
	{"setCallsign", `{"serverId":12,"callsign":null}`, door.Act{Command: core.SetCallsign{User: 12}}},
	{"playToneOnChannel", `{"frequency":"154.755","tone":"BEEP"}`, door.Act{Command: core.PlayTone{Frequency: 154_755_000, Tone: "BEEP"}}},
	{"playToneOnSource", `{"serverId":12,"tone":"BEEP"}`, door.Act{Command: core.PlayToneTo{User: 12, Tone: "BEEP"}}},
	{"event", `{"serverId":12,"name":"panic","payload":{"enabled":true}}`,
		door.Act{Event: &wire.PlayerEvent{ServerID: wire.ID{User: 12, Given: true}, Name: "panic", Payload: json.RawMessage(`{"enabled":true}`)}}},
}

func TestActionsMeanWhatTheySay(t *testing.T) {
	said := map[string]bool{}
	for _, c := range goodActs {
		said[c.name] = true
		got, err := door.ReadAct(c.name, json.RawMessage(c.args))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %+v, %v; want %+v", c.name, c.args, got, err, c.want)
		}
	}
	table := reflect.TypeFor[wire.Actions]()
	for i := range table.NumField() {
		if name := table.Field(i).Tag.Get("do"); !said[name] {
			t.Errorf("%s is not tried", name)
		}
	}
}

func TestActionsNameTheArgumentAtFault(t *testing.T) {
	for _, c := range []struct {
		name, args, field string
		kind              core.Kind
	}{
		{"", `{}`, "do", core.Invalid},
		{"setUserChanel", `{}`, "do", core.Invalid},
		{"setUserChannel", `{"frequency":"154.755"}`, "serverId", core.Invalid},
		{"setUserChannel", `{"serverId":0,"frequency":"154.755"}`, "serverId", core.Invalid},
		{"setUserChannel", `{"serverId":1.5,"frequency":"154.755"}`, "serverId", core.Invalid},
		{"setUserChannel", `{"serverId":12,"frequency":true}`, "frequency", core.Invalid},
		{"setUserChannel", `{"serverId":12,"frequency":"nonsense"}`, "frequency", core.NotFound},
		{"setUserChannel", `{"serverId":12,"frequency":null}`, "frequency", core.Invalid},
		{"setUserChannel", `[12]`, "", core.Invalid},
		{"setAlertOnChannel", `{"frequency":"154.755","enabled":"yes"}`, "enabled", core.Invalid},
		{"setAlertOnChannel", `{"frequency":"154.755","alert":1.5}`, "alert", core.Invalid},
		{"setAlertOnChannel", `{"frequency":"154.755","alert":{}}`, "alert", core.Invalid},
		{"setChannelPanic", `{"serverId":12,"frequency":"154.755"}`, "enabled", core.Invalid},
		{"setUserNacId", `{"serverId":12}`, "nacId", core.Invalid},
		{"refreshNacId", `{"serverId":-1}`, "serverId", core.Invalid},
		{"playToneOnChannel", `{"frequency":"154.755","tone":5}`, "tone", core.Invalid},
		{"event", `{"serverId":-1,"name":"panic"}`, "serverId", core.Invalid},
		{"event", `{"serverId":12}`, "name", core.Invalid},
	} {
		_, err := door.ReadAct(c.name, json.RawMessage(c.args))
		var refused *core.Error
		if !errors.As(err, &refused) || refused.Field != c.field || refused.Kind != c.kind {
			t.Errorf("%s %s: %+v, want %s of %q", c.name, c.args, err, c.kind, c.field)
		}
	}
}

// FuzzReadAct: whatever is sent, an action is read as one thing or refused with a
// reason, and its command does not make the radio fail.
func FuzzReadAct(f *testing.F) {
	for _, c := range goodActs {
		f.Add(c.name, []byte(c.args))
	}
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		act, err := door.ReadAct(name, args)
		if err != nil {
			if s := door.Status(err); s != 400 && s != 404 || err.Error() == "" {
				t.Fatalf("%s %s: %d %q", name, args, s, err)
			}
			return
		}
		ways := 0
		for _, is := range []bool{act.Command != nil, act.Refresh > 0, act.All, act.Event != nil} {
			if is {
				ways++
			}
		}
		if ways != 1 {
			t.Fatalf("%s %s means %+v", name, args, act)
		}
		if act.Command != nil {
			_, err := newRadio(t).state.Step(time.UnixMilli(2000), core.Actor{Surface: core.ByREST}, act.Command)
			if err != nil && door.Status(err) == 0 {
				t.Fatalf("%s %s: %v is no refusal", name, args, err)
			}
		}
	})
}
