package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"squelch/core"
)

func TestPermissions(t *testing.T) {
	for _, c := range []struct{ name, src, want, warn string }{
		{"nothing", "\ufeff# only a comment\r\n  // and another\r\n", `{}`, ""},
		{"case", `ADD_ACE Group.X Radio.Connect.154.755 ALLOW`, `{"entries":[{"principal":"group.x","object":"radio.connect.154.755","allow":true}]}`, ""},
		{"deny", `add_ace a b deny`, `{"entries":[{"principal":"a","object":"b","allow":false}]}`, ""},
		{"removed", "add_ace a b deny\nremove_ace A b deny\nremove_ace a b allow", `{}`, ""},
		{"principals", `add_principal identifier.discord:1 "group.x"; add_principal a b`, `{"inherit":[{"child":"identifier.discord:1","parent":"group.x"},{"child":"a","parent":"b"}]}`, ""},
		{"a link in a name", `add_principal https://x group.a`, `{"inherit":[{"child":"https://x","parent":"group.a"}]}`, ""},
		{"others", "exec other.cfg\nstart x;start y\n", `{}`, "permissions.cfg:1: commands other than permissions are skipped: exec, start"},
	} {
		p, err := ParsePermissions(c.src, "permissions.cfg")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		same(t, c.name, asJSON(t, p.ACL), c.want)
		same(t, c.name+": warning", strings.Join(p.Warnings, "\n"), c.warn)
	}
	for src, want := range map[string]string{
		"\n\nadd_ace a b":                           "p.cfg:3: add_ace needs a principal, an object, and allow or deny: it is skipped",
		"add_ace a b maybe":                         `p.cfg:1: "maybe" is neither allow nor deny: the add_ace is skipped`,
		"add_ace a b alow":                          `p.cfg:1: "alow" is neither allow nor deny: the add_ace is skipped; did you mean allow?`,
		"remove_ace a b allow c":                    "p.cfg:1: remove_ace needs a principal, an object, and allow or deny: it is skipped",
		"add_principal a":                           "p.cfg:1: add_principal needs a child and a parent principal: it is skipped",
		"remove_principal a b c":                    "p.cfg:1: remove_principal needs a child and a parent principal: it is skipped",
		"add_ace \"a b allow":                       "p.cfg:1: a quote is missing its end: the line is skipped",
		"add_ace \"\" radio.x allow":                "p.cfg:1: add_ace has an empty name: it is skipped",
		"ad_ace a b allow\nadd_princpal a b\nx":     "p.cfg:1: ad_ace is unknown: it is skipped; did you mean add_ace?\np.cfg:2: add_princpal is unknown: it is skipped; did you mean add_principal?\np.cfg:3: commands other than permissions are skipped: x",
		"add-ace a b allow; AddAce a b allow; x; y": "p.cfg:1: add-ace is unknown: it is skipped; did you mean add_ace?\np.cfg:1: AddAce is unknown: it is skipped; did you mean add_ace?\np.cfg:1: commands other than permissions are skipped: x, y",
	} {
		p, err := ParsePermissions(src+"\nadd_ace c d allow", "p.cfg")
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		same(t, src, strings.Join(p.Warnings, "\n"), want)
		same(t, src+": the rest counts", asJSON(t, p.ACL), `{"entries":[{"principal":"c","object":"d","allow":true}]}`)
	}
}

func TestPlaceholderSecretsAreRefusedWhereOthersCanReachThem(t *testing.T) {
	good := ServerConfig{AuthToken: "a-real-one", DispatchNacID: "4711", AdminPassword: "hunter three"}
	with := func(change func(*ServerConfig)) ServerConfig { c := good; change(&c); return c }
	for _, c := range []struct {
		name   string
		listen string
		cfg    ServerConfig
		allow  bool
		warn   int
		err    string
	}{
		{"good secrets everywhere", "0.0.0.0:7777", good, false, 0, ""},
		{"the published NAC id", ":7777", with(func(c *ServerConfig) { c.DispatchNacID = "141" }), false, 0, "Config.dispatchNacId,"},
		{"141 as a token is only short", ":7777", with(func(c *ServerConfig) { c.AuthToken = "141" }), false, 0, ""},
		{"changeme", "[::]:7777", with(func(c *ServerConfig) { c.AuthToken = "ChangeMe"; c.AdminPassword = "CHANGE_ME" }), false, 0, "Config.authToken, Config.adminPassword,"},
		{"empty", "192.168.1.5:80", with(func(c *ServerConfig) { c.AdminPassword = "" }), false, 0, "Config.adminPassword,"},
		{"a placeholder client", ":1", with(func(c *ServerConfig) { c.UseDiscordAuth = true; c.Discord.ClientSecret = "changeme" }), false, 0, "Config.discord.clientSecret,"},
		{"on this machine", "127.0.0.1:7777", with(func(c *ServerConfig) { c.DispatchNacID = "141" }), false, 1, ""},
		{"on this machine, IPv6", "[::1]:7777", with(func(c *ServerConfig) { c.DispatchNacID = "141" }), false, 1, ""},
		{"localhost", "localhost:7777", with(func(c *ServerConfig) { c.AuthToken = "" }), false, 1, ""},
		{"allowed", "0.0.0.0:7777", ServerConfig{}, true, 3, ""},
		{"a name that only looks local", "127.0.0.1.example.org:1", ServerConfig{}, false, 0, "Config.authToken, Config.dispatchNacId, Config.adminPassword,"},
	} {
		warn, err := CheckSecrets(c.listen, c.cfg, c.allow)
		same(t, c.name+": warnings", len(warn), c.warn)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAShortMasterTokenIsWarnedOf(t *testing.T) {
	for token, want := range map[string]string{
		"141":                   "authToken has only 3 characters",
		" nineteen-characters ": "authToken has only 19 characters",
		"twenty-characters-ok":  "",
		"":                      "", // generated, or named as a placeholder
		"ChangeMe":              "",
	} {
		got := WarnOfShortToken(ServerConfig{AuthToken: token})
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", token, got, want)
		}
	}
}

func TestLuaPatternsOfCallsigns(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		yes, not []string
	}{
		{"^%d%d%d$", []string{"141"}, []string{"14", "1411", "abc"}},
		{"^%u+%-%d+$", []string{"LSPD-12"}, []string{"lspd-12", "LSPD12"}},
		{"^[%a_][%w_]*$", []string{"a_1", "_"}, []string{"1a", ""}},
		{"^[^%d]-%.x%%$", []string{"ab.x%"}, []string{"1.x%"}},
		{"^%S+$", []string{"a-b"}, []string{"a b"}},
		{"^[A-F%-]%x$", []string{"-f", "Ce"}, []string{"Gf"}},
		{"^(%d)%p?.$", []string{"1-x", "1x"}, []string{"x"}},
		{"^[]%]]%d$", []string{"]1"}, []string{"[1"}},
		{`^\d{3}$`, []string{"141"}, []string{"14"}},
		{`^[0-9]{2}[A-Z]$`, []string{"12A"}, []string{"12a"}},
	} {
		re, err := callsignPattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		match := regexp.MustCompile(re)
		for _, s := range c.yes {
			same(t, c.pattern+" on "+s, match.MatchString(s), true)
		}
		for _, s := range c.not {
			same(t, c.pattern+" on "+s, match.MatchString(s), false)
		}
	}
	for _, p := range []string{"%f[%w]x", "(%d)%1", "%d[", "%d%", "^[%S]%d", "%dé"} {
		if re, err := callsignPattern(p); err == nil {
			t.Errorf("%s became %s", p, re)
		}
	}
}

