package wire

import (
	"slices"

	"squelch/core"
)

// ZonesOf writes zones; numbering follows the list given.
func ZonesOf(zones []core.Zone) []ConfigZone {
	out := []ConfigZone{}
	for i, z := range zones {
		chs := []ConfigChannel{}
		for _, c := range z.Channels {
			ch := ConfigChannel{ID: c.Frequency.String(), Name: c.Name, Type: string(c.Type), Frequency: c.Frequency.String(),
				Display: c.Shown, Coverage: c.Coverage, AllowedNacs: list(c.AllowedNacs), ScanAllowedNacs: list(c.ScanAllowedNacs),
				GPS: GPS{c.GPS.Color, list(c.GPS.VisibleToNacs)}, CanTransmit: true}
			if c.Low != 0 {
				ch.FrequencyRange = []string{c.Low.String(), c.High.String()}
			}
			chs = append(chs, ch)
		}
		out = append(out, ConfigZone{ID: ZoneID(i), Name: z.Name, NacIDs: list(z.NacIDs), Channels: chs, LegacyChannels: chs})
	}
	return out
}

// ConfigOf is the configuration as dispatchers see it. The login of the
// dispatch panel is left out of the NAC lists: not every session knows it.
func ConfigOf(c *core.Config, themes []Theme) ConfigBody {
	b := ConfigBody{Zones: ZonesOf(unsecret(c.Zones, c.DispatchNac)), Alerts: []Alert{}, Tones: list(c.Tones),
		Volumes: Volumes{c.Volumes.Voice, c.Volumes.SFX, c.Volumes.Audio3D, c.Volumes.Step},
		RadioFx: map[string]float64{}, Themes: list(themes), AnnouncementGroups: []AnnouncementGroup{},
		Bonking:         Bonking(c.Bonking),
		PTTReleaseDelay: c.PTTReleaseDelay, PanicTimeout: c.PanicTimeout, TimeoutTimer: c.TimeoutTimer,
		UseCallsignSystem: c.UseCallsignSystem, ServerName: c.ServerName, Version: Version}
	for _, a := range c.Alerts {
		b.Alerts = append(b.Alerts, Alert{a})
	}
	for _, f := range c.RadioFx {
		b.RadioFx[f.Name] = f.Level
	}
	for _, g := range c.AnnouncementGroups {
		b.AnnouncementGroups = append(b.AnnouncementGroups, AnnouncementGroup{g.ID, g.Name, spell(g.Frequencies)})
	}
	return b
}

// unsecret copies zones without one NAC id.
func unsecret(zones []core.Zone, nac string) []core.Zone {
	without := func(nacs []string) []string {
		return slices.DeleteFunc(slices.Clone(nacs), func(n string) bool { return n == nac })
	}
	zones = slices.Clone(zones)
	for i := range zones {
		z := &zones[i]
		z.NacIDs, z.Channels = without(z.NacIDs), slices.Clone(z.Channels)
		for j := range z.Channels {
			c := &z.Channels[j]
			c.AllowedNacs, c.ScanAllowedNacs, c.GPS.VisibleToNacs = without(c.AllowedNacs), without(c.ScanAllowedNacs), without(c.GPS.VisibleToNacs)
		}
	}
	return zones
}

// PlayerConfigOf is the configuration as one player's radio shows it: the
// zones and channels that the player may use, without NAC lists.
func PlayerConfigOf(v core.View, id core.UserID) ConfigBody {
	c := *v.Config()
	zones := v.VisibleZones(id)
	for i := range zones {
		zones[i].NacIDs = nil
		zones[i].Channels = slices.Clone(zones[i].Channels)
		for j := range zones[i].Channels {
			zones[i].Channels[j].AllowedNacs, zones[i].Channels[j].ScanAllowedNacs, zones[i].Channels[j].GPS.VisibleToNacs = nil, nil, nil
		}
	}
	c.Zones, c.AnnouncementGroups = zones, nil
	b := ConfigOf(&c, nil)
	for i := range b.Zones {
		for j := range b.Zones[i].Channels {
			f := zones[i].Channels[j].Frequency
			b.Zones[i].Channels[j].CanTransmit = v.MayTransmit(id, f)
		}
	}
	return b
}
