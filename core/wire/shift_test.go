package wire_test

import (
	"slices"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// start is when the shift begins.
var start = time.UnixMilli(1_770_000_000_000)

// secretNac is the login of the dispatch panel. Zones and users have it, but nobody
// is told it.
const secretNac = "hush-9000"

func mhz(text string) core.Frequency {
	f, err := core.ParseFrequency(text)
	if err != nil {
		panic(err)
	}
	return f
}

func countyConfig() core.Config {
	c := core.DefaultConfig()
	c.ServerName, c.DispatchNac = "County", secretNac
	c.Zones = []core.Zone{
		{Name: "County", Channels: []core.Channel{
			{Name: "Main", Type: core.Conventional, Frequency: mhz("154.755"), Shown: "154.7550", AllowedNacs: []string{"100", secretNac},
				ScanAllowedNacs: []string{"200", secretNac}, GPS: core.GPS{Color: "#f00", VisibleToNacs: []string{"100", secretNac}}},
			{Name: "Tac", Type: core.Conventional, Frequency: mhz("460.25")},
			{Name: "Digital", Type: core.Digital, Frequency: mhz("155.1")},
		}},
		{Name: "Hidden", NacIDs: []string{"300", secretNac}, Channels: []core.Channel{
			{Name: "Talkgroup", Type: core.Trunked, Frequency: mhz("851"), Low: mhz("852"), High: mhz("852.1"), Coverage: 500, AllowedNacs: []string{"100"}},
		}},
	}
	c.Alerts = []core.Alert{
		{Name: "SIGNAL 100", Color: "#f00", Persistence: core.Yes, Tones: core.AlertTones{Activate: "ALERT_A", Repeat: "BEEP", Deactivate: "BEEP"},
			RepeatInterval: 10, RepeatShowBanner: true, DeactivateLabel: "RESUME", DeactivateColor: "#0f0"},
		{Name: "Boop", ToneOnly: true, Tone: "BEEP"},
	}
	c.Tones = []core.Tone{{Name: "ALERT_A", File: "alert_a.wav"}, {Name: "BEEP", File: "beep.wav"}, {Name: "PANIC", File: "panic.wav"}}
	c.RadioFx = []core.FxLevel{{Name: "conventional", Level: 60}}
	c.AnnouncementGroups = []core.AnnouncementGroup{{ID: "all", Name: "All county", Frequencies: []core.Frequency{mhz("154.755"), mhz("460.25")}}}
	c.Layouts = []core.Layout{{Name: "Night", Order: []core.Frequency{mhz("460.25"), mhz("154.755")}, Scans: []core.LayoutScan{{Frequency: mhz("154.755"), Priority: 1}, {Frequency: mhz("460.25")}},
		Targets: []core.Frequency{mhz("154.755")}, Filter: "mine", Density: "compact", Rail: core.LayoutRail{Width: 360, Split: 0.5}}}
	return c
}

func newRadio(t *testing.T) *core.State {
	t.Helper()
	s, err := core.New(countyConfig())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// entry is one thing that somebody does during the shift; says describes it.
type entry struct {
	says string
	by   core.Actor
	cmd  core.Command
	wait time.Duration // before it
}

func player(id core.UserID) core.Actor  { return core.Actor{User: id, Surface: core.BySocket} }
func console(id core.UserID) core.Actor { return core.Actor{User: id, Surface: core.BySocket} }

var (
	game  = core.Actor{Surface: core.ByREST, Name: "game server"}
	cad   = core.Actor{Surface: core.ByREST, Name: "CAD"}
	admin = core.Actor{Surface: core.ByAdmin, Name: "admin"}
	off   = false
	loud  = 0.9
	half  = "half of the shift is over"
)

func fresh(name string) *string { return &name }

var shift = []entry{
	{says: "the game server announces 7", by: game, cmd: core.Register{User: 7, Facts: core.Facts{Name: "Ana", Nac: "100", Unit: "A-7"}}},
	{says: "the game server announces 8", by: game, cmd: core.Register{User: 8, Facts: core.Facts{Name: "Ben", Nac: "200"}}},
	{says: "the game server announces 9", by: game, cmd: core.Register{User: 9, Facts: core.Facts{Name: "Cy", Nac: secretNac}}},
	{says: "desk 1 connects", by: console(-1), cmd: core.Connect{Want: -1, Owner: "desk1", Facts: core.Facts{Name: "Desk 1", Nac: secretNac}}},
	{says: "desk 2 connects and is given -2", by: console(-1), cmd: core.Connect{Want: -1, Owner: "desk2", Facts: core.Facts{Name: "Desk 2"}}},
	{says: "7 connects", by: player(7), cmd: core.Connect{Want: 7, Owner: "p7"}},
	{says: "8 connects", by: player(8), cmd: core.Connect{Want: 8, Owner: "p8"}},
	{says: "9 connects", by: player(9), cmd: core.Connect{Want: 9, Owner: "p9"}},
	{says: "7 joins Main", by: player(7), cmd: core.JoinAsSpeaker{User: 7, Frequency: mhz("154.755")}},
	{says: "8 scans Main", by: player(8), cmd: core.StartScan{User: 8, Frequency: mhz("154.755")}},
	{says: "9 joins Main", by: player(9), cmd: core.JoinAsSpeaker{User: 9, Frequency: mhz("154.755")}},
	{says: "desk 1 joins Main", by: console(-1), cmd: core.JoinAsSpeaker{User: -1, Frequency: mhz("154.755")}},
	{says: "desk 1 follows 8", by: console(-1), cmd: core.Follow{User: -1, Target: 8}},
	{says: "desk 1 renames itself", by: console(-1), cmd: core.Identify{User: -1, Name: fresh("Dana"), Nac: fresh(secretNac)}},
	{says: "7 keys up", by: player(7), cmd: core.KeyUp{User: 7, Frequency: mhz("154.755")}},
	{says: "9 keys up against 7", by: player(9), cmd: core.KeyUp{User: 9, Frequency: mhz("154.755")}},
	{says: "the CAD patches Main and Tac", by: cad, cmd: core.CreatePatch{Frequencies: []core.Frequency{mhz("154.755"), mhz("460.25")}}},
	{says: "desk 1 raises SIGNAL 100", by: console(-1), cmd: core.SetAlert{Frequency: mhz("154.755"), Enabled: core.Yes, Alert: core.AlertRef{Name: "signal 100"}}},
	{says: "9 presses its panic button", by: player(9), cmd: core.SetPanic{User: 9, Enabled: true}},
	{says: "7 presses its panic button too", by: player(7), cmd: core.SetPanic{User: 7, Enabled: true}},
	{says: "desk 1 acknowledges the emergency", by: console(-1), cmd: core.AcknowledgeEmergency{ID: "e-2"}},
	{says: "desk 3 comes late", by: console(-3), cmd: core.Connect{Want: -3, Owner: "desk3", Facts: core.Facts{Name: "Desk 3", Callsign: "NORTH"}}},
	{says: "7 gets a callsign", by: cad, cmd: core.SetCallsign{User: 7, Callsign: "2-ADAM-7"}},
	{says: "8 joins the talkgroup by authority", by: cad, cmd: core.MoveUser{User: 8, Frequency: mhz("851")}},
	{says: "7 is on the map", by: game, cmd: core.SetPositions{Positions: []core.PlayerPosition{{User: 7, At: core.Position{X: -1038.4, Y: 2735.6, Z: 13}}}}},
	{says: half, by: cad, cmd: core.SetPositions{}},

	{says: "ten seconds pass", by: cad, cmd: core.SetPositions{}, wait: 10 * time.Second},
	{says: "7 lets go", by: player(7), cmd: core.KeyDown{User: 7}},
	{says: "the CAD removes the patch", by: cad, cmd: core.RemovePatch{ID: "p-1"}},
	{says: "desk 2 acknowledges the panic", by: console(-2), cmd: core.AcknowledgePanic{User: 9}},
	{says: "7 resets its panic button", by: player(7), cmd: core.SetPanic{User: 7}},
	{says: "desk 2 closes the emergency", by: console(-2), cmd: core.CloseEmergency{ID: "e-2", Reason: "accidental", Note: "Sat on it"}},
	{says: "desk 1 clears the alert", by: console(-1), cmd: core.ClearAlert{Frequency: mhz("154.755")}},
	{says: "the CAD plays Boop once", by: cad, cmd: core.PlayAlert{Frequency: mhz("460.25"), Alert: core.Alert{Name: "Boop", ToneOnly: true, Tone: "BEEP"}}},
	{says: "the CAD tells everybody", by: cad, cmd: core.Broadcast{Message: "Shift change <soon> & now", Type: "Information Alert", Tone: "beep"}},
	{says: "the CAD tells Main", by: cad, cmd: core.Broadcast{Message: "Main only", Frequency: mhz("154.755")}},
	{says: "the CAD calls 7", by: cad, cmd: core.AlertUser{User: 7, Message: "Call dispatch", Frequency: mhz("154.755")}},
	{says: "the CAD calls 8 without a channel", by: cad, cmd: core.AlertUser{User: 8, Message: "Call dispatch"}},
	{says: "a script plays a tone to 9", by: core.Actor{Surface: core.ByLua, Name: "siren.lua"}, cmd: core.PlayToneTo{User: 9, Tone: "BEEP"}},
	{says: "7 turns its radio down and off", by: player(7), cmd: core.SetRadio{User: 7, Power: &off, Volume: &loud}},
	{says: "desk 1 arms the group", by: console(-1), cmd: core.ArmGroup{User: -1, Group: "all"}},
	{says: "desk 1 disarms it", by: console(-1), cmd: core.ArmGroup{User: -1}},
	{says: "the callsign of 7 is cleared", by: cad, cmd: core.SetCallsign{User: 7}},
	{says: "8 stops listening", by: player(8), cmd: core.StopScan{User: 8, Frequency: mhz("154.755")}},
	{says: "desk 1 stops following 8", by: console(-1), cmd: core.Unfollow{User: -1, Target: 8}},
	{says: "the CAD disconnects 8", by: cad, cmd: core.Kick{User: 8}},
	{says: "9 leaves the game", by: game, cmd: core.Drop{User: 9}},
	{says: "the operator changes the configuration", by: admin, cmd: core.ReplaceConfig{Config: countyConfig()}},
	{says: "desk 2 says goodbye", by: console(-2), cmd: core.Unlink{User: -2, Clean: true}},
}

func endOfFirstHalf() int {
	return slices.IndexFunc(shift, func(e entry) bool { return e.says == half })
}

// fromAdapters are messages that adapters send without an event of the core.
func fromAdapters(v core.View) []wire.Message {
	main := "154.755"
	one := core.Audience{Users: []core.UserID{-1}}
	full := wire.ConfigOf(v, wire.ThemeList{})
	script, _ := wire.ToClients(core.Audience{Users: []core.UserID{7}}, "roster:open", []any{"SO", map[string]any{"on": true}})
	return []wire.Message{
		{To: one, Name: "heartbeat_response", Payload: start.UnixMilli()},
		{To: one, Name: "voice", Payload: wire.Voice{ServerID: 7, Frequency: main, Data: "AAEC", Encoding: "opus", ReceiveType: "listener", PatchID: "p-1"}},
		{To: one, Name: "voice", Payload: wire.Voice{ServerID: 7, Frequency: main, Data: "AAEC", ReceiveType: "speaker"}},
		{To: one, Name: "identity", Payload: wire.Identity{ServerID: -2}},
		{To: one, Name: "refused", Payload: wire.Refused{Action: "setSpeakerChannel", Frequency: &main, Error: "No access to 154.755"}},
		{To: one, Name: "refused", Payload: wire.Refused{Action: "webrtc:offer", Error: "No SDP"}},
		{To: one, Name: "configUpdate", Payload: wire.ConfigUpdate{ConfigBody: &full}},
		{To: one, Name: "webrtc:slots", Payload: wire.Slots{Slots: []wire.Slot{{Slot: 0, Mid: "1", ServerID: 7, Frequency: main, ReceiveType: "speaker"}},
			Waiting: []wire.Waiting{{ServerID: 8, Frequency: main}}}},
		{To: one, Name: "webrtc:closed", Payload: wire.WebRTCClosed{Reason: "ICE failed"}},
		script,
		{To: one, Name: wire.NodesEvent, Payload: wire.Nodes{Self: "a", Nodes: []wire.NodeAddress{{Name: "b", URL: "https://b.example.org"}, {Name: "c", URL: "https://c.example.org"}}}},
		wire.ThemesChanged(themes, start.UnixMilli()),
		wire.Transcribed("tx-7-1700000000000", "Shots fired at the harbour", start.UnixMilli()),
	}
}