func TestTheAdminPanelsEditsWinOverTheFile(t *testing.T) {
	base := mustText(t, `Config.zones = { { name = "A", Channels = { { frequency = "154.755" } } } }`).Core
	before := asJSON(t, base)
	o, err := ParseOverlay([]byte(`{
		"zones": [{"name": "B", "channels": [{"name": "new", "type": "digital", "frequency": "460.250", "allowedNacs": ["1"]}]}],
		"alerts": [{"name": "FIRE", "isPersistent": false, "tones": {"activate": "PANIC"}, "extra": [1, {"x": null}]}],
		"volumes": {"voice": 10, "sfx": 20, "audio3d": 30, "step": 1},
		"announcementGroups": [{"id": "g", "name": "G", "frequencies": ["460.25"]}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	list(t, "parts", o.Parts(), "zones", "alerts", "volumes", "announcementGroups")
	out, err := Apply(base, o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "zone", out.Zones[0].Channels[0].Frequency.String(), "460.25")
	same(t, "alert", out.Alerts[0].Persistence, core.No)
	same(t, "alert's tone", out.Alerts[0].Tones.Activate, "PANIC")
	same(t, "volume", out.Volumes.Voice, 10)
	same(t, "tones are the file's", len(out.Tones), 6)
	same(t, "the base is as it was", asJSON(t, base), before)
	(*o.Zones)[0].Channels[0].AllowedNacs[0] = "changed"
	same(t, "nothing is shared", out.Zones[0].Channels[0].AllowedNacs[0], "1")

	again, err := ParseOverlay([]byte(asJSON(t, o)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "an overlay survives storing", asJSON(t, again), asJSON(t, o))

	for src, want := range map[string]string{
		`{"zones": [{"name": "B", "channels": [{"frequency": "1"}]}]}`: "zones[1].channels[1].type must be",
		`{"announcementGroups": [{"id": "g", "frequencies": ["9"]}]}`:  "announcementGroups[1].frequencies names 9",
		`{"alerts": [{"color": "red"}]}`:                               "alerts[1].name is missing",
		`{"volumes": {"voice": 101}}`:                                  "voiceVolume must be 0-100",
		`{"tones": [{"name": "x"}]}`:                                   "tones[1] needs a name and a file",
		`{"codeplugs": [{"id": "a"}, {"id": "a"}]}`:                    "codeplugs[2].id",
		`{"jobCodeplugs": [{"job": "a", "codeplug": "b"}]}`:            "jobCodeplugs.a names codeplug b",
		`{"zones": [{"channels": [{"name": "x", "type": "conventional", "frequency": "1"}]}], "tones": [{"name": "a", "file": "b"}, {"name": "A", "file": "c"}]}`: "occurs twice",
	} {
		o, err := ParseOverlay([]byte(src))
		if err == nil {
			_, err = Apply(base, o)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	for _, src := range []string{`{"zone": []}`, `[]`, `{"alerts": [{"isPersistent": "yes"}]}`, `{"alerts": [3]}`, strings.Repeat(" ", MaxOverlay+1)} {
		if _, err := ParseOverlay([]byte(src)); err == nil {
			t.Errorf("%.40s is an overlay", src)
		}
	}
}

func TestAnAlertIsWrittenAsItWasRead(t *testing.T) {
	made := AlertEntry{Name: "X", Color: "red", Persistence: core.No, ToneOnly: true, Tone: "BEEP", RepeatInterval: 5, RepeatShowBanner: true,
		Tones: core.AlertTones{Repeat: "BONK"}, DeactivateLabel: "off", DeactivateColor: "blue"}
	raw, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var read AlertEntry
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	same(t, "raw", read.Raw, string(raw))
	read.Raw = ""
	same(t, "alert", read, made)
}
