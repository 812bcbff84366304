package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core"
)

// TestPermissionsWithoutAnEffectAreWarnedOf: they are used as they are, and each
// warning has the nearest name that would have an effect. The demo radio has LSPD
// DISP on 154.755, BCSO DISP on 460.250 and four zones.
func TestPermissionsWithoutAnEffectAreWarnedOf(t *testing.T) {
	for object, want := range map[string]string{
		"radio":                 "",
		"radio.connect":         "",
		"radio.connect.154.755": "",
		"radio.connect.154":     "",
		"radio.connect.460.25":  "",
		"radio.connect.460.250": "", // as configured
		"radio.scan.154.755":    "",
		"radio.gps":             "",
		"radio.zone":            "",
		"radio.zone.4":          "",
		"radio.dispatch":        "",
		"radio.nac.lspd":        "",
		"radio.nac.swat":        "", // an id that only permissions mention
		"RADIO.Connect.154.755": "",

		"tRadio.connect.154.755": "tradio.connect.154.755 has no effect: resourceName is radio; did you mean radio.connect.154.755?",
		"tRadio.connect":         "tradio.connect has no effect: resourceName is radio; did you mean radio.connect?",
		"police.conect.154.755":  "police.conect.154.755 has no effect: resourceName is radio; did you mean radio.connect.154.755?",
		"radios":                 "radios has no effect: resourceName is radio; did you mean radio?",
		"tRadio.connect_154.755": "tradio.connect_154.755 has no effect: resourceName is radio; did you mean radio.connect.154.755?",
		"tRadio.connect.999":     "tradio.connect.999 has no effect: resourceName is radio",
		"tRadio.talk":            "tradio.talk has no effect: resourceName is radio",
		"tRadio.zone.9":          "tradio.zone.9 has no effect: resourceName is radio",
		"tRadio.zone.interop":    "tradio.zone.interop has no effect: resourceName is radio; did you mean radio.zone.4?",
		"tRadio.nac":             "tradio.nac has no effect: resourceName is radio",
		"tRadio.nac.lspdd":       "tradio.nac.lspdd has no effect: resourceName is radio; did you mean radio.nac.lspd?",
		"radio.connect_154.755":  "radio.connect_154.755 has no effect; did you mean radio.connect.154.755?",
		"radio.connect_154_755":  "radio.connect_154_755 has no effect; did you mean radio.connect.154.755?",
		"radio.connect154.755":   "radio.connect154.755 has no effect; did you mean radio.connect.154.755?",
		"radio.scan-99.5":        "radio.scan-99.5 has no effect: radio. must be followed by one of connect, scan, gps, zone, dispatch, nac",
		"radio.zone1":            "radio.zone1 has no effect; did you mean radio.zone.1?",
		"radio.zones.9":          "radio.zones.9 has no effect: radio. must be followed by one of connect, scan, gps, zone, dispatch, nac",
		"radio.dispach.all":      "radio.dispach.all has no effect; did you mean radio.dispatch?",
		"radio.conect.*":         "radio.conect.* has no effect: permissions have no wildcard *; did you mean radio.connect?",
		"radio.conect.154.765":   "radio.conect.154.765 has no effect; did you mean radio.connect.154.755?",
		"radio.connect.154.765":  "radio.connect.154.765 has no effect: there is no such channel; did you mean radio.connect.154.755?",
		"radio.connect.154.7550": "radio.connect.154.7550 has no effect: there is no such channel; did you mean radio.connect.154.755?",
		"radio.scan.99":          "radio.scan.99 has no effect: there is no such channel",
		"radio.gps.lspd":         "radio.gps.lspd has no effect: there is no such channel",
		"radio.zone.5":           "radio.zone.5 has no effect: zones are numbered 1 to 4",
		"radio.zone.0":           "radio.zone.0 has no effect: zones are numbered 1 to 4",
		"radio.zone.01":          "radio.zone.01 has no effect: zones are numbered 1 to 4",
		"radio.zone.interop":     "radio.zone.interop has no effect: zones are numbered; did you mean radio.zone.4 (Interop)?",
		"radio.zone.city":        "radio.zone.city has no effect: zones are numbered 1 to 4",
		"*":                      "* has no effect: permissions have no wildcard *; radio covers everything below it",
		"radio.*":                "radio.* has no effect: permissions have no wildcard *; radio covers everything below it",
		"radio.connect.*":        "radio.connect.* has no effect: permissions have no wildcard *; radio.connect covers everything below it",
		"radio.conect.154.755":   "radio.conect.154.755 has no effect; did you mean radio.connect.154.755?",
		"radio.zones.1":          "radio.zones.1 has no effect; did you mean radio.zone.1?",
		"radio.talk":             "radio.talk has no effect: radio. must be followed by one of connect, scan, gps, zone, dispatch, nac",
		"radio.dispatch.all":     "radio.dispatch.all has no effect; did you mean radio.dispatch?",
		"radio.nac":              "radio.nac gives nobody a NAC id: write radio.nac.<NAC id>",
		"radio.nac.lspdd":        "radio.nac.lspdd names a NAC id that opens nothing; did you mean radio.nac.lspd?",
		"command.quit":           "objects of other resources have no effect here: command.quit",
	} {
		demo := Default()
		demo.Callbacks.Close()
		p, err := ParsePermissions("# police\nadd_ace group.police "+object+" allow", "permissions.cfg")
		if err != nil {
			t.Fatal(err)
		}
		p.Check(&demo.Core, false)
		if want != "" {
			want = "permissions.cfg:2: " + want
		}
		same(t, object, strings.Join(p.Warnings, "\n"), want)
		if len(p.ACL.Entries) != 1 || p.ACL.Entries[0].Object != strings.ToLower(object) {
			t.Errorf("%s: it is not in force: %+v", object, p.ACL)
		}
	}
}

