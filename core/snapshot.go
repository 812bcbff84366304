package core

import "slices"

// Snapshot copies everything that the radio remembers.
func (s *State) Snapshot() Data {
	d := s.d.clone()
	d.Users = s.users.clone()
	for _, t := range s.talks {
		talk := t.Talk
		talk.Heard = list(talk.Heard)
		d.Talks = append(d.Talks, talk)
	}
	return d
}

// Restore makes a radio that goes on where a Snapshot was taken. The result
// of Restore(cfg, s.Snapshot()) behaves as s does. What cfg does not cover ends
// without an event, for instance if the file was edited before a restart. The error
// is that of New.
func Restore(cfg Config, d Data) (*State, error) {
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	s.users = newRoster(d.Users)
	for i, t := range d.Talks {
		t.Heard = list(t.Heard)
		s.talks = append(s.talks, &held{Talk: t, nr: i + 1})
	}
	d.Users, d.Talks = nil, nil
	s.d = d.clone()
	s.recordPanics()
	s.reindex()
	st := &step{State: s, now: s.d.Now, by: Actor{Surface: BySystem}}
	st.cover()
	s.routes = s.buildRoutes()
	s.knowSelves()
	return s, nil
}

// Durable is the part of a Snapshot that survives a restart of the service:
// patches, persistent alerts, panic, emergencies, callsigns and NAC overrides, but not
// membership and floors.
func (d Data) Durable() Data {
	return Data{Now: d.Now, Alerts: d.Alerts, Panics: d.Panics, Patches: d.Patches,
		LastPatch: d.LastPatch, Emergencies: d.Emergencies, LastEmergency: d.LastEmergency, Callsigns: d.Callsigns, NacSet: d.NacSet}.clone()
}

// Durable is Snapshot().Durable() without copying what is left out.
func (s *State) Durable() Data { return s.d.Durable() }

// clone copies the data. Empty lists become nil, so that the same state has the
// same bytes whatever led to it.
func (d Data) clone() Data {
	d.Users = list(d.Users)
	for i := range d.Users {
		d.Users[i] = d.Users[i].clone()
	}
	d.Aliases = list(d.Aliases)
	d.Talks = list(d.Talks)
	for i := range d.Talks {
		d.Talks[i].Heard = list(d.Talks[i].Heard)
	}
	d.Groups = list(d.Groups)
	d.Alerts = list(d.Alerts)
	d.Panics = list(d.Panics)
	d.Patches = list(d.Patches)
	for i := range d.Patches {
		d.Patches[i] = d.Patches[i].clone()
	}
	d.Emergencies = list(d.Emergencies)
	d.Transmissions = list(d.Transmissions)
	d.Callsigns = list(d.Callsigns)
	d.NacSet = list(d.NacSet)
	d.GPS = d.GPS.clone()
	return d
}

func list[T any](l []T) []T {
	if len(l) == 0 {
		return nil
	}
	return slices.Clone(l)
}

func (u User) clone() User {
	u.Facts = u.Facts.clone()
	u.Granted = u.Granted.clone()
	u.Scans = list(u.Scans)
	u.Audio3D = list(u.Audio3D)
	u.Follows = list(u.Follows)
	u.Position = clonePosition(u.Position)
	u.Anchor = clonePosition(u.Anchor)
	return u
}

func (f Facts) clone() Facts {
	f.Identifiers = list(f.Identifiers)
	f.Given = f.Given.clone()
	return f
}

func (g Grants) clone() Grants {
	g.Connect.Frequencies = list(g.Connect.Frequencies)
	g.Scan.Frequencies = list(g.Scan.Frequencies)
	g.GPS.Frequencies = list(g.GPS.Frequencies)
	g.Zones.Zones = list(g.Zones.Zones)
	return g
}

func clonePosition(p *Position) *Position {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
