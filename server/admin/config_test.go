package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/internal/teststation"
)

// edit is a body with the revision put in.
func edit(revision, config string) string {
	return fmt.Sprintf(`{"revision":%q,"config":%s}`, revision, config)
}

func TestWhatIsShownCanBeSentBackUnchanged(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	before, shown := s.inForce(), b.config()
	var after wire.AdminConfig
	b.send("PUT", "config", wire.AdminEdit{Revision: shown.Revision, Config: shown.Config}).ok(&after)
	for i := range after.Config.Alerts { // their keys may come in another order
		after.Config.Alerts[i].Raw, shown.Config.Alerts[i].Raw = "", ""
	}
	if !reflect.DeepEqual(after.Config, shown.Config) {
		t.Fatalf("\n got %+v\nwant %+v", after.Config, shown.Config)
	}
	if want := []string{"zones", "alerts", "tones", "volumes", "announcementGroups", "codeplugs", "jobCodeplugs", "layouts"}; !slices.Equal(after.Edited, want) {
		t.Fatalf("edited %v", after.Edited)
	}
	now := s.inForce()
	if !reflect.DeepEqual(now.Volumes, before.Volumes) || len(now.Zones) != 3 || now.Zones[0].Channels[4].ScanAllowedNacs[0] != "police" ||
		now.Zones[1].Channels[0].High != before.Zones[1].Channels[0].High || now.Codeplugs[0].Features != before.Codeplugs[0].Features ||
		now.DispatchNac != "desk-1" || now.TalkLease != before.TalkLease {
		t.Fatalf("%+v", now)
	}
}

func TestAPartIsReplacedAndTheOthersStay(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, `{"volumes":{"voice":80,"sfx":0,"audio3d":100,"step":10}}`)).ok(&after)
	if got := s.inForce().Volumes; got != (core.Volumes{Voice: 80, SFX: 0, Audio3D: 100, Step: 10}) {
		t.Fatalf("%+v", got)
	}
	if len(s.inForce().Zones) != 3 || !slices.Equal(after.Edited, []string{"volumes"}) {
		t.Fatalf("%+v", after)
	}
	if fact := <-s.told; fact != (core.ConfigChanged{}) {
		t.Fatalf("everybody was told %T", fact)
	}
	b.send("PUT", "config", edit(after.Revision, `{"alerts":[{"name":"Ping","toneOnly":true,"tones":"CHIRP","note":"kept"}],"tones":[],"announcementGroups":[],
		"codeplugs":[{"id":"cadet"}],"jobCodeplugs":[]}`)).ok(&after)
	c := s.inForce()
	if len(c.Alerts) != 1 || c.Alerts[0].Tone != "CHIRP" || !strings.Contains(c.Alerts[0].Raw, "kept") || len(c.Tones) != 0 || len(c.AnnouncementGroups) != 0 {
		t.Fatalf("%+v", c)
	}
	if plug := c.Codeplugs[0]; plug.Features != (core.Features{Scan: true, GPS: true, Panic: true}) || plug.AnnouncementVolume != 1 {
		t.Fatalf("what a codeplug does not say is as in the file: %+v", plug)
	}
	if got := s.actions(); !slices.Equal(got, []string{"admin.login", "admin.config.edit", "admin.config.edit"}) {
		t.Fatalf("audited %v", got)
	}
}

