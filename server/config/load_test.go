package config

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func load(t *testing.T, path string) *Loaded {
	t.Helper()
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Callbacks.Close)
	return l
}

// text loads a config file given as text; it is called config.lua.
func text(src string) (*Loaded, error) {
	return timed(src, time.Minute)
}

func timed(src string, limit time.Duration) (*Loaded, error) {
	return loadSource(source{text: src, name: "config.lua", limit: limit})
}

func mustText(t *testing.T, src string) *Loaded {
	t.Helper()
	l, err := text(src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Callbacks.Close)
	return l
}

func same[E comparable](t *testing.T, what string, got, want E) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func list(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s is\n %s\nwant\n %s", what, strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
}

func TestTheDemoRadioIsComplete(t *testing.T) {
	l := Default()
	defer l.Callbacks.Close()
	types := map[core.ChannelType]int{}
	for _, z := range l.Core.Zones {
		for _, c := range z.Channels {
			types[c.Type]++
			if (c.Type == core.Trunked) != (c.High > c.Low && c.Coverage > 0) {
				t.Errorf("%s: a trunked channel has a pool and a coverage, others have none", c.Name)
			}
		}
	}
	if len(l.Core.Zones) < 3 || types[core.Conventional] < 3 || types[core.Trunked] < 1 || types[core.Digital] < 1 {
		t.Errorf("%d zones with %v", len(l.Core.Zones), types)
	}
	var alerts, tones []string
	for _, a := range l.Core.Alerts {
		alerts = append(alerts, a.Name)
		for _, tone := range []string{a.Tone, a.Tones.Activate, a.Tones.Repeat, a.Tones.Deactivate} {
			if tone != "" && !slices.Contains(builtinTones, tone) {
				t.Errorf("alert %s plays %s, which is not built in", a.Name, tone)
			}
		}
	}
	for _, tone := range l.Core.Tones {
		tones = append(tones, tone.Name)
	}
	list(t, "alerts", alerts, "SIGNAL 100", "SIGNAL 3", "Ping", "Boop")
	list(t, "tones", tones, "ALERT_A", "ALERT_B", "BEEP", "BONK", "CHIRP", "PANIC")
	list(t, "warnings", l.Warnings)
	list(t, "secrets to generate", l.Server.Missing, "authToken", "dispatchNacId", "adminPassword")
	if len(l.Core.AnnouncementGroups) == 0 || len(l.Core.Codeplugs) < 2 || len(l.Core.JobCodeplugs) == 0 {
		t.Error("the demo has no announcement group, codeplug or job")
	}
	l.SetDispatchNac("generated")
	same(t, "the core's dispatch NAC", l.Core.DispatchNac, l.Server.DispatchNacID)
	same(t, "the example is the source", strings.Contains(DefaultSource(), "Config.zones"), true)
}

