package scenario

import (
	"errors"
	"slices"
	"strings"
	"time"

	"squelch/core"
)

// Standard is the radio that every story starts with: four open channels (one
// digital), one for detectives that the police may scan, a talkgroup with three
// working frequencies, and the fire brigade's own zone.
func Standard() core.Config {
	c := core.DefaultConfig()
	c.DispatchNac = "desk-1"
	c.Zones = []core.Zone{
		{Name: "Police", Channels: []core.Channel{
			channel("North", core.Conventional, "154.755"),
			channel("South", core.Conventional, "154.815"),
			channel("Tac", core.Conventional, "460.25"),
			channel("P25", core.Digital, "770.5"),
			{Name: "Detectives", Type: core.Conventional, Frequency: freq("155.1"), AllowedNacs: []string{"detective"}, ScanAllowedNacs: []string{"police"}},
		}},
		{Name: "East", Channels: []core.Channel{{Name: "East", Type: core.Trunked, Frequency: freq("856"), Low: freq("856"), High: freq("856.0375"), Coverage: 500}}},
		{Name: "Fire", NacIDs: []string{"fire"}, Channels: []core.Channel{channel("Fire", core.Conventional, "33.4")}},
	}
	c.Alerts = []core.Alert{
		{Name: "SIGNAL 100", Persistence: core.Yes, Tones: core.AlertTones{Activate: "ALERT_A", Repeat: "BEEP", Deactivate: "ALERT_B"}, RepeatInterval: 10, RepeatShowBanner: true},
		{Name: "SIGNAL 3", Persistence: core.Yes, Tones: core.AlertTones{Activate: "ALERT_B"}},
		{Name: "Ping", ToneOnly: true, Tone: "BEEP"},
		{Name: "Boop", Tones: core.AlertTones{Activate: "BEEP"}},
	}
	for _, name := range []string{"ALERT_A", "ALERT_B", "BEEP", "PANIC"} {
		c.Tones = append(c.Tones, core.Tone{Name: name, File: strings.ToLower(name) + ".wav"})
	}
	c.AnnouncementGroups = []core.AnnouncementGroup{{ID: "city", Name: "City", Frequencies: []core.Frequency{freq("154.755"), freq("154.815")}}}
	c.Codeplugs = []core.Codeplug{
		{ID: "patrol", UnitID: "P-1", Features: core.Features{Scan: true, Panic: true}, Emergency: core.Emergency{RevertFrequency: freq("460.25")}},
		{ID: "cadet", Zones: []int{1}},
	}
	c.JobCodeplugs = []core.JobCodeplug{{Job: "patrol", Codeplug: "patrol"}, {Job: "cadet", Codeplug: "cadet"}}
	return c
}

func channel(name string, kind core.ChannelType, f string) core.Channel {
	return core.Channel{Name: name, Type: kind, Frequency: freq(f)}
}

func freq(w string) core.Frequency {
	f, err := core.ParseFrequency(w)
	if err != nil {
		return 0 // Config.Check refuses it
	}
	return f
}

