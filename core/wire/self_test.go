package wire_test

import (
	"encoding/json"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

func TestOnesOwnRecord(t *testing.T) {
	me := core.Self{User: 12, Name: "Ana", Nac: "patrol", Unit: "P-1", Callsign: "1-ADAM-12", Zone: "County", Channel: mhz("852"), Control: mhz("851"),
		Listening: []core.Frequency{mhz("154.755")}, Alerts: []core.ChannelAlert{{Frequency: mhz("154.755"), Alert: core.Alert{Raw: `{"name":"BOLO","own":1}`}}},
		Panics: []core.Frequency{mhz("460.25")}, HotMic: mhz("460.25"), HotUntil: 1_770_000_010_000, Signal: 70,
		Subscriber: &core.Codeplug{ID: "patrol", UnitID: "P-1", Nac: 659, RadioModel: "XTS", Zones: []int{1}, Features: core.Features{Scan: true, Panic: true},
			Tones: core.CodeplugTone{KeyUp: "BEEP"}, Emergency: core.Emergency{RevertFrequency: mhz("460.25"), HotMicMs: 10_000}, AnnouncementVolume: 0.5}}
	got, err := json.Marshal(wire.SelfOf(me))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"serverId":12,"name":"Ana","nacId":"patrol","unitId":"P-1","callsign":"1-ADAM-12","zone":"County",` +
		`"subscriber":{"codeplugId":"patrol","unitId":"P-1","nac":659,"radioModel":"XTS","features":{"scan":true,"gps":false,"panic":true,"dispatch":false},` +
		`"tones":{"keyUp":"BEEP","keyDown":"","busy":""},"emergency":{"revertFrequency":"460.25","hotMicMs":10000},"announcementVolume":0.5},` +
		`"channel":"852","controlFrequency":"851","listening":["154.755"],"alerts":{"154.755":{"name":"BOLO","own":1}},"panic":["460.25"],"hotMic":{"frequency":"460.25","until":1770000010000},"signal":70}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
