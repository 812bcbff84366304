package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const manyMistakes = `Config.serverPort = "seven"
Config.zones = {
  { name = "A", channels = {
      { name = "one", frequency = "abc" },
      5,
      { name = "two", frequency = 155.1, type = "analog" },
      { name = "three", frequency = 155.2, coverage = -1 },
      { name = "four", frequency = 155.3 },
  } },
  "B",
  { name = "C", channels = { { frequency = 155.3, type = "digital" } } },
}
Config.announcementGroups = { { id = "g", frequencies = { 155.9 } } } -- may be "one": not told
Config.alerts = { {}, { name = "fine" }, { name = {}, repeatInterval = -1 } }
Config.tones = { X = "../x.wav", Y = 7, Z = {} }
Config.codeplugs = { { id = "p", nac = 5000 }, { id = "p", nac = 1, announcementVolume = 900 } }
Config.jobCodeplugs = { police = "q" } -- every codeplug has its id: told
Config.sfxVolume, Config.panicTimeout = 101, -1
Config.callsign = { minLength = 9, maxLength = 3 }
Config.tls = { cert = "a" }; Config.webrtc = { publicAddress = { "203.0.113.5:7778", "radio example", "203.0.113.500", 5 }, engine = "steam" }
Config.getPlayerName = 5
Config.limits = { pingInterval = 1, users = 0 }
`

// mistakes returns the Mistakes of an error, and each also as line, key and message.
func mistakes(t *testing.T, err error) (all *Mistakes, lines []string) {
	t.Helper()
	if !errors.As(err, &all) {
		t.Fatalf("error is %v", err)
	}
	for _, e := range all.All {
		if filepath.Base(e.File) != "config.lua" {
			t.Errorf("file %s", e.File)
		}
		lines = append(lines, fmt.Sprintf("%d: %s: %s", e.Line, e.Key, e.Msg))
	}
	return all, lines
}

// TestAllMistakesAreToldAtOnce: each once, and none that only follows from
// another.
func TestAllMistakesAreToldAtOnce(t *testing.T) {
	_, err := Load(folder(t, manyMistakes, "add_ace a b maybe"))
	all, got := mistakes(t, err)
	list(t, "mistakes", got,
		`1: serverPort: must be a number, not "seven"`,
		`4: zones[1].channels[1].frequency: "abc" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`,
		`5: zones[1].channels[2]: must be a table, not 5`,
		`6: zones[1].channels[3].type: must be conventional, trunked or digital`,
		`7: zones[1].channels[4].coverage: must not be negative`,
		`10: zones[2]: must be a table, not "B"`,
		`11: zones[3].channels[1].type: is digital, but 155.3 is conventional elsewhere`,
		`14: alerts[3].name: must be text, not a table`,
		`14: alerts[3].repeatInterval: must be a number of at least 0, not -1`,
		`14: alerts[1].name: is missing`,
		`15: tones.X: "../x.wav" must be a plain file name in the tone folder`,
		`15: tones.Z.file: needs a file name`,
		`16: codeplugs[1].nac: must be a whole number from 0 to 4095, not 5000`,
		`16: codeplugs[2].id: is missing or occurs twice`,
		`16: codeplugs[2].announcementVolume: must be 0-1`,
		`17: jobCodeplugs.police: names codeplug q, which does not exist`,
		`18: sfxVolume: must be a whole number from 0 to 100, not 101`,
		`18: panicTimeout: must be a whole number from 0 to 604800000, not -1`,
		`19: callsign: callsign.minLength and maxLength must satisfy 0 <= min <= max <= 256`,
		`20: webrtc.publicAddress[1]: must be an IP address or a host name without a port, such as "203.0.113.5" (the ports are udpPort and tcpPort)`,
		`20: webrtc.publicAddress[2]: must be an IP address or a host name such as radio.example.org, not "radio example"`,
		`20: webrtc.publicAddress[3]: must be an IP address or a host name such as radio.example.org, not "203.0.113.500"`,
		`20: webrtc.publicAddress[4]: must be an IP address or a host name such as radio.example.org, not 5`,
		`20: webrtc.engine: must be onesocket or pion, not "steam"`,
		`20: tls.key: is missing: tls needs both cert and key`,
		`21: getPlayerName: must be a function, not 5`,
		`22: limits.users: must be a whole number from 1 to 100000, not 0`,
		`22: limits.pingInterval: must be a whole number from 100 to 300000, not 1`,
	)
	if len(all.Warnings) == 0 || !strings.Contains(all.Warnings[len(all.Warnings)-1], "permissions.cfg:1: ") {
		t.Errorf("warnings %q", all.Warnings)
	}
	var one *Error
	if !errors.As(err, &one) || one != all.All[0] || strings.Count(err.Error(), "\n") != len(all.All)-1 {
		t.Errorf("as one error: %v, as text:\n%v", one, err)
	}
}

