package checkcmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/wasm/sim"
)

// run checks a configuration with these lines; none: the demo radio.
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
	if err == nil || out != "" || !strings.Contains(err.Error(), "config.lua:1: syntax error") {
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

// TestTheSimulationTakesTheRadio: what is printed starts a simulation, and that
// has the zones that the service shows.
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
		want := wire.ConfigOf(&real.Core, nil)
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
		return radio.Apply(sim.Request{By: core.Actor{User: 7}, Event: event, Payload: json.RawMessage(payload)}).Error
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
