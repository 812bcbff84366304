//go:build !wasm

package wire

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"squelch/core"
)

// AdminPartsOf is a configuration as the administration shows it.
func AdminPartsOf(c *core.Config) AdminParts {
	p := AdminParts{Zones: []AdminZone{}, Alerts: []Alert{}, Tones: list(c.Tones),
		Volumes:            &AdminVolumes{Voice: c.Volumes.Voice, SFX: c.Volumes.SFX, Audio3D: c.Volumes.Audio3D, Step: c.Volumes.Step},
		AnnouncementGroups: []AdminGroup{}, Codeplugs: []AdminCodeplug{}, JobCodeplugs: []AdminJob{}, Layouts: layoutsOf(c.Layouts)}
	for _, z := range c.Zones {
		zone := AdminZone{Name: z.Name, NacIDs: list(z.NacIDs), Channels: []AdminChannel{}}
		for _, ch := range z.Channels {
			zone.Channels = append(zone.Channels, adminChannelOf(ch))
		}
		p.Zones = append(p.Zones, zone)
	}
	for _, a := range c.Alerts {
		p.Alerts = append(p.Alerts, Alert{a})
	}
	for _, g := range c.AnnouncementGroups {
		p.AnnouncementGroups = append(p.AnnouncementGroups, AdminGroup{ID: g.ID, Name: g.Name, Frequencies: list(g.Frequencies)})
	}
	for _, plug := range c.Codeplugs {
		p.Codeplugs = append(p.Codeplugs, adminCodeplugOf(plug))
	}
	for _, j := range c.JobCodeplugs {
		p.JobCodeplugs = append(p.JobCodeplugs, AdminJob(j))
	}
	return p
}

func adminChannelOf(c core.Channel) AdminChannel {
	out := AdminChannel{Name: c.Name, Type: string(c.Type), Frequency: c.Frequency, Display: c.Shown, Coverage: c.Coverage,
		AllowedNacs: list(c.AllowedNacs), ScanAllowedNacs: list(c.ScanAllowedNacs),
		GPS: AdminGPS{Color: c.GPS.Color, VisibleToNacs: list(c.GPS.VisibleToNacs)}}
	if c.Low != 0 || c.High != 0 {
		out.FrequencyRange = []core.Frequency{c.Low, c.High}
	}
	return out
}

func adminCodeplugOf(c core.Codeplug) AdminCodeplug {
	return AdminCodeplug{ID: c.ID, UnitID: c.UnitID, Nac: c.Nac, RadioModel: c.RadioModel, Zones: list(c.Zones),
		Features: AdminFeatures(c.Features), Tones: AdminRadioTone(c.Tones), Emergency: AdminEmergency(c.Emergency),
		// Hundredths of a percent: 0.07*100 is not 7 in binary.
		AnnouncementVolume: math.Round(c.AnnouncementVolume*10_000) / 100}
}

// Zone is the zone as the core has it.
func (z AdminZone) Zone() core.Zone {
	out := core.Zone{Name: strings.TrimSpace(z.Name), NacIDs: z.NacIDs, Channels: []core.Channel{}}
	for _, c := range z.Channels {
		out.Channels = append(out.Channels, c.channel())
	}
	return out
}

func (c AdminChannel) channel() core.Channel {
	out := core.Channel{Name: strings.TrimSpace(c.Name), Type: core.ChannelType(c.Type), Frequency: c.Frequency, Coverage: c.Coverage,
		AllowedNacs: c.AllowedNacs, ScanAllowedNacs: c.ScanAllowedNacs, GPS: core.GPS(c.GPS)}
	// A spelling that names another frequency is a left-over of an edit.
	if f, err := core.ParseFrequency(c.Display); err == nil && f == c.Frequency && c.Display != f.String() {
		out.Shown = c.Display
	}
	if len(c.FrequencyRange) == 2 {
		out.Low, out.High = c.FrequencyRange[0], c.FrequencyRange[1]
	}
	return out
}

// Layout is the layout as the core has it. The error is a *core.Error for a key of Scans
// that is no frequency; at is the layout's path.
func (l Layout) Layout(at string) (core.Layout, error) {
	out := core.Layout{Name: strings.TrimSpace(l.Name), Order: l.Order, Targets: l.Targets, Filter: l.Filter, Zoom: l.Zoom,
		Density: l.Density, Rail: core.LayoutRail(l.Rail)}
	for _, key := range SortedKeys(l.Scans) {
		f, err := core.ParseFrequency(key)
		if err != nil {
			return out, wrongAt(at+".scans", "must have frequencies as its keys, such as 154.755")
		}
		out.Scans = append(out.Scans, core.LayoutScan{Frequency: f, Priority: l.Scans[key]})
	}
	slices.SortStableFunc(out.Scans, func(a, b core.LayoutScan) int { return cmp.Compare(a.Frequency, b.Frequency) })
	return out, nil
}

// Codeplug is the codeplug as the core has it, with its volume as 0-1.
func (c AdminCodeplug) Codeplug() core.Codeplug {
	return core.Codeplug{ID: c.ID, UnitID: c.UnitID, Nac: c.Nac, RadioModel: c.RadioModel, Zones: c.Zones,
		Features: core.Features(c.Features), Tones: core.CodeplugTone(c.Tones), Emergency: core.Emergency(c.Emergency),
		AnnouncementVolume: c.AnnouncementVolume / 100}
}