func TestMistakesAreNamedByTheirPathAndChangeNothing(t *testing.T) {
	channel := func(rest string) string {
		return `{"zones":[{"name":"A","channels":[{"name":"North","type":"conventional","frequency":"154.755"},{"name":"B",` + rest + `}]}]}`
	}
	for _, c := range []struct{ config, field, text string }{
		{`{"zone":[]}`, "zone", "is not a known key"},
		{`{}`, "config", "at least one part"},
		{`{"zones":{}}`, "zones", "must be an array"},
		{`{"zones":[null]}`, "zones[1]", "is missing"},
		{`{"zones":[{"name":"  ","channels":[]}]}`, "zones[1].name", "is missing"},
		{`{"zones":[{"name":7,"channels":[]}]}`, "zones[1].name", "must be a string"},
		{`{"zones":[{"name":"` + strings.Repeat("x", 5000) + `"}]}`, "zones[1].name", "at most 4096"},
		{`{"zones":[{"name":"A","nacIds":["x",""]}]}`, "zones[1].nacIds[2]", "is empty"},
		{channel(`"type":"conventional","frequency":"abc"`), "zones[1].channels[2].frequency", "must be a frequency"},
		{channel(`"type":"conventional","frequency":-1`), "zones[1].channels[2].frequency", "must be a frequency"},
		{channel(`"type":"conventional"`), "zones[1].channels[2].frequency", "must be a decimal between"},
		{channel(`"type":"fm","frequency":"460.25"`), "zones[1].channels[2].type", "must be conventional, trunked or digital"},
		{channel(`"type":"digital","frequency":"154.7550"`), "zones[1].channels[2].type", "conventional elsewhere"},
		{channel(`"type":"conventional","frequency":"460.25","coverage":"far"`), "zones[1].channels[2].coverage", "must be a number"},
		{channel(`"type":"trunked","frequency":"460.25","frequencyRange":["461"]`), "zones[1].channels[2].frequencyRange", "two frequencies"},
		{channel(`"type":"trunked","frequency":"460.25","frequencyRange":["462","461"]`), "zones[1].channels[2].frequencyRange", "low not above high"},
		{channel(`"type":"conventional","frequency":"460.25","squawk":1`), "zones[1].channels[2].squawk", "is not a known key"},
		{channel(`"type":"conventional","frequency":"460.25","gps":{"visibleToNacs":[" "]}`), "zones[1].channels[2].gps.visibleToNacs[1]", "is empty"},
		{`{"zones":[]}`, "announcementGroups[1].frequencies", "154.755, which is not a channel"},
		{`{"alerts":[{"color":"red"}]}`, "alerts[1].name", "is missing"},
		{`{"alerts":[{"name":"A"},7]}`, "alerts[2]", "alert config object"},
		{`{"alerts":[{"name":"A","repeatInterval":"often"}]}`, "alerts[1].repeatInterval", "must be a number"},
		{`{"alerts":[{"name":"A","repeatInterval":-1}]}`, "alerts[1].repeatInterval", "at least 0"},
		{`{"alerts":[{"name":"A","note":"` + strings.Repeat("x", 17<<10) + `"}]}`, "alerts[1]", "at most 16384 bytes"},
		{`{"tones":[{"name":"A","file":"a.wav"},{"name":"a","file":"b.wav"}]}`, "tones[2].name", "occurs twice"},
		{`{"tones":[{"name":"A","file":"../a.wav"}]}`, "tones[1].file", "without folders"},
		{`{"volumes":{"voice":101,"sfx":50,"audio3d":50,"step":5}}`, "volumes.voice", "must be 0-100"},
		{`{"volumes":{"voice":50,"sfx":50,"audio3d":-1,"step":5}}`, "volumes.audio3d", "must be 0-100"},
		{`{"volumes":{"voice":50.5}}`, "volumes.voice", "must be a whole number"},
		{`{"announcementGroups":[{"id":"a","name":"A","frequencies":["999"]}]}`, "announcementGroups[1].frequencies", "999"},
		{`{"announcementGroups":[{"id":"a","name":"","frequencies":[]}]}`, "announcementGroups[1].name", "is missing"},
		{`{"codeplugs":[{"id":"a","nac":4096}],"jobCodeplugs":[]}`, "codeplugs[1].nac", "must be 0-4095"},
		{`{"codeplugs":[{"id":"a","announcementVolume":101}],"jobCodeplugs":[]}`, "codeplugs[1].announcementVolume", "must be 0-100"},
		{`{"codeplugs":[{"id":"a","zones":[4]}],"jobCodeplugs":[]}`, "codeplugs[1].zones", "from 1 to 3, not 4"},
		{`{"codeplugs":[{"id":"a","features":{"scan":"yes"}}],"jobCodeplugs":[]}`, "codeplugs[1].features.scan", "must be true or false"},
		{`{"codeplugs":[{"id":"a","emergency":{"hotMicMs":600001}}],"jobCodeplugs":[]}`, "codeplugs[1].emergency.hotMicMs", "must be 0 to 600000"},
		{`{"jobCodeplugs":[{"job":"a","codeplug":"patrol"},{"job":"a","codeplug":"cadet"}]}`, "jobCodeplugs[2].job", "occurs twice"},
		{`{"jobCodeplugs":[{"job":"a","codeplug":"none"}]}`, "jobCodeplugs[1].codeplug", "does not exist"},
		{`{"layouts":[` + night(``) + `,` + night(``) + `]}`, "layouts[2].name", "occurs twice"},
		{`{"layouts":[` + night(`"name":" "`) + `]}`, "layouts[1].name", "must not be empty"},
		{`{"layouts":[` + night(`"name":"`+strings.Repeat("x", 41)+`"`) + `]}`, "layouts[1].name", "longer than 40 characters"},
		{`{"layouts":[` + strings.Repeat(night(``)+`,`, 20) + night(``) + `]}`, "layouts", "at most 20 entries"},
		{`{"layouts":[` + night(`"order":["154.755","x"]`) + `]}`, "layouts[1].order[2]", "must be a frequency"},
		{`{"layouts":[` + night(`"order":["154.755","154.7550"]`) + `]}`, "layouts[1].order[2]", "occurs twice"},
		{`{"layouts":[` + night(`"targets":[""]`) + `]}`, "layouts[1].targets[1]", "must be a frequency"},
		{`{"layouts":[` + night(`"scans":["154.755"]`) + `]}`, "layouts[1].scans", "must be an object"},
		{`{"layouts":[` + night(`"scans":{"north":1}`) + `]}`, "layouts[1].scans", "frequencies as its keys"},
		{`{"layouts":[` + night(`"scans":{"154.755":3}`) + `]}`, "layouts[1].scans.154.755", "must be 0, 1 or 2"},
		{`{"layouts":[` + night(`"scans":{"154.755":"1"}`) + `]}`, "layouts[1].scans.154.755", "must be a whole number"},
		{`{"layouts":[` + night(`"filter":"some"`) + `]}`, "layouts[1].filter", "must be one of mine, active, all"},
		{`{"layouts":[` + night(`"density":""`) + `]}`, "layouts[1].density", "must be one of comfortable, compact, dense"},
		{`{"layouts":[` + night(`"zoom":"large"`) + `]}`, "layouts[1].zoom", `must be a number or "fit"`},
		{`{"layouts":[` + night(`"zoom":2.5`) + `]}`, "layouts[1].zoom", "must be 0.9 to 2"},
		{`{"layouts":[` + night(`"rail":{"width":200,"split":0.5}`) + `]}`, "layouts[1].rail.width", "must be 280 to 640"},
		{`{"layouts":[` + night(`"rail":{"width":360,"split":2}`) + `]}`, "layouts[1].rail.split", "must be 0 to 1"},
		{`{"layouts":[` + night(`"colour":"red"`) + `]}`, "layouts[1].colour", "is not a known key"},
		{`7`, "config", "must be an object"},
	} {
		t.Run(c.field+" "+c.text, func(t *testing.T) {
			s := onAir(t)
			b := s.logIn()
			before, shown := s.inForce(), b.config()
			b.send("PUT", "config", edit(shown.Revision, c.config)).refused(400, c.field, c.text)
			if !reflect.DeepEqual(s.inForce(), before) || b.config().Revision != shown.Revision || len(s.edits.All()) != 0 || len(s.told) != 0 {
				t.Fatal("a refused edit has changed something")
			}
		})
	}
}