const mistakesInOneObject = `Config.zones = { { name = "A", channels = {
  { type = 'bogus', frequency = 'x', coverage = -1, frequencyRange = { 2, 1 } },
  { type = {}, frequency = 155.1 },
  { type = 'digital', frequency = 155.1 },
  { frequency = 155.2, frequencyRange = { 'low', 'high' }, gps = 5 },
  { frequency = 155.2, type = 'trunked', frequencyRange = { 1, 2 } },
} } }
Config.announcementGroups = { { id = 'a', frequencies = { 155.1 } }, { id = 'a', frequencies = { {}, 155.2 } } }
Config.tones = { { name = {} } }
Config.codeplugs = {
  { id = 'p', emergency = {} },
  { id = 'p', nac = 5000, announcementVolume = 900, zones = { 'x', 9, 8 }, features = { scan = 1, gps = 2 } },
}
Config.jobCodeplugs = { { job = {} }, { codeplug = 'q' } }
Config.callsign = { minLength = 9, maxLength = 3, pattern = '(' }
Config.tls = { cert = 'a', auto = 'b', hsts = 5 }
`

// TestMistakesInOneObjectDoNotHideEachOther: one for each value.
func TestMistakesInOneObjectDoNotHideEachOther(t *testing.T) {
	_, err := Load(folder(t, mistakesInOneObject, ""))
	_, got := mistakes(t, err)
	list(t, "mistakes", got,
		`2: zones[1].channels[1].frequency: "x" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`,
		`2: zones[1].channels[1].type: must be conventional, trunked or digital`,
		`2: zones[1].channels[1].frequencyRange: must be {low, high} with low not above high`,
		`2: zones[1].channels[1].coverage: must not be negative`,
		`3: zones[1].channels[2].type: must be text, not a table`,
		`5: zones[1].channels[4].frequencyRange[1]: "low" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`,
		`5: zones[1].channels[4].frequencyRange[2]: "high" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`,
		`5: zones[1].channels[4].gps: must be a table, not 5`,
		`8: announcementGroups[2].frequencies[1]: must be a frequency, not a table`,
		`8: announcementGroups[2].id: is missing or occurs twice`,
		`9: tones[1].name: must be text, not a table`,
		`9: tones[1].file: needs a file name`,
		`12: codeplugs[2].nac: must be a whole number from 0 to 4095, not 5000`,
		`12: codeplugs[2].zones[1]: must be a number, not "x"`,
		`12: codeplugs[2].features.scan: must be true or false, not 1`,
		`12: codeplugs[2].features.gps: must be true or false, not 2`,
		`12: codeplugs[2].id: is missing or occurs twice`,
		`12: codeplugs[2].announcementVolume: must be 0-1`,
		`12: codeplugs[2].zones: must be zone numbers from 1 to 1, not 9`,
		`12: codeplugs[2].zones: must be zone numbers from 1 to 1, not 8`,
		`14: jobCodeplugs[1].job: must be text, not a table`,
		`14: jobCodeplugs[1].codeplug: is missing: expected a codeplug id`,
		`14: jobCodeplugs[2].job: is missing: expected a job and a codeplug id`,
		"15: callsign.pattern: \"(\" is not a valid pattern: error parsing regexp: missing closing ): `(`",
		`15: callsign: callsign.minLength and maxLength must satisfy 0 <= min <= max <= 256`,
		`16: tls.hsts: must be true or false, not 5`,
		`16: tls.key: is missing: tls needs both cert and key`,
		`16: tls.auto: cannot be combined with tls.cert`,
	)
}

// TestGroupsAndCodeplugsAreAllLookedAt: each group separately, and whatever is
// independent of a mistake elsewhere in the zones.
func TestGroupsAndCodeplugsAreAllLookedAt(t *testing.T) {
	_, err := Load(folder(t, `Config.zones = { { name = {}, channels = { { frequency = 155.1, type = 'analog' } } } }
Config.announcementGroups = {
  { id = 'a', frequencies = { 155.1 } },
  { id = 'a', frequencies = {} },
  { name = 'x' },
  { id = 'd', frequencies = { 'x', 999, 998 } },
}
Config.codeplugs = { { nac = 1, emergency = { revertFrequency = 997 } } }`, ""))
	all, got := mistakes(t, err)
	list(t, "mistakes", got,
		`1: zones[1].name: must be text, not a table`,
		`1: zones[1].channels[1].type: must be conventional, trunked or digital`,
		`4: announcementGroups[2].id: is missing or occurs twice`,
		`6: announcementGroups[4].frequencies[1]: "x" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`,
		`6: announcementGroups[4].frequencies: names 999, which is not a channel`,
		`6: announcementGroups[4].frequencies: names 998, which is not a channel`,
		`8: codeplugs[1].emergency.revertFrequency: is not a channel`,
	)
	for i := range all.Warnings {
		all.Warnings[i] = all.Warnings[i][strings.LastIndex(all.Warnings[i], "config.lua:"):]
	}
	list(t, "warnings", all.Warnings,
		`config.lua:4: announcementGroups[2].frequencies: is empty: the group keys nothing`,
		`config.lua:5: announcementGroups[3].id: is missing: group-3 is used, which changes when the list is reordered`,
		`config.lua:5: announcementGroups[3].frequencies: is empty: the group keys nothing`,
		`config.lua:8: codeplugs[1].id: is missing: codeplug-1 is used, which changes when the list is reordered`,
	)
}

