package checkcmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/wasm/sim"
)

// run checks a configuration with these lines; without any, the demo radio.
func run(t *testing.T, lua, permissions string, flags ...string) (out, warnings string, err error) {
	t.Helper()
	if lua != "" {
		folder := t.TempDir()
		file := filepath.Join(folder, "config.lua")
		flags = append(flags, "--config", file)
		for path, text := range map[string]string{file: lua, filepath.Join(folder, "permissions.cfg"): permissions} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := Command()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(flags)
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestTheDemoRadioIsInOrder(t *testing.T) {
	out, warnings, err := run(t, "", "")
	const want = `radio                   Squelch Demo
zones                4  Los Santos, Blaine County, Fire and Rescue, Interop
  Los Santos         3  LSPD DISP 154.755, LSPD TAC 1 154.815, LSPD TRUNK 856.1125 trunked
  Blaine County      3  BCSO DISP 460.25 digital, BCSO TAC 460.4 digital, PARKS 151.415
  Fire and Rescue    3  FIRE DISP 154.28, FIREGROUND 153.83, EMS DISP 463 digital
  Interop            2  CALLING 155.7525, STATEWIDE 769.40625 trunked
alerts               4  SIGNAL 100, SIGNAL 3, Ping, Boop
tones                6  ALERT_A, ALERT_B, BEEP, BONK, CHIRP, PANIC
announcement groups  2  all-dispatch, law
codeplugs            2  patrol, rescue
permissions          0
recording              off
`
	if err != nil || warnings != "" || out != want {
		t.Errorf("%v, warnings %q\n%s", err, warnings, out)
	}
}

func TestAMistakeIsToldWithFileLineAndKey(t *testing.T) {
	out, _, err := run(t, "Config.zones = { { Channels = {\n  { name = 'DISP', frequency = 'abc' } } } }", "")
	if err == nil || out != "" || !strings.HasSuffix(strings.SplitN(err.Error(), " is no", 2)[0], `config.lua:2: zones[1].Channels[1].frequency: "abc"`) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = run(t, "Config.zones = {", "", "--json")
	if err == nil || !strings.Contains(err.Error(), "config.lua:1: syntax error") || !strings.Contains(out, `"line": 1,`) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, _, err = run(t, "", "", "--config", filepath.Join(t.TempDir(), "none.lua")); err == nil || !strings.Contains(err.Error(), "none.lua") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestWhatIsOddIsAWarning(t *testing.T) {
	_, warnings, err := run(t, "Config.colour = 'red'\nConfig.authToken = 'changeme'\nConfig.dispatchNacId = 141", "ensure radio")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"config.lua:1: colour", "authToken is a placeholder", "dispatchNacId is a placeholder", "permissions.cfg:1: "} {
		if !strings.Contains(warnings, part) {
			t.Errorf("no warning with %q in\n%s", part, warnings)
		}
	}
	if strings.Contains(warnings, "adminPassword") {
		t.Errorf("a secret that will be generated is warned of:\n%s", warnings)
	}
}

const faulty = `Config.serverPort = "seven"
Config.sfxVolume = 101
Config.radioAccessCheck = function(id)
  local player = {}
  return player.job.name == "police"
end
Config.getUserNacId = function(id) while true do end end
Config.getPlayerName = function(id)
  return exports["qb-core"]:GetPlayer(id).PlayerData.charinfo.age + 1
end`

// TestEverythingIsToldAtOnce: the mistakes of both files, and what the callbacks
// do.
func TestEverythingIsToldAtOnce(t *testing.T) {
	_, warnings, err := run(t, faulty, "add_ace group.police tRadio.connect allow\nadd_ace group.police radio.zone.1 alow")
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, part := range []string{
		`config.lua:1: serverPort: must be a number, not "seven"`,
		`config.lua:2: sfxVolume: must be a whole number from 0 to 100, not 101`,
		`config.lua:5: Config.radioAccessCheck: attempt to index a non-table object(nil) with key 'name'`,
		`config.lua:7: Config.getUserNacId: takes longer than 100 ms`,
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not told in\n%v", part, err)
		}
	}
	if n := len(strings.Split(err.Error(), "\n")); n != 4 {
		t.Errorf("%d mistakes:\n%v", n, err)
	}
	for _, part := range []string{
		"permissions.cfg:1: tradio.connect has no effect: resourceName is radio; did you mean radio.connect?",
		`permissions.cfg:2: "alow" is neither allow nor deny`,
		"config.lua:8: Config.getPlayerName: uses exports",
	} {
		if !strings.Contains(warnings, part) {
			t.Errorf("%s is not warned of in\n%s", part, warnings)
		}
	}
}

// TestOneObjectMayHaveManyMistakes: and each of its groups is looked at.
func TestOneObjectMayHaveManyMistakes(t *testing.T) {
	_, warnings, err := run(t, `Config.zones = { { name = 'A', channels = {
  { type='bogus', frequency='x' },
  { frequency = 155.1 }, { frequency = 155.1 }, { frequency = 851, type = 'trunked' } } }, { name = 'B' } }
Config.announcementGroups = {
  { id='a', frequencies = { 155.1 } },
  { id='a', frequencies={} },
  { name='x' } }`, "add_ace group.police tRadio.connect_154.755 allow\nadd_ace group.police tRadio.conect allow")
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, part := range []string{
		`config.lua:2: zones[1].channels[1].frequency: "x" is not a frequency`,
		`config.lua:2: zones[1].channels[1].type: must be conventional, trunked or digital`,
		`config.lua:6: announcementGroups[2].id: is missing or occurs twice`,
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not told in\n%v", part, err)
		}
	}
	for _, part := range []string{
		"config.lua:7: announcementGroups[3].id: is missing: group-3 is used",
		"config.lua:6: announcementGroups[2].frequencies: is empty: the group keys nothing",
		"config.lua:3: zones[1].channels[3].frequency: 155.1 is already in this zone, at zones[1].channels[2]",
		"config.lua:3: zones[1].channels[4].frequencyRange: is missing",
		"config.lua:3: zones[2].channels: is empty: nobody can talk in this zone",
	} {
		if !strings.Contains(warnings, part) {
			t.Errorf("%s is not warned of in\n%s", part, warnings)
		}
	}
	if _, warnings, err = run(t, "Config.serverName = 'x'", "add_ace group.police tRadio.connect_154.755 allow"); err != nil ||
		!strings.Contains(warnings, "did you mean radio.connect.154.755?") {
		t.Errorf("%v\n%s", err, warnings)
	}
}