func TestTwoAdministratorsDoNotOverwriteEachOther(t *testing.T) {
	s := onAir(t)
	a, b := s.logIn(), s.logIn()
	seen := b.config().Revision
	var after wire.AdminConfig
	a.send("PUT", "config", edit(a.config().Revision, `{"tones":[]}`)).ok(&after)
	b.send("PUT", "config", edit(seen, `{"alerts":[]}`)).refused(409, "", "Somebody else")
	b.send("POST", "config/reset", wire.AdminReset{Revision: seen}).refused(409, "", "Somebody else")
	b.send("PUT", "config", edit("", `{"alerts":[]}`)).refused(409, "", "Somebody else")
	b.send("PUT", "config", edit(after.Revision, `{"alerts":[]}`)).ok(&after)
	if c := s.inForce(); len(c.Tones) != 0 || len(c.Alerts) != 0 {
		t.Fatalf("%+v", c)
	}
}

func TestEditsOutliveARestartUntilResetToFile(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, `{"alerts":[{"name":"Mayday","tone":"BEEP"}],"volumes":{"voice":70,"sfx":50,"audio3d":50,"step":5}}`)).ok(&after)
	before := s.inForce()

	s = startWith(t, scenario.Standard(), s.edits)
	if got := s.inForce(); !reflect.DeepEqual(got.Alerts, before.Alerts) || got.Volumes != before.Volumes {
		t.Fatalf("after the restart %+v", got)
	}
	b = s.logIn()
	if c := b.config(); c.Revision != after.Revision || !slices.Equal(c.Edited, []string{"alerts", "volumes"}) {
		t.Fatalf("after the restart %+v", c)
	}
	b.send("POST", "config/reset", `{"revision":"`+after.Revision+`","parts":["sounds"]}`).refused(400, "parts[1]", "must be one of")
	b.send("POST", "config/reset", `{"revision":"`+after.Revision+`","parts":["volumes"]}`).ok(&after)
	if got := s.inForce(); got.Volumes != scenario.Standard().Volumes || len(got.Alerts) != 1 || !slices.Equal(after.Edited, []string{"alerts"}) {
		t.Fatalf("after a reset of the volumes: %+v", got)
	}
	b.send("POST", "config/reset", wire.AdminReset{Revision: after.Revision}).ok(&after)
	if got := s.inForce(); !reflect.DeepEqual(got, standard(t)) || len(after.Edited) != 0 {
		t.Fatalf("after a reset: %+v", got)
	}
	if got := s.actions(); !slices.Equal(got, []string{"admin.login", "admin.config.reset", "admin.config.reset"}) {
		t.Fatalf("audited %v", got)
	}
	if got := startWith(t, scenario.Standard(), s.edits).inForce(); !reflect.DeepEqual(got, standard(t)) {
		t.Fatalf("the reset did not last: %+v", got)
	}
}