// TestWhatNobodyMeansIsWarnedOf: the radio works with it, and every place is
// reported.
func TestWhatNobodyMeansIsWarnedOf(t *testing.T) {
	l := load(t, folder(t, `Config.zones = {
  { name = 'A', Channels = {
    { frequency = 155.1 },
    { frequency = '155.10' },
    nil,
    { frequency = 851, type = 'trunked' },
    { frequency = 852, type = 'trunked', frequencyRange = { 853, 854 } },
    { frequency = 855, type = 'trunked' },
    { frequency = 155.1 },
  } },
  { name = 'B', channels = { { frequency = 155.1 } } },
  { name = 'C' },
  { name = 'D',
    channels = {} },
}
Config.tones = {}`, ""))
	var got []string
	for _, w := range l.Warnings {
		got = append(got, w[strings.LastIndex(w, "config.lua:"):])
	}
	list(t, "warnings", got,
		`config.lua:2: zones[1].Channels: entry 3 is missing: the ones after it move up`,
		`config.lua:4: zones[1].Channels[2].frequency: 155.1 is already in this zone, at zones[1].Channels[1]`,
		`config.lua:6: zones[1].Channels[4].frequencyRange: is missing: without {low, high} a trunked channel has no working frequencies and stays on 851`,
		`config.lua:8: zones[1].Channels[6].frequencyRange: is missing: without {low, high} a trunked channel has no working frequencies and stays on 855`,
		`config.lua:9: zones[1].Channels[7].frequency: 155.1 is already in this zone, at zones[1].Channels[1]`,
		`config.lua:12: zones[3].channels: is empty: nobody can talk in this zone`,
		`config.lua:14: zones[4].channels: is empty: nobody can talk in this zone`,
	)
}

func TestPermissionsAreReadBesideAConfigThatDoesNotRun(t *testing.T) {
	_, err := Load(folder(t, "Config.zones = {", "add_ace a b maybe"))
	var all *Mistakes
	if !errors.As(err, &all) || len(all.All) != 1 || all.All[0].Line != 1 || len(all.Warnings) != 1 {
		t.Fatalf("error is %v, %+v", err, all)
	}
	_, err = Load(folder(t, "Config.logLevel = 9", strings.Repeat("add_ace a b allow\n", 1)+manyEntries()))
	if !errors.As(err, &all) || len(all.All) != 2 || all.All[0].Key != "logLevel" || !strings.Contains(all.All[1].Msg, "has more than 20000 entries") {
		t.Fatalf("error is %.300v", err)
	}
	if _, err = Load(folder(t, "", manyEntries())); err == nil || !strings.Contains(err.Error(), "permissions.cfg:20001: has more than 20000 entries") {
		t.Errorf("error is %.300v", err)
	}
}

// TestNothingIsSaidOfChannelsThatCouldNotBeRead: the mistake in the zones comes
// first.
func TestNothingIsSaidOfChannelsThatCouldNotBeRead(t *testing.T) {
	_, err := Load(folder(t, "Config.zones = { { channels = { { frequency = '154.75S' } } } }",
		"add_ace a radio.connect.154.755 allow\nadd_ace a radio.zone.2 allow\nadd_ace a radio.nac.lspd allow\nadd_ace a radio.conect allow\nadd_ace a tRadio.scan allow"))
	var all *Mistakes
	if !errors.As(err, &all) || len(all.All) != 1 {
		t.Fatal(err)
	}
	list(t, "warnings", all.Warnings,
		"permissions.cfg:4: radio.conect has no effect; did you mean radio.connect?",
		"permissions.cfg:5: tradio.scan has no effect: resourceName is radio; did you mean radio.scan?")
}

func manyEntries() string {
	var b strings.Builder
	for i := range maxPermissions + 1 {
		fmt.Fprintf(&b, "add_principal player.%d group.x\n", i)
	}
	return b.String()
}

func TestMistakesAreBounded(t *testing.T) {
	_, err := text("Config.alerts = {} for i = 1, 500 do Config.alerts[i] = i end")
	var all *Mistakes
	if !errors.As(err, &all) || len(all.All) != maxMistakes+1 || all.All[maxMistakes].Error() != "config.lua: 400 more mistakes" {
		t.Fatalf("%d mistakes, %.200v", len(all.All), err)
	}
}