// TestWhatIsSuggestedHasAnEffect: an operator who uses the suggested name gets no
// further warning.
func TestWhatIsSuggestedHasAnEffect(t *testing.T) {
	demo := Default()
	demo.Callbacks.Close()
	o := objectsOf(&demo.Core)
	suggested := 0
	for _, resource := range []string{"radio", "tradio", "police"} {
		for _, kind := range append([]string{"conect", "scann", "zones", "dispach", "nacs", "talk"}, objectKinds...) {
			for _, rest := range []string{"", ".154.755", "_154.755", "-154_755", "154.7550", ".154.765", ".999", ".1", "1", ".9", ".interop", ".lspd", ".lspdd", ".*"} {
				object := resource + "." + kind + rest
				msg, _ := o.odd(core.ACE{Object: object, Allow: true})
				_, near, found := strings.Cut(msg, "did you mean ")
				if !found {
					continue
				}
				suggested++
				near, _, _ = strings.Cut(strings.TrimSuffix(near, "?"), " (")
				if again, other := o.odd(core.ACE{Object: near, Allow: true}); again != "" || other {
					t.Errorf("%s: %s, but that: %s", object, msg, again)
				}
			}
		}
	}
	if suggested < 100 {
		t.Errorf("only %d suggestions", suggested)
	}
}

func TestWarningsOfPermissionsAreInOrderAndBounded(t *testing.T) {
	demo := Default()
	demo.Callbacks.Close()
	p, err := ParsePermissions("add_ace a tradio.scan allow\nensure radio\nadd_ace a command allow\nadd_acl a b allow\nadd_ace a quit deny\n"+
		"add_ace a radio.zone.9 allow\nremove_ace a radio.zone.9 allow", "p.cfg")
	if err != nil {
		t.Fatal(err)
	}
	p.Check(&demo.Core, false)
	list(t, "warnings", p.Warnings,
		"p.cfg:1: tradio.scan has no effect: resourceName is radio; did you mean radio.scan?",
		"p.cfg:2: commands other than permissions are skipped: ensure",
		"p.cfg:3: objects of other resources have no effect here: command, quit",
		"p.cfg:4: add_acl is unknown: it is skipped; did you mean add_ace?")
	p, err = ParsePermissions(strings.Repeat("add_ace a b\n", 500), "p.cfg")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Warnings); n != maxWarnings+1 || p.Warnings[maxWarnings] != "p.cfg: 400 more warnings" {
		t.Errorf("%d warnings, the last %q", n, p.Warnings[n-1])
	}
}

// TestAMisspeltPermissionDoesNotStopTheStart: it is skipped, and the others are in
// force.
func TestAMisspeltPermissionDoesNotStopTheStart(t *testing.T) {
	l := load(t, folder(t, "Config.serverName = 'x'", "add_ace group.x radio.connect alow\nad_ace group.x radio.scan allow\nadd_ace group.x radio.gps allow\nadd_ace \"y"))
	same(t, "entries", asJSON(t, l.Core.ACL), `{"entries":[{"principal":"group.x","object":"radio.gps","allow":true}]}`)
	list(t, "warnings", l.Warnings[len(l.Warnings)-3:],
		`permissions.cfg:1: "alow" is neither allow nor deny: the add_ace is skipped; did you mean allow?`,
		"permissions.cfg:2: ad_ace is unknown: it is skipped; did you mean add_ace?",
		"permissions.cfg:4: a quote is missing its end: the line is skipped")
}

// folder makes a config.lua with a permissions.cfg beside it.
func folder(t *testing.T, lua, permissions string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{"config.lua": lua, "permissions.cfg": permissions} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "config.lua")
}