// standard is the configuration in the file.
func standard(t *testing.T) core.Config {
	s, err := core.New(scenario.Standard())
	if err != nil {
		t.Fatal(err)
	}
	return *s.View().Config()
}

// night is a layout with some fields replaced.
func night(fields string) string {
	l := map[string]json.RawMessage{}
	for _, text := range []string{`"name":"Night","order":["460.25","154.755"],"scans":{"154.7550":1,"460.25":0},"targets":["154.755"],` +
		`"filter":"mine","zoom":1.25,"density":"compact","rail":{"width":360,"split":0.5}`, fields} {
		if err := json.Unmarshal([]byte("{"+text+"}"), &l); err != nil {
			panic(err)
		}
	}
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A layout is published: consoles fetch the configuration again, the next start still has
// it, and a channel that is gone does not matter to it.
func TestPublishedLayouts(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, `{"layouts":[`+night(``)+`,`+night(`"name":"Fit","zoom":"fit","scans":{}`)+`]}`)).ok(&after)
	if fact := <-s.told; fact != (core.ConfigChanged{}) {
		t.Fatalf("everybody was told %T", fact)
	}
	want := `[{"name":"Night","order":["460.25","154.755"],"scans":{"154.755":1,"460.25":0},"targets":["154.755"],"filter":"mine","zoom":1.25,"density":"compact","rail":{"width":360,"split":0.5}},` +
		`{"name":"Fit","order":["460.25","154.755"],"scans":{},"targets":["154.755"],"filter":"mine","zoom":"fit","density":"compact","rail":{"width":360,"split":0.5}}]`
	if got, _ := json.Marshal(after.Config.Layouts); string(got) != want {
		t.Fatalf("\n got %s\nwant %s", got, want)
	}
	file := scenario.Standard()
	file.Zones[0].Channels = file.Zones[0].Channels[:2] // Tac is gone
	file.Codeplugs, file.JobCodeplugs = nil, nil
	again := startWith(t, file, s.edits)
	c := again.inForce()
	if got, _ := json.Marshal(again.logIn().config().Config.Layouts); string(got) != want || len(c.Zones[0].Channels) != 2 {
		t.Fatalf("after a start: %s", got)
	}
	again.logIn().send("POST", "config/reset", wire.AdminReset{Revision: again.logIn().config().Revision, Parts: []string{"layouts"}}).ok(&after)
	if len(after.Config.Layouts) != 0 || len(after.Edited) != 0 {
		t.Fatalf("%+v", after)
	}
}