func TestMistakesAreAlsoToldAsJSON(t *testing.T) {
	out, stderr, err := run(t, faulty, "add_acl x", "--json")
	var told struct {
		Errors []struct {
			File, Key, Message string
			Line               int
		}
		Warnings []string
	}
	if json.Unmarshal([]byte(out), &told) != nil || err == nil || stderr != "" || len(told.Errors) != 4 || len(told.Warnings) < 2 {
		t.Fatalf("%v, %q\n%s", err, stderr, out)
	}
	if e := told.Errors[0]; filepath.Base(e.File) != "config.lua" || e.Line != 1 || e.Key != "serverPort" || e.Message != `must be a number, not "seven"` {
		t.Errorf("%+v", e)
	}
	out, _, err = run(t, "", "", "--json", "--config", "none.lua")
	if err == nil || !strings.Contains(out, `"message": "cannot read the configuration: `) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheCallbacksAreTried(t *testing.T) {
	out, warnings, err := run(t, `
Config.radioAccessCheck = function(id) return IsPlayerAceAllowed(id, "radio") end
Config.getUserNacId = function(id) if id == 1 then return 141 end end
Config.getPlayerName = function(id) return GetPlayerName(id) .. "\n" .. #GetPlayerIdentifiers(id) end`, "")
	const want = "callbacks            3  radioAccessCheck(1) no, getUserNacId(1) \"141\", getPlayerName(1) \"Player 1?1\"\n"
	if err != nil || !strings.HasSuffix(out, want) {
		t.Errorf("%v, %s\n%s", err, warnings, out)
	}
	out, warnings, err = run(t, "Config.radioAccessCheck = function(id) return exports.jobs:has(id) end", "")
	if err != nil || !strings.Contains(out, "radioAccessCheck in the game (line 1 uses exports)") || !strings.Contains(warnings, "config.lua:1: Config.radioAccessCheck: uses exports, which only the game server has") {
		t.Errorf("%v, %s\n%s", err, warnings, out)
	}
	if _, _, err = run(t, "\nConfig.getUserNacId = function(id) return {} end", ""); err == nil ||
		!strings.Contains(err.Error(), "config.lua:2: Config.getUserNacId: returns a table, which counts as none: expected text or a number") {
		t.Error(err)
	}
}

// TestWhoCanReachTheRadioDecidesWhatIsWrong: as serve does.
func TestWhoCanReachTheRadioDecidesWhatIsWrong(t *testing.T) {
	const lua = `Config.dispatchNacId = 141 Config.useDiscordAuth = true
Config.discord = { clientId = "1", clientSecret = "s", allowedUsers = { "5" } }`
	_, warnings, err := run(t, lua+` Config.authToken = "hush"`, "")
	if err != nil || !strings.Contains(warnings, "dispatchNacId is a placeholder") || !strings.Contains(warnings, "serverAddress is missing") ||
		!strings.Contains(warnings, "authToken has only 4 characters") {
		t.Errorf("%v\n%s", err, warnings)
	}
	_, warnings, err = run(t, lua, "", "--listen", "127.0.0.1:7777")
	if err != nil || strings.Contains(warnings, "serverAddress") {
		t.Errorf("on this machine: %v\n%s", err, warnings)
	}
	_, _, err = run(t, lua, "", "--listen", "0.0.0.0:7777")
	if err == nil || !strings.Contains(err.Error(), "placeholder secrets on 0.0.0.0:7777") || !strings.Contains(err.Error(), "serverAddress is missing: useDiscordAuth on 0.0.0.0:7777") {
		t.Errorf("everywhere: %v", err)
	}
}

const county = `
Config.authToken, Config.adminPassword, Config.dispatchNacId = "SECRET-token", "SECRET-password", "SECRET-nac"
Config.useDiscordAuth = true
Config.discord = { clientId = "1", clientSecret = "SECRET-client" }
Config.tls = { cert = "SECRET-cert.pem", key = "SECRET-key.pem" }
Config.tones = { GONG = "gong.wav" }
Config.zones = {
  { name = "County", Channels = {
    { name = "DISP", frequency = 154.755, allowedNacs = { "LSPD", "SECRET-nac" }, gps = { visibleToNacs = { "SECRET-nac" } } },
    { name = "DESK", frequency = 154.815, allowedNacs = { "SECRET-nac" }, scanAllowedNacs = { "SECRET-nac" } } } },
  { name = "Back room", nacIds = { "SECRET-nac" }, Channels = { { name = "TG", type = "trunked", frequency = 851, frequencyRange = { 852, 852.1 } } } },
}
Config.codeplugs = { desk = { nac = 1 } }
Config.jobCodeplugs = { ["SECRET-nac"] = "desk" }
`

const police = `
add_ace group.police radio.zone.2 allow
add_ace group.police radio.nac.secret-NAC allow
add_ace identifier.license:SECRET radio.connect allow
add_principal identifier.discord:SECRET group.police
add_principal player.7 group.police
`

func radioOf(t *testing.T, text string) core.Config {
	t.Helper()
	var c core.Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return c
}

func TestTheRadioIsPrintedWithoutItsSecrets(t *testing.T) {
	out, _, err := run(t, county, police, "--json")
	if err != nil || strings.Contains(strings.ToUpper(out), "SECRET") {
		t.Fatalf("%v\n%s", err, out)
	}
	c := radioOf(t, out)
	if len(c.ACL.Entries) != 1 || len(c.ACL.Inherit) != 1 {
		t.Errorf("permissions of groups and ids are gone too: %+v", c.ACL)
	}
	if tone := c.Tones[0]; tone != (core.Tone{Name: "GONG", File: "gong.wav"}) {
		t.Errorf("tone %+v", tone)
	}
}

// TestTheSimulationTakesTheRadio: the printed radio starts a simulation, which has
// the zones that the service shows.
func TestTheSimulationTakesTheRadio(t *testing.T) {
	for name, lua := range map[string]string{"demo": "", "county": county} {
		out, _, err := run(t, lua, police, "--json")
		if err != nil {
			t.Fatal(err)
		}
		var start wire.Start
		if err := json.Unmarshal([]byte(`{"config":`+out+`}`), &start); err != nil {
			t.Fatal(err)
		}
		radio, err := sim.New(start, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := radio.View(sim.View{Kind: "config"})
		if err != nil {
			t.Fatal(err)
		}
		real := config.Default()
		if lua != "" {
			real = fileOf(t, lua)
		}
		t.Cleanup(real.Callbacks.Close)
		state, err := core.New(real.Core)
		if err != nil {
			t.Fatal(err)
		}
		want := wire.ConfigOf(state.View(), wire.ThemeList{})
		if zones := got.(wire.ConfigBody).Zones; len(zones) == 0 || !reflect.DeepEqual(zones, want.Zones) {
			t.Errorf("%s: zones\n%+v, want\n%+v", name, zones, want.Zones)
		}
	}
}

func fileOf(t *testing.T, lua string) *config.Loaded {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(file, []byte(lua), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := config.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestWhatOnlyTheDeskOpensStaysClosed: without its one NAC id a list would admit
// everybody.
func TestWhatOnlyTheDeskOpensStaysClosed(t *testing.T) {
	out, _, err := run(t, county, "", "--json")
	if err != nil {
		t.Fatal(err)
	}
	radio, err := sim.New(wire.Start{Config: radioOf(t, out)}, false)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(event, payload string) *sim.Failure {
		return radio.Apply(sim.Request{By: sim.Caller{User: 7}, Event: event, Payload: json.RawMessage(payload)}).Error
	}
	if e := ask("connect", `{"serverId":7,"name":"Ana","nacId":"LSPD"}`); e != nil {
		t.Fatal(e)
	}
	if e := ask("setSpeakerChannel", `"154.755"`); e != nil {
		t.Errorf("an officer on DISP: %+v", e)
	}
	for channel, frequency := range map[string]string{"DESK": `"154.815"`, "TG": `"851"`} {
		for _, event := range []string{"setSpeakerChannel", "addListeningChannel"} {
			if e := ask(event, frequency); e == nil || e.Kind != "forbidden" {
				t.Errorf("an officer's %s at %s: %+v", event, channel, e)
			}
		}
	}
}

func TestScriptsAreChecked(t *testing.T) {
	out, _, err := run(t, "Config.scripts = { 'config.lua', 'absent' }", "")
	if err == nil || !strings.Contains(err.Error(), "absent: scripts: there is no file or folder") || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
	if _, _, err := run(t, "Config.scripts = { 7, {} }", ""); err == nil || !strings.Contains(err.Error(), "scripts[2]") {
		t.Errorf("%v", err)
	}
	if out, warnings, err := run(t, "Config.scripts = 'config.lua'", ""); err != nil || strings.Contains(warnings, "scripts") || !strings.HasSuffix(out, "scripts              1  config\n") {
		t.Errorf("a script alone: %v, %s%s", err, warnings, out)
	}
}

// TestWebhooksAreChecked: with their templates, and without showing what may be a secret.
func TestWebhooksAreChecked(t *testing.T) {
	const hook = `Config.webhooks = { { name = "cad", url = "https://cad.example.org/very-secret", secret = "0123456789abcdef",
	events = { "alert" }, template = TEMPLATE } }`
	out, warnings, err := run(t, strings.Replace(hook, "TEMPLATE", `"discord"`, 1), "", "--listen", "127.0.0.1:0")
	if err != nil || !strings.Contains(out, "webhooks             1  cad to https://cad.example.org\n") || strings.Contains(out+warnings, "very-secret") {
		t.Errorf("%v\n%s%s", err, out, warnings)
	}
	own := filepath.Join(t.TempDir(), "own.tmpl")
	if err := os.WriteFile(own, []byte("{\n \"text\": {{json .detial}}\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = run(t, strings.Replace(hook, "TEMPLATE", strconv.Quote(own), 1), "")
	if err == nil || !strings.Contains(err.Error(), own+":2: an event has no detial; did you mean detail?") {
		t.Errorf("%v", err)
	}
	_, _, err = run(t, strings.Replace(hook, "TEMPLATE", `"gone.tmpl"`, 1), "")
	if err == nil || !strings.Contains(err.Error(), "config.lua:2: webhooks[1].template: open ") {
		t.Errorf("%v", err)
	}
}

// TestWhatIsRecordedIsARow: with its channels; a folder that cannot be one is a mistake, and
// a transcriber that has nothing to do is warned of.
func TestWhatIsRecordedIsARow(t *testing.T) {
	const zones = "Config.zones = { { name = 'A', channels = { { name = 'DISP', frequency = 155.1 }, { name = 'TAC', frequency = 155.2 } } } }\n"
	out, _, err := run(t, zones+"Config.recording = { channels = { 'TAC' }, days = 7 }", "")
	if err != nil || !strings.Contains(out, "1 channel (TAC), kept 7 days, at most 10 GiB\n") {
		t.Errorf("%v\n%s", err, out)
	}
	for folder, want := range map[string]string{"config.lua": "is no folder", "none/none": "cannot be made: there is no folder"} {
		if _, _, err = run(t, zones+"Config.recording = { all = true, folder = '"+folder+"' }", ""); err == nil || !strings.Contains(err.Error(), "recording.folder: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	_, warnings, err := run(t, zones+"Config.transcriber = { url = 'http://127.0.0.1:8080/inference' }", "")
	if err != nil || !strings.Contains(warnings, "transcriber: has no effect: without recording") {
		t.Errorf("%v\n%s", err, warnings)
	}
}
