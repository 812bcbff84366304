package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before committing it")

// golden compares lines with testdata/name, which has one JSON value per line, so that
// a change of one shape changes few lines. The panel's tests read the same files.
func golden(t *testing.T, name string, lines []any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	for _, line := range lines {
		if err := enc.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := at(gotLines, i), at(wantLines, i)
		if g != w {
			t.Fatalf("%s, line %d:\n got %s\nwant %s", file, i+1, g, w)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// told is one line of events.golden.jsonl.
type told struct {
	After   string `json:"after"` // what somebody did
	To      string `json:"to"`
	Event   string `json:"event"`
	Payload any    `json:"payload"`
}

// eventTypes is the table: event name to payload type.
func eventTypes(table any) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	t := reflect.TypeOf(table)
	for i := range t.NumField() {
		types[t.Field(i).Tag.Get("event")] = t.Field(i).Type
	}
	return types
}

// notificationTypes are the types of dispatchNotification that clients rely on and
// the radio sends.
var notificationTypes = []string{"alert", "alertCleared", "oneshot", "broadcast", "userAlert", "userSwitched",
	"userDisconnected", "callsign", "panic", "panicCleared", "patch", "themes", "transcript"}

// TestEventsOfAShift runs one shift on the radio and compares every message that is
// sent.
func TestEventsOfAShift(t *testing.T) {
	s := newRadio(t)
	now := start
	types, seen, kinds := eventTypes(wire.ServerEvents{}), map[string]bool{}, map[string]bool{}
	maps.Copy(types, eventTypes(wire.ServiceEvents{}))
	var lines []any
	send := func(after string, m wire.Message) {
		want, listed := types[m.Name]
		if !listed {
			t.Fatalf("%s is not in the table", m.Name)
		}
		if got := reflect.TypeOf(m.Payload); got != want && !(m.Name == "configUpdate" && got == reflect.TypeFor[wire.ConfigVersion]()) {
			t.Fatalf("%s carries a %v, the table says %v", m.Name, got, want)
		}
		if n, ok := m.Payload.(wire.DispatchNotification); ok {
			kinds[n.Type] = true
		}
		seen[m.Name] = true
		lines = append(lines, told{after, m.To.String(), m.Name, m.Payload})
	}
	for _, e := range shift {
		now = now.Add(e.wait)
		out, err := s.Step(now, e.by, e.cmd)
		if err != nil {
			t.Fatalf("%s: %v", e.says, err)
		}
		for _, fact := range out.Events {
			for _, m := range wire.Encode(fact, s.View()) {
				send(e.says, m)
			}
		}
	}
	for _, m := range fromAdapters(s.View()) {
		send("an adapter says", m)
	}
	for name := range types {
		if !seen[name] {
			t.Errorf("nothing in the shift sends %s", name)
		}
	}
	for _, kind := range notificationTypes {
		if !kinds[kind] {
			t.Errorf("no dispatchNotification of type %s", kind)
		}
	}
	golden(t, "events.golden.jsonl", lines)
}

// themes are those of a radio with one.
var themes = wire.ThemeList{Themes: []wire.Theme{{Slug: "night", Name: "Night", Version: "1.0", Author: "Ana", Description: "For the late shift", HasJS: true,
	Build: "0123456789abcdef", CSS: "style.css", Picture: "preview.png"}}, DefaultTheme: "night", Broken: []wire.BrokenTheme{{Slug: "day", Name: "Day", Problem: "style.css was changed"}}, Market: true}

// reply is one line of replies.golden.jsonl.
type reply struct {
	Route string `json:"route"`
	Reply any    `json:"reply"`
}

func TestRepliesInTheMiddleOfAShift(t *testing.T) {
	s := newRadio(t)
	now := start
	for _, e := range shift[:endOfFirstHalf()] {
		now = now.Add(e.wait)
		if _, err := s.Step(now, e.by, e.cmd); err != nil {
			t.Fatalf("%s: %v", e.says, err)
		}
	}
	v := s.View()
	created := wire.PatchCreated{Success: true, Patch: wire.PatchOf(v.Patches()[0])}
	made := map[reflect.Type]any{}
	for _, r := range []any{
		wire.Success{Success: true}, wire.Failure{Error: "Channel not found"},
		wire.Health{Status: "degraded", Reason: "disk full", Service: "radio", ServiceName: "County", Version: wire.Version, Build: "b", Instance: "i", Timestamp: wire.Timestamp(now), AuthMethod: "nac"},
		wire.AuthReply{Success: true, SessionID: "s", AuthToken: "t"}, wire.PlayerReply{Success: true, PlayerToken: "p"}, wire.EmergencyReply{Success: true, Emergency: wire.EmergencyOf(&v.Emergencies()[1])}, wire.GameAnswer{Success: true, SDP: "v=0"},
		wire.UpdateManifest{Version: "1", Notes: "n", PubDate: wire.Timestamp(now), SHA256: "ab", Platforms: map[string]wire.UpdatePlatform{"windows-x86_64": {URL: "u", Signature: "s", SHA256: "ab"}}},
		created, wire.PatchesOf(v), wire.TonesOf(v.Config()), wire.StatusOf(v), wire.GameCallbacks{File: "config.lua", Source: "Config = {}", Names: []string{"getUserNacId"}}, wire.DispatchStatusOf(v, now), wire.ConfigOf(v, themes),
		mirrorOf(t, v), wire.GameResults{Success: true, Results: []wire.GameResult{{ID: "r-1", OK: true, Seq: new(uint64)}, {ID: "r-2", Error: "User not found", Code: 404}}},
		themes, review(), wire.ThemeInstalled{Success: true, Theme: themes.Themes[0]},
		wire.ThemeMarket{Themes: []wire.MarketTheme{{Slug: "night", Name: "Night", Author: "Ana", Description: "For the late shift", Version: "1.1", HasJS: true, Bytes: 4711,
			Picture: true, Installed: &themes.Themes[0].Version, Update: true}}},
		wire.RecordingPage{Recordings: []wire.Recording{recording()}, Next: new("17-tx-7")}, wire.RecordingsDeleted{Success: true, Deleted: 12, Bytes: 480_000},
		past(), wire.Ready{Ready: true}, twoNodes(), wire.ClusterMoved{Success: true, Radio: "default", From: "n1", Owner: "n2", Epoch: 8, TookMs: 31},
		wire.Explained{UserID: 7, Name: "Ann", NacID: "pd", NacFrom: "the game server, or the client", Frequency: "155.01", Channel: "PD Tac", Action: "connect",
			Rules: []wire.ExplainedRule{{Rule: "ace", Says: "forbids", Text: "add_ace identifier.license:ann radio.connect.155.01 deny", File: "permissions.cfg", Line: 12},
				{Rule: "nac", Says: "silent", Text: "allowedNacs of PD Tac in zone Police is swat, and the player's NAC id is pd (the game server, or the client)"}},
			Change: []string{"remove add_ace identifier.license:ann radio.connect.155.01 deny: it outweighs every allow of that principal"}},
		wire.GamePlayersReply{Success: true, Tokens: map[string]string{"7": "p"}, Errors: map[string]string{"12": "name is missing"}},
	} {
		made[reflect.TypeOf(r)] = r
	}
	var lines []any
	for _, route := range wire.Routes {
		if route.Reply == nil {
			continue
		}
		r, there := made[reflect.TypeOf(route.Reply)]
		if !there {
			t.Fatalf("say here what a %T looks like", route.Reply)
		}
		lines = append(lines, reply{route.Method + " " + route.Path, r})
	}
	lines = append(lines, reply{"every refusal", made[reflect.TypeFor[wire.Failure]()]},
		reply{"configUpdate for player 7", wire.PlayerConfigOf(v, 7)})
	golden(t, "replies.golden.jsonl", lines)
}

// review is that of a theme with everything that a review can have.
func review() wire.ThemeReview {
	return wire.ThemeReview{Success: true, Theme: themes.Themes[0], Files: []wire.ThemeFile{{Name: "style.css", Bytes: 1200}, {Name: "theme.js", Bytes: 23}},
		Removed: []wire.ThemeRemoval{{File: "style.css", Line: 3, Column: 5, What: "@import \"https://example.org/a.css\"", Why: "loads from another server"}},
		Script: &wire.ThemeScript{File: "theme.js", Bytes: 23, SHA256: "658e24d13fb928e62e1d3e1163f9a3728d8f806026a824c787c784e5255942b4", Source: "theme.addClass('night')",
			Hints: []wire.ThemeHint{{Line: 1, What: "addClass", Why: "changes how the console looks"}}},
		Replaces: &wire.ThemeReplaced{Name: "Night", Version: "0.9", Author: "Ana", ScriptChanged: true}, Warnings: []string{"The script can do everything that the dispatcher can do."}}
}

// twoNodes is a cluster that one of three nodes has left.
func twoNodes() wire.ClusterStatus {
	routes := 1
	replica := wire.ClusterReplica{Radio: "default", Owner: "n1", Epoch: 7, Seq: 4711, Hash: "5eb3", HashSeq: 4700, Takeovers: 1, Voice: wire.ClusterVoice{Sent: 250, Received: 125}}
	behind := replica
	behind.Seq, behind.Lag, behind.Takeovers, behind.Pending = 4709, 2, 0, 1
	return wire.ClusterStatus{Cluster: &wire.Cluster{Name: "county", Node: "n1", Radios: []wire.ClusterRadio{{Radio: "default", Owner: "n1", Epoch: 7, Seq: 4711}},
		Nodes: []wire.ClusterNode{
			{Name: "n1", Build: "1.4.0", URL: "https://a.example.org", Lives: true, Answers: true, Routes: &routes, Quorum: true, StoreMs: 1, Radios: []wire.ClusterReplica{replica}},
			{Name: "n2", Build: "1.4.0", URL: "https://b.example.org", Lives: true, Answers: true, Routes: &routes, Quorum: true, StoreMs: 2, Radios: []wire.ClusterReplica{behind}},
			{Name: "n3", Build: "1.4.0", URL: "https://c.example.org", Leaving: true, Radios: []wire.ClusterReplica{}}},
		Problems: []string{"node n3 has left"}}}
}

// past is a page of the timeline with everything that its entries can have.
func past() wire.TimelinePage {
	at := start.UnixMilli()
	said := wire.TimelineEntryOf(12, core.Moment{Kind: core.MomentTransmission, At: at, EndedAt: at + 4200, User: 7, Name: "Unit 7", Unit: "2-ADAM-7",
		Frequency: mhz("852.0125"), Control: mhz("851"), Patch: 1, Digital: true, Number: 7}, true)
	info := recording()
	said.Recording, said.Transcript = &info.Recording, info.Transcript
	return wire.TimelinePage{From: at - 60_000, Next: new(uint64(10)), Entries: []wire.TimelineEntry{said,
		wire.TimelineEntryOf(11, core.Moment{Kind: core.MomentPatchOn, At: at, Patch: 1, Detail: "Joint", Frequencies: []core.Frequency{mhz("154.755"), mhz("460.25")},
			By: -1, ByName: "KING-1", Surface: core.BySocket}, false),
		wire.TimelineEntryOf(10, core.Moment{Kind: core.MomentEmergencyClosed, At: at, User: 7, Name: "Unit 7", Unit: "2-ADAM-7", Frequency: mhz("154.755"),
			By: -1, ByName: "KING-1", Emergency: "e-1", Reason: "resolved", Detail: "Code 4"}, false)}}
}

// recording is one with everything that a recording can have.
func recording() wire.Recording {
	unit, ended := "2-ADAM-7", start.UnixMilli()+4200
	return wire.Recording{ID: core.Transmission{Number: 7, StartedAt: start.UnixMilli()}.ID(), ServerID: 7, Name: "Unit 7", UnitID: &unit, Frequency: "852.0125", ControlFrequency: "851",
		PatchID: "p-1", Label: "Talkgroup", Encoding: "imbe", StartedAt: start.UnixMilli(), EndedAt: &ended, Transcript: "show me responding",
		Recording: wire.RecordingInfo{Format: "ogg", IMBE: true, Bytes: 16_800, DurationMs: 4200, Packets: 210, Lost: 1, Peaks: []int{12, 200, 96}}}
}

// mirrorOf is what the game server is told at first.
func mirrorOf(t *testing.T, v core.View) wire.GameChanges {
	config, err := wire.GameConfigOf(v.Config(), []string{"getUserNacId"})
	if err != nil {
		t.Fatal(err)
	}
	s := wire.GameState{Config: config, Classes: []wire.GameClass{}, Users: []wire.GameUser{}, Alerts: map[string]wire.Alert{}, Patches: wire.PatchesOf(v).Patches}
	seen := map[string]*core.Verdict{}
	classes := map[*core.Verdict]int{}
	for _, id := range v.UserIDs() {
		d := v.Verdict(id, seen)
		if _, known := classes[d]; !known {
			classes[d] = len(s.Classes)
			s.Classes = append(s.Classes, wire.GameClassOf(d))
		}
		u, _ := v.GameUser(id)
		s.Users = append(s.Users, wire.GameUserOf(u, classes[d]))
	}
	for _, a := range v.Alerts() {
		s.Alerts[a.Frequency.String()] = wire.Alert{Alert: a.Alert}
	}
	return wire.GameChanges{Epoch: "e", Next: 1, Reset: true, State: &s}
}

// TestStatusIsASubsetOfDispatchStatus: a client of the status may read the dispatch
// status instead.
func TestStatusIsASubsetOfDispatchStatus(t *testing.T) {
	s := newRadio(t)
	now := start
	for _, e := range shift[:endOfFirstHalf()] {
		now = now.Add(e.wait)
		if _, err := s.Step(now, e.by, e.cmd); err != nil {
			t.Fatalf("%s: %v", e.says, err)
		}
	}
	small, large := generic(t, wire.StatusOf(s.View())), generic(t, wire.DispatchStatusOf(s.View(), now))
	if missing := lacks("", small, large); missing != "" {
		t.Fatalf("dispatch status lacks %s", missing)
	}
	if len(small["users"].(map[string]any)) < 4 || len(large) <= len(small) {
		t.Fatalf("the radio is too quiet for this test: %v", small)
	}
}

func generic(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// lacks names a value of small that large does not have; "": it has all.
func lacks(path string, small, large any) string {
	inner, ok := small.(map[string]any)
	if !ok {
		if reflect.DeepEqual(small, large) {
			return ""
		}
		return path
	}
	outer, _ := large.(map[string]any)
	for key, value := range inner {
		if missing := lacks(path+"."+key, value, outer[key]); missing != "" {
			return missing
		}
	}
	return ""
}

func TestTheDispatchLoginIsNeverTold(t *testing.T) {
	for _, name := range []string{"events.golden.jsonl", "replies.golden.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 1000 {
			t.Errorf("%s is empty", name)
		}
		for line := range bytes.Lines(data) {
			if forGame := bytes.Contains(line, []byte("/api/game/changes")); forGame != bytes.Contains(line, []byte(secretNac)) {
				t.Errorf("the NAC id of the dispatch login is told to others than the game server, or not to it: %s", line)
			}
		}
	}
}

func TestTimestampIsWhatJavaScriptWrites(t *testing.T) {
	zone := time.FixedZone("east", 3*3600)
	if got := wire.Timestamp(time.Date(2026, 1, 2, 3, 4, 5, 6_700_000, zone)); got != "2026-01-02T00:04:05.006Z" {
		t.Fatal(got)
	}
}
