package core

import "slices"

// Self is a user's own record: what a radio's display or a console shows of its
// own user. It has nothing that the user may not know.
type Self struct {
	User                      UserID
	Name, Nac, Unit, Callsign string    // Nac is "" when it is the dispatch login
	Zone                      string    // name of the first zone of its channel that it sees; "" without a channel
	Subscriber                *Codeplug // with its own unit id; nil: none
	Channel, Control          Frequency // Control is the base when Channel is a working frequency
	Listening                 []Frequency
	Alerts                    []ChannelAlert // on the channels that it is on
	Panics                    []Frequency    // where its own panic is on
}

// ChannelAlert is an alert that is on at a channel.
type ChannelAlert struct {
	Frequency Frequency
	Alert     Alert
}

func (s *State) self(u *User) Self {
	me := Self{User: u.ID, Name: s.name(u), Nac: s.shownNac(u), Unit: s.unit(u), Callsign: s.callsignOf(u),
		Channel: u.Current, Control: u.Control, Listening: list(u.Scans)}
	if ch := s.resolve(u.Current); ch != nil {
		for _, p := range ch.zones {
			if s.seesZone(u, p.zone) {
				me.Zone = s.cfg.Zones[p.zone].Name
				break
			}
		}
	}
	if p := s.codeplug(u); p != nil {
		own := *p
		own.UnitID = me.Unit
		me.Subscriber = &own
	}
	for _, a := range s.d.Alerts {
		if s.isAt(u, a.Frequency) {
			me.Alerts = append(me.Alerts, ChannelAlert{a.Frequency, a.Alert})
		}
	}
	for _, p := range s.d.Panics {
		if p.User == u.ID {
			me.Panics = append(me.Panics, p.Frequency)
		}
	}
	return me
}

// isAt says whether a user is on a configured channel, or on one of its working
// frequencies.
func (s *State) isAt(u *User, f Frequency) bool {
	if u.Control == f || u.on(f) {
		return true
	}
	return slices.ContainsFunc(u.Scans, func(scan Frequency) bool { g := s.group(scan); return g != nil && g.Control == f })
}

func (a Self) equal(b Self) bool {
	return a.User == b.User && a.Name == b.Name && a.Nac == b.Nac && a.Unit == b.Unit && a.Callsign == b.Callsign &&
		a.Zone == b.Zone && a.Channel == b.Channel && a.Control == b.Control && slices.Equal(a.Listening, b.Listening) &&
		slices.Equal(a.Alerts, b.Alerts) && slices.Equal(a.Panics, b.Panics) && a.Subscriber.equal(b.Subscriber)
}

func (p *Codeplug) equal(o *Codeplug) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.ID == o.ID && p.UnitID == o.UnitID && p.Nac == o.Nac && p.RadioModel == o.RadioModel && slices.Equal(p.Zones, o.Zones) &&
		p.Features == o.Features && p.Tones == o.Tones && p.Emergency == o.Emergency && p.AnnouncementVolume == o.AnnouncementVolume
}

// tellSelves tells users what has changed of themselves, at the end of a step
// and each once. Whom to look at follows from what the step has told.
func (s *step) tellSelves() {
	var touched, came []UserID
	for _, e := range s.out.Events {
		if c, ok := e.Fact.(UserConnected); ok {
			insertSorted(&came, c.User)
		}
		for _, id := range s.touches(e.Fact) {
			insertSorted(&touched, id)
		}
	}
	for _, id := range touched {
		u := s.user(id)
		if u == nil || !u.Linked {
			delete(s.selves, id)
			continue
		}
		now := s.self(u)
		if before, known := s.selves[id]; known && before.equal(now) && !contains(came, id) {
			continue
		}
		s.selves[id] = now
		s.tell(only(id), SelfChanged{now})
	}
}

// touches are the users of whose own record a fact may tell.
func (s *step) touches(f Fact) []UserID {
	switch f := f.(type) {
	case UserConnected:
		return []UserID{f.User}
	case UserLeft:
		return []UserID{f.User}
	case SpeakerJoined:
		return []UserID{f.User}
	case SpeakerLeft:
		return []UserID{f.User}
	case ListenerJoined:
		return []UserID{f.User}
	case ListenerLeft:
		return []UserID{f.User}
	case PlayerInfoChanged:
		return []UserID{f.User}
	case PanicRaised:
		return []UserID{f.User}
	case PanicCleared:
		return []UserID{f.User}
	case AlertActivated:
		return s.peopleAt(f.Frequency)
	case AlertCleared:
		return s.peopleAt(f.Frequency)
	case ConfigChanged:
		return s.userIDs()
	}
	return nil
}

func (s *State) peopleAt(f Frequency) []UserID {
	var ids []UserID
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.Linked && s.isAt(u, f) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// knowSelves takes every user's own record as told: a restored radio tells only
// what changes from then on.
func (s *State) knowSelves() {
	s.selves = map[UserID]Self{}
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.Linked {
			s.selves[u.ID] = s.self(u)
		}
	}
}
