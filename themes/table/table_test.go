package table_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"squelch/themes/table"
)

// The interface that communities' themes already use, name by name.
var (
	stateFields = words("channel scannedChannels zones pttActive channelPttActive channelPttFrequency voiceStatus micReady activeAlerts alertTypes " +
		"tones patches transmissions announcementGroups activeAnnouncementGroup settings callsign serverName connected health authenticated")
	events = words("zones ptt channel channel-ptt voice-status connection alerts alert-types scans patches transmissions callsign announcement-group settings")
	// payloads are the members that each event carries.
	payloads = map[string]string{
		"zones": "zones", "ptt": "active", "channel": "freq", "channel-ptt": "active freq", "voice-status": "status", "connection": "connected health",
		"alerts": "alerts", "alert-types": "alertTypes", "scans": "scanned", "patches": "patches", "transmissions": "transmissions", "callsign": "callsign",
		"announcement-group": "groupId", "settings": "settings",
	}
	actions = map[string]string{ // name: parameters
		"getState": "", "joinChannel": "freq", "leaveChannel": "", "addScan": "freq", "removeScan": "freq", "startPTT": "", "stopPTT": "",
		"startChannelPTT": "freq", "stopChannelPTT": "", "activateAnnouncementGroup": "groupId", "triggerAlert": "freq alertName",
		"sendBroadcastAlert": "broadcast", "acknowledgePanic": "serverId unitId?", "createPatch": "frequencies", "removePatch": "patchId",
		"updateSettings": "settings", "openSettings": "", "closeSettings": "", "kickUser": "serverId", "alertUser": "serverId message frequency?",
		"setUserCallsign": "serverId callsign", "switchUserChannel": "serverId newFreq oldFreq?",
	}
	promises  = words("createPatch removePatch kickUser alertUser setUserCallsign switchUserChannel")
	ofThePage = map[string]string{
		"setVar": "name value", "removeVar": "name", "addClass": "name", "removeClass": "name", "hideDefaultUI": "", "showDefaultUI": "", "getContainer": "",
	}
	shapes = map[string]string{
		"Zone": "id name channels", "Channel": "id frequency name type canTransmit listeners users", "Patch": "id label frequencies createdBy createdAt",
		"DispatchSettings": "callsign voiceVolume sfxVolume globalPTT channelPTT announcementGroupPTT", "PTTSettings": "pttKey pttType pttMouseButton",
		"Tone": "id name", "Broadcast": "frequency type message tone",
	}
	limits = map[string]string{
		"transmissions": "50", "variableName": "/^--[a-zA-Z][a-zA-Z0-9-]*$/", "variableLength": "60",
		"className": "/^[a-zA-Z][a-zA-Z0-9-_]*$/", "classLength": "40", "classPrefix": `"theme-"`,
	}
)

func words(s string) []string { return strings.Fields(s) }

// names are those of fields that the older product has too.
func names(fields []table.Field) (list []string) {
	for _, f := range fields {
		if !f.Extension {
			list = append(list, f.Name)
		}
	}
	return list
}

