package core_test

import (
	"slices"
	"testing"

	"squelch/core"
)

// TestAllThatARadioCannotWorkWithIsFound: Problems gives one error for each value at
// fault, Check the first of them.
func TestAllThatARadioCannotWorkWithIsFound(t *testing.T) {
	c := core.DefaultConfig()
	if problems := c.Problems(); len(problems) != 0 || c.Check() != nil {
		t.Fatalf("the default: %v", problems)
	}
	f := func(s string) core.Frequency {
		at, err := core.ParseFrequency(s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	c.Zones = []core.Zone{{Channels: []core.Channel{
		{Frequency: f("154.755"), Type: core.Conventional},
		{Type: core.Conventional},
		{Frequency: f("154.755"), Type: core.Digital},
		{Frequency: f("155"), Type: "analog", Coverage: -1},
	}}}
	c.Alerts = []core.Alert{{}, {Name: "fine"}}
	c.Tones = []core.Tone{{Name: "A", File: "a.wav"}, {Name: "a", File: "b.wav"}, {}}
	c.AnnouncementGroups = []core.AnnouncementGroup{{ID: "g", Frequencies: []core.Frequency{f("99"), f("154.755"), f("98")}}}
	c.Codeplugs = []core.Codeplug{{ID: "p", Nac: 5000}, {ID: "p", AnnouncementVolume: 2, Zones: []int{2}}}
	c.JobCodeplugs = []core.JobCodeplug{{Job: "police", Codeplug: "q"}}
	c.Volumes.Voice, c.PanicTimeout, c.Callsign.Pattern, c.Limits.Users = 101, -1, "(", 0
	want := []string{
		"zones[1].channels[2].frequency", "zones[1].channels[3].type", "zones[1].channels[4].type", "zones[1].channels[4].coverage",
		"alerts[1].name", "tones[2].name", "tones[3]", "announcementGroups[1].frequencies", "announcementGroups[1].frequencies",
		"codeplugs[1].nac", "codeplugs[2].id", "codeplugs[2].announcementVolume", "codeplugs[2].zones", "jobCodeplugs.police",
		"voiceVolume", "panicTimeout", "limits.users", "callsign.pattern",
	}
	var got []string
	for _, p := range c.Problems() {
		if p.Kind != core.Invalid || p.Message == "" {
			t.Errorf("%+v", p)
		}
		got = append(got, p.Field)
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems\n%q, want\n%q", got, want)
	}
	if err := c.Check(); err == nil || err.Error() != c.Problems()[0].Message {
		t.Errorf("Check gives %v", err)
	}
}