func TestAFileWithNothingHasTheDocumentedDefaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(path, []byte("-- nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := load(t, path)
	want := core.DefaultConfig()
	same(t, "volumes", l.Core.Volumes, want.Volumes)
	same(t, "bonking", l.Core.Bonking, want.Bonking)
	same(t, "callsign", l.Core.Callsign, want.Callsign)
	same(t, "limits", l.Core.Limits, want.Limits)
	same(t, "service limits", l.Server.Limits, DefaultLimits())
	same(t, "port", l.Server.Port, 7777)
	same(t, "udp port", l.Server.WebRTC.UDPPort, 7778)
	same(t, "tcp port", l.Server.WebRTC.TCPPort, 0)
	same(t, "server name", l.Core.ServerName, "Squelch")
	same(t, "demo zones", len(l.Core.Zones), 4)
	same(t, "demo alerts", len(l.Core.Alerts), 4)
	same(t, "codeplugs", len(l.Core.Codeplugs), 0)
	list(t, "warnings", l.Warnings, path+": zones: not given, the demo zones are used")
}

func TestTheCityFile(t *testing.T) {
	l := load(t, "testdata/city/config.lua")
	same(t, "port", l.Server.Port, 7780)
	same(t, "dispatch NAC", l.Core.DispatchNac, "911")
	same(t, "pattern", l.Core.Callsign.Pattern, `^[0-9][A-Z]?-?[0-9]+$`)
	same(t, "missing secrets", len(l.Server.Missing), 0)

	same(t, "zones", len(l.Core.Zones), 2)
	downtown, harbour := l.Core.Zones[0], l.Core.Zones[1]
	list(t, "NAC ids", downtown.NacIDs, "141", "142", "143")
	same(t, "channels", len(downtown.Channels), 3)
	pd1, pd2, tg := downtown.Channels[0], downtown.Channels[1], downtown.Channels[2]
	list(t, "PD 1 allowed", pd1.AllowedNacs, "141", "142")
	list(t, "PD 1 scan", pd1.ScanAllowedNacs, "200")
	same(t, "GPS colour", pd1.GPS.Color, "54")
	same(t, "PD 2 is PD 1's frequency", pd2.Frequency, pd1.Frequency)
	same(t, "PD 2 shown", pd2.Shown, "154.7550000")
	same(t, "PD 1 shown", pd1.Shown, "")
	same(t, "pool", tg.Low.String()+"-"+tg.High.String(), "856.1125-857.1125")
	same(t, "a noisy float", harbour.Channels[0].Frequency.String(), "154.7675")

	signal, ping, boop, old := l.Core.Alerts[0], l.Core.Alerts[1], l.Core.Alerts[2], l.Core.Alerts[3]
	same(t, "SIGNAL 100", signal.Raw, `{"color":"#d01c1c","isPersistent":true,"name":"SIGNAL 100","toast":{"seconds":5,"steps":[1,2,3],"title":"Hold traffic"},"tones":{"activate":"ALERT_A","deactivate":"ALERT_B"}}`)
	same(t, "SIGNAL 100 stays", signal.Persistence, core.Yes)
	same(t, "Ping does not", ping.Persistence, core.No)
	same(t, "Ping's tone", ping.Tones.Activate, "CHIRP")
	same(t, "Boop says nothing", boop.Persistence, core.Unsaid)
	same(t, "Boop", boop.ToneOnly && boop.Tone == "BOOP", true)
	same(t, "Old", old.Tone, "ALERT_B")

	same(t, "first tone", l.Core.Tones[0], core.Tone{Name: "ALERT_A", File: "siren.mp3"})
	same(t, "second tone", l.Core.Tones[1], core.Tone{Name: "BOOP", File: "boop.ogg"})
	same(t, "tones with the built-in ones", len(l.Core.Tones), 7)

	same(t, "codeplugs", len(l.Core.Codeplugs), 2)
	harbourPlug, swat := l.Core.Codeplugs[0], l.Core.Codeplugs[1]
	same(t, "order", harbourPlug.ID, "harbour")
	same(t, "hexadecimal NAC", swat.Nac, 0x293)
	same(t, "volume", swat.AnnouncementVolume, 0.8)
	same(t, "features", swat.Features, core.Features{Scan: true, Panic: true, Dispatch: true})
	same(t, "revert", harbourPlug.Emergency, core.Emergency{RevertFrequency: 154755000, HotMicMs: 5000})
	same(t, "jobs", len(l.Core.JobCodeplugs), 2)
	same(t, "job 141", l.Core.JobCodeplugs[0], core.JobCodeplug{Job: "141", Codeplug: "harbour"})

	same(t, "group", len(l.Core.AnnouncementGroups[0].Frequencies), 2)
	same(t, "proxies", slices.Equal(l.Server.TrustedProxies, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}), true)
	same(t, "failed logins", l.Server.Limits.FailedLogins, 3)
	same(t, "lock-out", l.Server.Limits.LockOut, time.Minute)
	same(t, "users", l.Core.Limits.Users, 128)
	same(t, "logins", [2]int{l.Server.Limits.LoginsPerSecond, l.Server.Limits.LoginBurst}, [2]int{50, 200})
	same(t, "new sessions", [2]int{l.Server.Limits.ReauthsPerSecond, l.Server.Limits.ReauthBurst}, [2]int{2, 30})
	same(t, "new sessions with the master token", [2]int{l.Server.Limits.MasterReauthsPerSecond, l.Server.Limits.MasterReauthBurst}, [2]int{40, 600})
	same(t, "sessions of a login", l.Server.Limits.SessionsPerLogin, 8)
	same(t, "fx", l.Core.RadioFx[1], core.FxLevel{Name: "digital", Level: 0})
	same(t, "inner fx", l.Core.RadioFx[2], core.FxLevel{Name: "hiss.level", Level: 30})
	folder, _ := filepath.Abs("testdata/city")
	same(t, "certificate", l.Server.TLS.Cert, filepath.Join(folder, "cert.pem"))
	same(t, "key", l.Server.TLS.Key, "/etc/key.pem")
	same(t, "tone folder", l.Server.ToneFolder, filepath.Join(folder, "tones"))

	list(t, "warnings", l.Warnings,
		"testdata/city/config.lua:12: zones: entry 2 is missing: the ones after it move up",
		"testdata/city/config.lua:16: zones[1].Channels: entry 2 is missing: the ones after it move up",
		"testdata/city/config.lua:20: zones[1].Channels[3].frequency: 154.755 is already in this zone, at zones[1].Channels[1]",
		"testdata/city/config.lua:46: tones.ALERT_A: siren.mp3 is not in the tone folder",
		"testdata/city/config.lua:45: tones.BOOP: boop.ogg is not in the tone folder",
		"permissions.cfg:6: commands other than permissions are skipped: ensure, set")
	same(t, "police may", l.Core.ACL.Ask("identifier.license:ab12", "radio.connect.154.755"), core.Allowed)
	same(t, "but not the harbour", l.Core.ACL.Ask("group.police", "radio.zone.2"), core.Denied)
	same(t, "x is out", l.Core.ACL.Ask("identifier.x", "radio.connect.154.755"), core.Silent)
	same(t, "everyone scans", l.Core.ACL.Ask("player.1", "radio.scan.460.25"), core.Allowed)
	same(t, "entries", len(l.Core.ACL.Entries), 3)
}