func TestThemesOfTheOlderProductFindEverything(t *testing.T) {
	if got := names(table.State.Fields); !slices.Equal(got, stateFields) {
		t.Errorf("state: %v, want %v", got, stateFields)
	}
	var got []string
	for _, e := range table.Events {
		if e.Extension {
			continue
		}
		name := strings.TrimPrefix(e.Name, "dispatch:")
		got = append(got, name)
		if members := strings.Join(names(e.Payload), " "); members != payloads[name] {
			t.Errorf("event %s carries %q, want %q", e.Name, members, payloads[name])
		}
	}
	if !slices.Equal(got, events) {
		t.Errorf("events: %v, want %v", got, events)
	}
	hasFunctions(t, table.Dispatch, actions)
	hasFunctions(t, table.Theme, ofThePage)
	for _, f := range table.Dispatch {
		if strings.HasPrefix(f.Returns, "Promise<") != slices.Contains(promises, f.Name) {
			t.Errorf("%s returns %q", f.Name, f.Returns)
		}
	}
	for name, want := range shapes {
		i := slices.IndexFunc(table.Shapes, func(s table.Shape) bool { return s.Name == name })
		if i < 0 {
			t.Errorf("no shape %s", name)
		} else if got := strings.Join(names(table.Shapes[i].Fields), " "); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	for _, l := range table.Limits {
		if l.Value != limits[l.Name] {
			t.Errorf("limit %s is %s, want %s", l.Name, l.Value, limits[l.Name])
		}
		delete(limits, l.Name)
	}
	if len(limits) > 0 {
		t.Errorf("limits that are missing: %v", limits)
	}
}

func hasFunctions(t *testing.T, have []table.Function, want map[string]string) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range have {
		var params []string
		for _, p := range f.Params {
			name := p.Name
			if p.Optional {
				name += "?"
			}
			params = append(params, name)
		}
		seen[f.Name] = true
		if got, is := want[f.Name]; f.Extension != !is || is && got != strings.Join(params, " ") {
			t.Errorf("%s(%s), extension %t: want (%s), known %t", f.Name, strings.Join(params, " "), f.Extension, got, is)
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("no function %s", name)
		}
	}
}

func TestEverythingIsExplained(t *testing.T) {
	for _, s := range append([]table.Shape{table.State}, table.Shapes...) {
		for _, f := range s.Fields {
			if f.Doc == "" || strings.HasSuffix(f.Doc, ".") {
				t.Errorf("%s.%s: %q", s.Name, f.Name, f.Doc)
			}
		}
	}
	for _, f := range slices.Concat(table.Dispatch, table.Theme) {
		if f.Group == "" || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: %q in %q", f.Name, f.Doc, f.Group)
		}
	}
}

// TestEveryVariableOfThePanelIsInTheTable: and none that the panel does not have.
func TestEveryVariableOfThePanelIsInTheTable(t *testing.T) {
	css := read(t, os.DirFS("../../panel/src/view/css"), "tokens.css")
	var have, listed []string
	for _, m := range regexp.MustCompile(`(?m)^\s*--sq-([a-z0-9-]+):`).FindAllStringSubmatch(css, -1) {
		have = append(have, m[1])
	}
	for _, g := range table.Variables {
		for _, v := range g.Variables {
			listed = append(listed, v.Name)
		}
	}
	slices.Sort(have)
	slices.Sort(listed)
	if len(have) == 0 || !slices.Equal(have, listed) {
		t.Errorf("tokens.css has\n%v\nthe table\n%v", have, listed)
	}
}

// TestEveryPartAndStateIsInThePanel reads the panel's source; the browser tests see them
// drawn.
func TestEveryPartAndStateIsInThePanel(t *testing.T) {
	var source strings.Builder
	panel := os.DirFS("../../panel/src")
	err := fs.WalkDir(panel, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(name, "theme/table.gen") && (strings.HasSuffix(name, ".svelte") || strings.HasSuffix(name, ".ts")) {
			source.WriteString(read(t, panel, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := source.String()
	for _, p := range table.Parts {
		if !strings.Contains(all, `"`+p.Name+`"`) {
			t.Errorf("the panel has no part %q", p.Name)
		}
	}
	for _, a := range table.Attributes {
		if name := strings.TrimPrefix(a.Name, "data-"); !strings.Contains(all, a.Name) && !strings.Contains(all, `dataset["`+name+`"]`) {
			t.Errorf("the panel has no attribute %s", a.Name)
		}
		for _, v := range a.Values {
			if v != "true" && v != "false" && !strings.Contains(all, `"`+v+`"`) {
				t.Errorf("nothing in the panel is %s=%q", a.Name, v)
			}
		}
	}
}

func read(t *testing.T, from fs.FS, name string) string {
	t.Helper()
	b, err := fs.ReadFile(from, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
