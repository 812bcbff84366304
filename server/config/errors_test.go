package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const twoZones = `Config.zones = {
  { name = "A", channels = {
      { name = "one", frequency = "154.755" },
  } },
  { name = "B", Channels = {
      {
        name = "two",
        frequency = FREQ,
        type = TYPE,
      },
  } },
}
`

func zonesWith(frequency, kind string) string {
	return strings.NewReplacer("FREQ", frequency, "TYPE", kind).Replace(twoZones)
}

func TestMistakesAreNamedWithFileLineAndKey(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no frequency at all", zonesWith(`nil`, `"digital"`), `config.lua:8: zones[2].Channels[1].frequency: is missing`},
		{"a channel with only a name", "Config.zones = { { Channels = {\n { name = 'x' } } } }", `config.lua:2: zones[1].Channels[1].frequency: is missing`},
		{"a word as frequency", zonesWith(`"abc"`, `nil`), `config.lua:8: zones[2].Channels[1].frequency: "abc" is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`},
		{"a table as frequency", zonesWith(`{}`, `nil`), `config.lua:8: zones[2].Channels[1].frequency: must be a frequency, not a table`},
		{"frequency zero", zonesWith(`0`, `nil`), `config.lua:8: zones[2].Channels[1].frequency: 0 is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000`},
		{"a type that is none", zonesWith(`155.1`, `"analog"`), `config.lua:9: zones[2].Channels[1].type: must be conventional, trunked or digital`},
		{"one frequency, two types", zonesWith(`154.755`, `"digital"`), `config.lua:9: zones[2].Channels[1].type: is digital, but 154.755 is conventional elsewhere`},
		{"zones are text", `Config.zones = "all"`, `config.lua:1: zones: must be a table, not "all"`},
		{"a zone is a number", "Config.zones = {\n 5 }", `config.lua:2: zones[1]: must be a table, not 5`},
		{"a range of one", "Config.zones = {{ channels = {{ frequency = 1, type = 'trunked',\n frequencyRange = { 1 } }} }}", `config.lua:2: zones[1].channels[1].frequencyRange: must be {low, high}`},
		{"a range upside down", "Config.zones = {{ channels = {{ frequency = 1,\n frequencyRange = { 2, 1 } }} }}", `config.lua:2: zones[1].channels[1].frequencyRange: must be {low, high} with low not above high`},
		{"an error behind a hole", "Config.zones = { [4] = { channels = {\n[2] = { frequency = 1,\n coverage = -1 } } } }", `config.lua:3: zones[4].channels[2].coverage: must not be negative`},
		{"a number that is text", "\nConfig.voiceVolume = 'loud'", `config.lua:2: voiceVolume: must be a number, not "loud"`},
		{"too loud", "Config.sfxVolume = 101", `config.lua:1: sfxVolume: must be a whole number from 0 to 100, not 101`},
		{"yes as text", "Config.bonking = {\n playBonkTone = 'yes' }", `config.lua:2: bonking.playBonkTone: must be true or false, not "yes"`},
		{"set later on", "Config.bonking = {}\n\nConfig.bonking.bonkInterval = -1", `config.lua:3: bonking.bonkInterval: must be a whole number from 0 to 604800000, not -1`},
		{"out of a local table", "local list = {\n { name = '' },\n}\nConfig.alerts = list", `config.lua:2: alerts[1].name: is missing`},
		{"an inserted alert", "Config.alerts = {}\ntable.insert(Config.alerts, {\n name = 1,\n repeatInterval = -3 })", `config.lua:4: alerts[1].repeatInterval: must be a number of at least 0, not -3`},
		{"a returned table", "return {\n logLevel = 9 }", `config.lua:2: logLevel: must be a whole number from 0 to 5, not 9`},
		{"a codeplug by name", "Config.codeplugs = { patrol = {\n announcementVolume = 900 } }", `config.lua:2: codeplugs.patrol.announcementVolume: must be 0-1`},
		{"a codeplug's NAC", "Config.codeplugs = { { nac =\n '0xFFFF' } }", `config.lua:1: codeplugs[1].nac: must be a network access code from 0 to 4095, not "0xFFFF"`},
		{"a job without a codeplug", "Config.jobCodeplugs = {\n police = 'none' }", `config.lua:2: jobCodeplugs.police: names codeplug none, which does not exist`},
		{"a group's channel", "Config.announcementGroups = { { id = 'x',\n frequencies = { 9 } } }", `config.lua:2: announcementGroups[1].frequencies: names 9, which is not a channel`},
		{"a tone twice", "Config.tones = { { name = 'X', file = 'a.wav' },\n { name = 'x', file = 'b.wav' } }", `config.lua:2: tones[2].name: x occurs twice`},
		{"a tone outside its folder", "Config.tones = {\n X = '../secret.wav' }", `config.lua:2: tones.X: "../secret.wav" must be a plain file name in the tone folder`},
		{"callsign lengths", "Config.callsign = { minLength = 9, maxLength = 3 }", `config.lua:1: callsign: callsign.minLength and maxLength must satisfy 0 <= min <= max <= 256`},
		{"a Lua pattern without an equal", "Config.callsign = {\n pattern = '%b()' }", `config.lua:2: callsign.pattern: "%b()" uses %b, which is not supported: write a regular expression`},
		{"a broken expression", "Config.callsign = {\n pattern = '(' }", "config.lua:2: callsign.pattern: \"(\" is not a valid pattern: error parsing regexp: missing closing ): `(`"},
		{"a callback that is none", "Config.getUserNacId = 'LSPD'", `config.lua:1: getUserNacId: must be a function, not "LSPD"`},
		{"half a certificate", "Config.tls = { cert = 'a' }", `config.lua:1: tls.key: is missing: tls needs both cert and key`},
		{"two certificates", "Config.tls = { cert = 'a', key = 'b', auto = 'h' }", `config.lua:1: tls.auto: cannot be combined with tls.cert`},
		{"a proxy that is none", "Config.trustedProxies = {\n 'nginx' }", `config.lua:2: trustedProxies[1]: must be an address range such as 10.0.0.0/8, not "nginx"`},
		{"an address without a scheme", "Config.serverAddress = 'radio.example.org'", `config.lua:1: serverAddress: must be a base URL such as https://radio.example.org, not "radio.example.org"`},
		{"Discord without a client", "Config.useDiscordAuth = true Config.discord = { clientSecret = 's' }", `config.lua:1: discord.clientId: is required when useDiscordAuth is true`},
		{"roles without a guild", "Config.useDiscordAuth = true Config.discord = { clientId = '1', clientSecret = 's', allowedRoles = { 5 } }", `config.lua:1: discord.guildId: is required when discord.allowedRoles is set`},
		{"a theme by its name", "Config.themes = {\n default = 'Night Shift' }", `config.lua:2: themes.default: must be the slug of a theme, such as night-shift (a-z, 0-9, - and _, at most 40 of them), not "Night Shift"`},
		{"a marketplace in the clear", "Config.themes = {\n default = 'x',\n marketplace = 'http://themes.example.org/index.json' }", `config.lua:3: themes.marketplace: must be an https URL of the index of a marketplace, such as https://themes.example.org/index.json, not "http://themes.example.org/index.json"`},
		{"a marketplace with a password", "Config.themes = { marketplace = 'https://a:b@example.org/index.json' }", `config.lua:1: themes.marketplace: must not have a user name or password in it: none is sent to a marketplace`},
		{"a marketplace's front page", "Config.themes = { marketplace = 'https://themes.example.org/' }", `config.lua:1: themes.marketplace: must be an https URL of the index of a marketplace, such as https://themes.example.org/index.json, not "https://themes.example.org/"`},
		{"themes as a list", "Config.themes = 'night'", `config.lua:1: themes: must be a table, not "night"`},
		{"a limit", "Config.limits = { pingInterval = 1 }", `config.lua:1: limits.pingInterval: must be a whole number from 100 to 300000, not 1`},
		{"Config is gone", "Config = nil", `config.lua: Config: must be a table`},
		{"a table in itself", "Config.alerts = { { name = 'x' } } Config.alerts[1].me = Config", `config.lua:1: alerts[1].me.alerts[1].me.alerts[1].me.alerts[1].me.alerts[1].me.alerts[1].me.alerts[1].me.alerts[1].me: tables are nested more than 24 levels deep`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := text(c.src)
			if err == nil {
				l.Callbacks.Close()
				t.Fatalf("loads, want %s", c.want)
			}
			var at *Error
			if !errors.As(err, &at) || err.Error() != c.want {
				t.Errorf("error is\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestLuaMistakesAreNamedWithFileAndLine(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a missing comma", "Config.bonking = {\n a = 1\n b = 2 }", `config.lua:3: syntax error near 'b'`},
		{"not closed", "Config.zones = {\n {\n", `config.lua:2: syntax error at the end of the file: something is not closed`},
		{"a string without an end", "\nConfig.serverName = 'x\n", `config.lua:2: the string 'x has no end`},
		{"a comment without an end", "\n/* x", `config.lua:2: the comment /* has no end */`},
		{"a runtime error", "local x\n\nConfig.serverName = x.name", `config.lua:3: attempt to index a non-table object(nil) with key 'name'`},
		{"a native", "\nSetTimecycle(1)", `config.lua:2: calls something that does not exist (the game's natives are not available in the service)`},
		{"an operator's own error", "\nerror('no database')", `config.lua:2: no database`},
		{"an endless loop", "\nwhile true do end", `config.lua:2: runs too long`},
		{"an endless loop that catches errors", "\nwhile true do pcall(function() while true do end end) end", `config.lua:2: runs too long`},
		{"a comment of C++", "Config.a = 7\n// half of it", `config.lua:2: parse error near 'it' (a comment starts with --, not with //)`},
		{"half an or of bits", "Config.b = 1 |", `config.lua:1: | needs a value on each side, as in a | b`},
		{"a field of nothing", "Config.b = Config?.1", `config.lua:1: ?. needs a value on its left and a field on its right, as in a?.b`},
		{"a closed variable", "local f <close> = nil", `config.lua:1: <close> is not Lua 5.1: leave it out`},
		{"a call on the left", "local t = {}\nfoo().x += 1", `config.lua:2: += needs a plain name or field on its left: write a = a + b`},
		{"C logic", "Config.a = true && false", `config.lua:1: && is not Lua 5.1: write and`},
		{"no file access", "Config.a = io.open('/etc/passwd')", `config.lua:1: attempt to index a non-table object(nil) with key 'open'`},
		{"no code loading", "loadstring('x = 1')()", `config.lua:1: calls something that does not exist (the game's natives are not available in the service)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := time.Minute
			if strings.Contains(c.name, "endless") {
				limit = 300 * time.Millisecond
			}
			l, err := timed(c.src, limit)
			if err == nil {
				l.Callbacks.Close()
				t.Fatalf("loads, want %s", c.want)
			}
			if err.Error() != c.want {
				t.Errorf("error is\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestUnknownKeysAreReportedOnce(t *testing.T) {
	l := mustText(t, `Config.Zones = 1
Config.onReady = function() end
Config.zones = {
 { name = "a", colour = 1, channels = { { frequency = 1, icon = "x" }, { frequency = 2, icon = "y" } } },
 { name = "b", colour = 2, Channels = { { frequency = 3, icon = "z" } }, channels = {} },
}`)
	list(t, "warnings", l.Warnings,
		"config.lua:1: Zones: is unknown; did you mean zones?",
		"config.lua:4: zones[1].colour: is unknown and has no effect",
		"config.lua:4: zones[1].channels[1].icon: is unknown and has no effect",
		"config.lua:5: zones[2].Channels: is used: the key channels beside it is ignored")
	same(t, "all of them are kept", len(l.Extra), 6)
}

// What a file leaves in memory may be much larger than the file itself.
func TestTablesThatGrowWhenTheyAreReadAreRefused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a table in many places", `local t = { 1 } for i = 1, 20 do t = { t, t, t, t } end Config.alerts = { { name = "x", t = t } }`, "more than 100000 values"},
		{"the same, written out", `local a = { 1, 1, 1, 1 } local b = { a, a, a, a } local c = { b, b, b, b } local d = { c, c, c, c } local e = { d, d, d, d } local f = { e, e, e, e } local g = { f, f, f, f } local h = { g, g, g, g } local i = { h, h, h, h } local j = { i, i, i, i } Config.x = j`, "more than 100000 values"},
		{"many channels in many zones", `local z = { channels = {} } for i = 1, 2000 do z.channels[i] = { frequency = i } end Config.zones = {} for i = 1, 2000 do Config.zones[i] = z end`, "more than 100000 values"},
		{"a long text in many places", `local s, t = ("x"):rep(4000), {} for i = 1, 20000 do t[i] = s end Config.alerts = { { name = "x", t = t } }`, "larger than 4194304 bytes"},
		{"a long key in many places", `local t = {} for i = 1, 50000 do t[i] = i end Config[("x"):rep(1000000)] = { [("y"):rep(1000000)] = t, z = "word" } Config.logLevel = "x"`, "logLevel: must be"},
		{"a long text", `Config.serverName = ("x"):rep(5000)`, "serverName: is longer than 4096 bytes"},
	} {
		l, err := text(c.src)
		if err == nil {
			l.Callbacks.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %s", c.name, err, c.want)
		}
	}
	l := mustText(t, `for i = 1, 5000 do Config["key number " .. i] = i end`)
	same(t, "warnings", len(l.Warnings), maxWarnings)
}

func TestAFileThatIsNotThere(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "config.lua"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "config.lua: file does not exist") {
		t.Errorf("error is %v", err)
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "must be a file") {
		t.Errorf("a folder: %v", err)
	}
}