func TestEditsThatNoLongerFitTheFileAreNamedAndKept(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, `{"announcementGroups":[{"id":"all","name":"All","frequencies":["460.25"]}]}`)).ok(&after)

	file := scenario.Standard()
	file.Zones[0].Channels = file.Zones[0].Channels[:2] // Tac is gone
	file.Codeplugs, file.JobCodeplugs = nil, nil
	editor, _, err := admin.OpenEditor(s.edits, file)
	if err != nil || !strings.Contains(editor.StartNote(), "announcementGroups[1].frequencies names 460.25") {
		t.Fatalf("%v %q", err, editor.StartNote())
	}
	changed := startWith(t, file, s.edits)
	c := changed.logIn().config()
	if got := changed.inForce().AnnouncementGroups; got[0].ID != "city" || c.Ignored == "" || len(c.Edited) != 0 {
		t.Fatalf("%+v %+v", got, c)
	}
	changed.logIn().send("PUT", "config", edit(after.Revision, `{"tones":[]}`)).refused(409, "", "Somebody else") // it saw another file
	again := startWith(t, scenario.Standard(), s.edits)
	if got := again.inForce().AnnouncementGroups; got[0].ID != "all" {
		t.Fatalf("with the old file the edits are back in force, but got %+v", got)
	}
}

func TestWhatCannotBeReadIsNoStart(t *testing.T) {
	for _, garbage := range []string{``, `7`, `{"v":2}`} {
		_, _, err := admin.OpenEditor(teststation.Holding("overlay", garbage), scenario.Standard())
		if err == nil || !strings.Contains(err.Error(), "live edits") {
			t.Fatalf("%q: %v", garbage, err)
		}
	}
}

func TestAnEditThatTheDiskDoesNotTakeIsNone(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	shown := b.config()
	s.edits.Break(errors.New("no space left on device"))
	b.send("PUT", "config", edit(shown.Revision, `{"tones":[]}`)).refused(500, "", "Server error")
	if len(s.inForce().Tones) == 0 || b.config().Revision != shown.Revision {
		t.Fatal("the edit is in force without being stored")
	}
	s.edits.Break(nil)
	var after wire.AdminConfig
	b.send("PUT", "config", edit(shown.Revision, `{"tones":[]}`)).ok(&after)
}

func TestAnEditAsLargeAsALibraryIsRefused(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	b.send("PUT", "config", strings.Repeat(" ", 1<<20)+`{}`).refused(413, "", "1048576")
	// Each edit fits, but together they could not be read again.
	note := strings.Repeat("x", 4000)
	alerts := `{"alerts":[` + strings.Repeat(`{"name":"A","note":"`+note+`","text":"`+note+`"},`, 100) + `{"name":"B"}]}`
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, alerts)).ok(&after)
	tones := `{"tones":[{"name":"A","file":"` + strings.Repeat("x", 4000) + `"}`
	for i := range 100 {
		tones += fmt.Sprintf(`,{"name":"%d","file":"%s"}`, i, strings.Repeat("x", 4000))
	}
	b.send("PUT", "config", edit(after.Revision, tones+`]}`)).refused(400, "", "together")
}

func TestAnEditGoesOnWhenItsAuthorLeaves(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	ctx, cancel := context.WithCancel(t.Context())
	revision := b.config().Revision
	cancel()
	b.change = withContext(ctx)
	var after wire.AdminConfig
	b.send("PUT", "config", edit(revision, `{"tones":[]}`)).ok(&after)
	if len(s.inForce().Tones) != 0 {
		t.Fatal("half an edit")
	}
}