// edit changes one value of a configuration: "talkLease 2s", "block off",
// "removes 460.25", "trunks 154.815 150 150.1 50", "allows group.x radio.scan".
func edit(c *core.Config, w []string) error {
	if len(w) == 2 {
		if t := timer(c, w[0]); t != nil {
			d, err := time.ParseDuration(w[1])
			*t = d.Milliseconds()
			return err
		}
	}
	switch {
	case len(w) == 2 && w[0] == "block":
		c.Bonking.BlockTransmission = w[1] == "on"
	case len(w) == 2 && w[0] == "playerOverride":
		c.Bonking.PlayerOverride = w[1] == "on"
	case len(w) == 2 && w[0] == "callsigns":
		c.UseCallsignSystem = w[1] == "on"
	case len(w) == 2 && w[0] == "callsign-pattern":
		c.Callsign.Pattern = w[1]
	case len(w) == 2 && w[0] == "seats":
		c.Limits.Users = number(w[1])
	case len(w) == 2 && w[0] == "ids":
		c.Limits.IDsPerLogin = number(w[1])
	case len(w) == 2 && w[0] == "scanlist":
		c.Limits.Scans = number(w[1])
	case len(w) == 2 && w[0] == "records":
		c.Limits.Emergencies = number(w[1])
	case len(w) == 2 && w[0] == "audio3DRange":
		c.Audio3DRange = float64(number(w[1]))
	case len(w) == 3 && w[0] == "hotmic": // "hotmic patrol 5s"
		d, err := time.ParseDuration(w[2])
		emergency(c, w[1]).HotMicMs = d.Milliseconds()
		return err
	case len(w) == 3 && w[0] == "reverts": // "reverts patrol none"
		emergency(c, w[1]).RevertFrequency = freq(w[2])
	case len(w) == 2 && w[0] == "removes":
		remove(c, w[1])
	case len(w) == 3 && w[0] == "closes" && w[1] != "":
		eachChannel(c, w[1], func(z *core.Zone, i int) { z.Channels[i].AllowedNacs = []string{w[2]} })
	case len(w) == 4 && w[0] == "maps": // "maps 154.755 blue police": the police see the channel's units, in blue
		eachChannel(c, w[1], func(z *core.Zone, i int) {
			z.Channels[i].GPS = core.GPS{Color: w[2], VisibleToNacs: strings.Split(w[3], ",")}
		})
	case len(w) == 2 && w[0] == "signal": // "signal 1000", "signal off"
		c.Signal = &core.Signal{Range: float64(number(w[1]))}
		if w[1] == "off" {
			c.Signal = nil
		}
	case len(w) == 3 && w[0] == "site": // "site 100,0 500": its range; 0: the channel's
		c.Signal.Sites = append(c.Signal.Sites, core.Site{At: position(w[1]), Range: float64(number(w[2]))})
	case len(w) == 5 && w[0] == "trunks":
		eachChannel(c, w[1], func(z *core.Zone, i int) {
			ch := &z.Channels[i]
			ch.Type, ch.Low, ch.High, ch.Coverage = core.Trunked, freq(w[2]), freq(w[3]), float64(number(w[4]))
		})
	case len(w) == 3 && (w[0] == "allows" || w[0] == "denies"):
		c.ACL.Entries = append(c.ACL.Entries, core.ACE{Principal: w[1], Object: w[2], Allow: w[0] == "allows"})
	case len(w) == 3 && w[0] == "inherits":
		c.ACL.Inherit = append(c.ACL.Inherit, core.Inheritance{Child: w[1], Parent: w[2]})
	default:
		return errors.New("no such setting: " + strings.Join(w, " "))
	}
	return nil
}

// emergency is that of a codeplug, which there must be.
func emergency(c *core.Config, codeplug string) *core.Emergency {
	i := slices.IndexFunc(c.Codeplugs, func(p core.Codeplug) bool { return p.ID == codeplug })
	return &c.Codeplugs[i].Emergency
}

// remove takes a channel out of its zone, and out of everything that names it.
func remove(c *core.Config, f string) {
	eachChannel(c, f, func(z *core.Zone, i int) { z.Channels = slices.Delete(z.Channels, i, i+1) })
	for i := range c.AnnouncementGroups {
		g := &c.AnnouncementGroups[i]
		g.Frequencies = slices.DeleteFunc(g.Frequencies, func(m core.Frequency) bool { return m == freq(f) })
	}
	for i := range c.Codeplugs {
		if e := &c.Codeplugs[i].Emergency; e.RevertFrequency == freq(f) {
			e.RevertFrequency = 0
		}
	}
}

func timer(c *core.Config, name string) *int64 {
	switch name {
	case "talkLease":
		return &c.TalkLease
	case "timeoutTimer":
		return &c.TimeoutTimer
	case "resumeWindow":
		return &c.ResumeWindow
	case "panicTimeout":
		return &c.PanicTimeout
	}
	return nil
}

func eachChannel(c *core.Config, f string, change func(*core.Zone, int)) {
	for z := range c.Zones {
		for i := range c.Zones[z].Channels {
			if c.Zones[z].Channels[i].Frequency == freq(f) {
				change(&c.Zones[z], i)
				return
			}
		}
	}
}
