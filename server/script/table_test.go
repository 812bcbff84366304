package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/script"
)

// world is the radio that server/resource/table/testdata/world.lua describes.
func world(t *testing.T) *engine.Engine {
	t.Helper()
	c := core.DefaultConfig()
	f := func(text string) core.Frequency { return at(t, text) }
	lspd := []string{"LSPD"}
	c.Zones = []core.Zone{
		{Name: "Los Santos", Channels: []core.Channel{
			{Name: "LSPD DISP", Type: core.Conventional, Frequency: f("154.755"), AllowedNacs: lspd},
			{Name: "LSPD TRUNK", Type: core.Trunked, Frequency: f("856.1125"), Low: f("856.1125"), High: f("859.8625"), Coverage: 1500, AllowedNacs: lspd}}},
		{Name: "Blaine County", Channels: []core.Channel{
			{Name: "BCSO DISP", Type: core.Digital, Frequency: f("460.25"), AllowedNacs: []string{"BCSO"}, ScanAllowedNacs: lspd},
			{Name: "EMS DISP", Type: core.Digital, Frequency: f("463"), AllowedNacs: []string{"EMS"}}}},
	}
	for _, text := range []string{
		`{"name":"SIGNAL 100","color":"#d01c1c","isPersistent":true,"tones":{"activate":"ALERT_A"}}`,
		`{"name":"SIGNAL 3","color":"#d97706","isPersistent":true,"tones":{"activate":"ALERT_B"}}`,
		`{"name":"Ping","color":"#0049d1","isPersistent":false,"tones":{"activate":"CHIRP"}}`} {
		var a wire.Alert
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		c.Alerts = append(c.Alerts, a.Alert)
	}
	c.Tones = []core.Tone{{Name: "ALERT_A", File: "alert_a.ogg"}, {Name: "ALERT_B", File: "alert_b.ogg"}, {Name: "CHIRP", File: "chirp.ogg"}, {Name: "BEEP", File: "beep.ogg"}}
	c.Codeplugs = []core.Codeplug{{ID: "patrol", UnitID: "4012", Nac: 293, RadioModel: "handheld-a", AnnouncementVolume: 0.5,
		Features: core.Features{Scan: true, GPS: true, Panic: true}}}
	state, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.Start(state, engine.NewAlone(time.Now, nil), engine.Options{})
	for _, cmd := range []core.Command{
		core.Register{User: 12, Facts: core.Facts{Name: "Alice", Nac: "LSPD", Unit: "4012",
			Given: core.Grants{Connect: core.Grant{Listed: true, Frequencies: []core.Frequency{f("154.755")}}, Zones: core.ZoneGrant{Listed: true, Zones: []int{1}}}}},
		core.Register{User: 13, Facts: core.Facts{Name: "Bob", Nac: "LSPD"}},
		core.Register{User: 14, Facts: core.Facts{Name: "Carol", Refused: true}},
		core.Connect{Want: 12, Owner: "player"}, core.Connect{Want: 13, Owner: "player"}, core.Connect{Want: -2, Owner: "d", Facts: core.Facts{Name: "Dispatch"}},
		core.SetCallsign{User: 12, Callsign: "1A-12"},
		core.JoinAsSpeaker{User: 12, Frequency: f("154.755")}, core.StartScan{User: 12, Frequency: f("460.25")},
		core.JoinAsSpeaker{User: 13, Frequency: f("856.1125")}, core.SetPanic{User: 13, Frequency: f("856.1125"), Enabled: true},
		core.JoinAsSpeaker{User: -2, Frequency: f("154.755")}, core.KeyUp{User: 12, Frequency: f("154.755")},
		core.SetAlert{Frequency: f("460.25"), Enabled: core.Yes, Alert: core.AlertRef{Name: "SIGNAL 100"}},
	} {
		if _, err := e.Do(t.Context(), core.Actor{Surface: core.BySystem}, cmd); err != nil {
			t.Fatalf("%#v: %v", cmd, err)
		}
	}
	return e
}

// TestEveryServerExportAnswersAsInTheGame runs the table test of the server exports over
// a real radio, from a script in the service.
func TestEveryServerExportAnswersAsInTheGame(t *testing.T) {
	table := filepath.Join("..", "resource", "table", "testdata")
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(table, name))
		if err != nil {
			t.Fatal(err)
		}
		return "(function()\n" + string(b) + "\nend)()"
	}
	folder := files(t, map[string]string{"cases.lua": "local cases = " + text("server_cases.lua") + "\nlocal run = " + text("run_cases.lua") + `
		CreateThread(function()
			local wrong, ran = run(cases, {
				call = function(export, args) return (exports.radio[export](exports.radio, table.unpack(args, 1, args.n))) end,
				fresh = function() exports.radio:setCallsign(12, 'fresh') end,
				print = function(line) if line:find('WRONG', 1, true) then print(line) end end,
			})
			print('over', wrong, ran)
		end)`})
	var mu sync.Mutex
	var lines []string
	radio := world(t)
	over := make(chan struct{})
	logf := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
		if strings.Contains(line, "] over") {
			close(over)
		}
	}
	now := func() *engine.Engine { mu.Lock(); defer mu.Unlock(); return radio }
	host := script.New(script.Options{Paths: []string{filepath.Join(folder, "cases.lua")}, Radio: "radio", Logf: logf,
		View: func(ctx context.Context, look func(core.View)) error { return now().View(ctx, look) },
		Act: func(ctx context.Context, by core.Actor, name string, args json.RawMessage) (int, error) {
			if strings.Contains(string(args), `"fresh"`) {
				mu.Lock()
				defer mu.Unlock()
				radio.Close()
				radio = world(t)
				return 0, nil
			}
			desk := game.Desk{Engine: now(), Now: time.Now}
			done, err := desk.Do(ctx, by, name, args)
			return done.Count, err
		}})
	host.Unhurried()
	host.Start()
	defer func() { now().Close() }()
	defer host.Close()
	select {
	case <-over:
	case <-time.After(patience):
		t.Error("the table does not end")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, line := range lines {
		if strings.Contains(line, "WRONG") {
			t.Error(line)
		}
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "over\t0\t") {
		t.Error(strings.Join(lines[max(len(lines)-5, 0):], "\n"))
	}
}