func TestTheCountyFileInTheGamesOwnLua(t *testing.T) {
	l := load(t, "testdata/county/config.lua")
	same(t, "name", l.Core.ServerName, "County 9")
	same(t, "volume", l.Core.Volumes.Voice, 60)
	same(t, "zones", len(l.Core.Zones), 2)
	sandy, paleto := l.Core.Zones[0], l.Core.Zones[1]
	same(t, "channels", len(sandy.Channels), 4)
	same(t, "made by a function", sandy.Channels[0].Name, "BCSO 460.250")
	same(t, "made by a loop", sandy.Channels[3].Frequency.String(), "460.375")
	list(t, "allowed", sandy.Channels[3].AllowedNacs, "LSPD", "BCSO")
	same(t, "a channel without a name", paleto.Channels[1].Name, "461.0")
	same(t, "and without a type", paleto.Channels[1].Type, core.Conventional)
	file := "testdata/county/config.lua"
	list(t, "warnings", l.Warnings,
		file+" prints: county config\t1\tnil",
		file+":9: VoiceVolume: is unknown; did you mean voiceVolume?",
		file+":8: debug: is unknown and has no effect",
		file+":14: label: is unknown and has no effect",
		file+":7: locale: is unknown and has no effect",
		file+":13: model: is unknown and has no effect",
		file+":12: spawn: is unknown and has no effect",
		file+":26: zones[1].channels[3].frequency: 460.25 is already in this zone, at zones[1].channels[1]",
		file+":30: zones[2].channels[1].frequnecy: is unknown; did you mean frequency?",
		file+":31: zones[2].channels[2].encryption: is unknown and has no effect",
		file+":57: batteryTick: has no effect here: a player's radio calls it, so it belongs in client/config.lua of the game resource, as RadioConfig.batteryTick",
		file+":38: Config.radioAccessCheck: uses QBCore, which only the game server has: the game resource answers it")
	kept := map[string]string{}
	for _, e := range l.Extra {
		kept[e.Path] = e.JSON
	}
	same(t, "hash", kept["model"], "-1216765807")
	same(t, "vector", kept["spawn"], `{"x":1,"y":2,"z":3}`)
	same(t, "escapes", kept["label"], `"Café ✓ one line"`)
	same(t, "unknown table", kept["zones[2].channels[2].encryption"], `{"key":7}`)
}

func TestTheSameFileLoadsTheSame(t *testing.T) {
	first := load(t, "testdata/city/config.lua")
	for range 5 {
		again := load(t, "testdata/city/config.lua")
		if a, b := asJSON(t, first.Core), asJSON(t, again.Core); a != b {
			t.Fatalf("two loads differ:\n%s\n%s", a, b)
		}
	}
}
