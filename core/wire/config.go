package wire

import (
	"slices"

	"squelch/core"
)

// ZonesOf is zones on the wire; their ids are numbered in the order of the list.
func ZonesOf(zones []core.Zone) []ConfigZone {
	out := []ConfigZone{}
	for i, z := range zones {
		chs := []ConfigChannel{}
		for _, c := range z.Channels {
			ch := ConfigChannel{ID: c.Frequency.String(), Name: c.Name, Type: string(c.Type), Frequency: c.Frequency.String(),
				Display: c.Shown, Coverage: c.Coverage, AllowedNacs: list(c.AllowedNacs), ScanAllowedNacs: list(c.ScanAllowedNacs),
				GPS: GPS{c.GPS.Color, list(c.GPS.VisibleToNacs)}, CanTransmit: true, Users: []ZoneUser{}}
			if c.Low != 0 {
				ch.FrequencyRange = []string{c.Low.String(), c.High.String()}
			}
			chs = append(chs, ch)
		}
		out = append(out, ConfigZone{ID: ZoneID(i), Name: z.Name, NacIDs: list(z.NacIDs), Channels: chs, LegacyChannels: chs})
	}
	return out
}

// ConfigOf is the configuration as dispatchers see it, with who is on each
// channel. The login of the dispatch panel is left out of the NAC lists: not
// every session knows it.
func ConfigOf(v core.View, themes ThemeList) ConfigBody {
	b, on := configOf(v.Config(), themes), people{v: v}
	for i := range b.Zones {
		for j := range b.Zones[i].Channels {
			c := &b.Zones[i].Channels[j]
			on.fill(c, v.Config().Zones[i].Channels[j].Frequency)
		}
	}
	return b
}

// people finds who is on a channel, once for all configurations that show it.
type people struct {
	v    core.View
	seen map[core.Frequency]ConfigChannel // Listeners and Users
}

func (p *people) fill(c *ConfigChannel, f core.Frequency) {
	on, known := p.seen[f]
	if !known {
		on = p.on(f)
		if p.seen == nil {
			p.seen = map[core.Frequency]ConfigChannel{}
		}
		p.seen[f] = on
	}
	c.Listeners, c.Users = on.Listeners, on.Users
}

func (p *people) on(f core.Frequency) ConfigChannel {
	now, _ := p.v.Channel(f)
	c := ConfigChannel{Listeners: len(now.Listeners), Users: []ZoneUser{}}
	for _, u := range now.Users {
		c.Users = append(c.Users, ZoneUser{ID: u.ID.String(), Name: u.Name, NacID: orNull(u.Nac), UnitID: orNull(u.Unit),
			Transmitting: slices.Contains(now.ActiveTalkers, u.ID), Panic: p.v.PanicOn(u.ID, f)})
	}
	return c
}

// configOf is the configuration without anybody on it.
func configOf(c *core.Config, themes ThemeList) ConfigBody {
	b := ConfigBody{Zones: ZonesOf(unsecret(c.Zones, c.DispatchNac)), Alerts: []Alert{}, Tones: list(c.Tones),
		Volumes: Volumes{c.Volumes.Voice, c.Volumes.SFX, c.Volumes.Audio3D, c.Volumes.Step},
		RadioFx: map[string]float64{}, Themes: list(themes.Themes), DefaultTheme: themes.DefaultTheme, AnnouncementGroups: []AnnouncementGroup{}, Layouts: layoutsOf(c.Layouts),
		Bonking:         Bonking(c.Bonking),
		PTTReleaseDelay: c.PTTReleaseDelay, PanicTimeout: c.PanicTimeout, TimeoutTimer: c.TimeoutTimer,
		UseCallsignSystem: c.UseCallsignSystem, ServerName: c.ServerName, Version: Version}
	for _, a := range c.Alerts {
		b.Alerts = append(b.Alerts, Alert{a})
	}
	if c.Signal != nil {
		b.Signal = &SignalEffect{c.Signal.Noise, c.Signal.Dropouts}
	}
	for _, f := range c.RadioFx {
		b.RadioFx[f.Name] = f.Level
	}
	for _, g := range c.AnnouncementGroups {
		b.AnnouncementGroups = append(b.AnnouncementGroups, AnnouncementGroup{g.ID, g.Name, Spell(g.Frequencies)})
	}
	return b
}

// unsecret copies zones, leaving one NAC id out.
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

// PlayerConfigOf is the configuration as one player's radio shows it: the zones and
// channels that the player may use, without NAC lists. The channels that the player
// is on have their users, if there are at most maxUserData.
func PlayerConfigOf(v core.View, id core.UserID) ConfigBody { return playerConfig(id, &people{v: v}) }

func playerConfig(id core.UserID, on *people) ConfigBody {
	v := on.v
	c := *v.Config()
	zones := v.VisibleZones(id)
	for i := range zones {
		zones[i].NacIDs = nil
		zones[i].Channels = slices.Clone(zones[i].Channels)
		for j := range zones[i].Channels {
			zones[i].Channels[j].AllowedNacs, zones[i].Channels[j].ScanAllowedNacs, zones[i].Channels[j].GPS.VisibleToNacs = nil, nil, nil
		}
	}
	c.Zones, c.AnnouncementGroups, c.Layouts = zones, nil, nil
	b := configOf(&c, ThemeList{})
	me, _ := v.User(id)
	for i := range b.Zones {
		for j := range b.Zones[i].Channels {
			f := zones[i].Channels[j].Frequency
			c := &b.Zones[i].Channels[j]
			c.CanTransmit = v.MayTransmit(id, f)
			if me.Current == f || me.Control == f || slices.Contains(me.Scans, f) {
				on.fill(c, f)
			}
			if len(c.Users) > maxUserData {
				c.Users = []ZoneUser{}
			}
		}
	}
	return b
}
