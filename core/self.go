package core

import "slices"

// Self is a user's own record: what a radio's display or a console shows about its
// own user. It has nothing that the user may not know.
type Self struct {
	User                      UserID
	Name, Nac, Unit, Callsign string    // Nac is "" if it is the login of the dispatch panel
	Zone                      string    // name of the first zone with its channel that the user sees; "": none
	Subscriber                *Codeplug // with its own unit id; nil: none
	Channel, Control          Frequency // Control is the base when Channel is a working frequency
	Listening                 []Frequency
	Alerts                    []ChannelAlert // those that are on at the user's channels
	Panics                    []Frequency    // where the user's own panic is on
	HotMic                    Frequency      // where its microphone is open after a panic; zero: it is not
	HotUntil                  int64          // when that ends, ms since the epoch
	Signal                    int            // strength on its channel, 0-100

	rights string // see State.rights: the player's view of the configuration depends on them
}

// ChannelAlert is an alert that is on at a channel.
type ChannelAlert struct {
	Frequency Frequency
	Alert     Alert
}

func (s *State) self(u *User) Self {
	me := Self{User: u.ID, Name: s.name(u), Nac: s.shownNac(u), Unit: s.unit(u), Callsign: s.callsignOf(u),
		Signal: 100 - u.Fade, Channel: u.Current, Control: u.Control, Listening: list(u.Scans), rights: s.rights(u)}
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
	if t := s.hotTalk(u.ID); t != nil {
		me.HotMic, me.HotUntil = t.Frequency, t.Until
	}
	return me
}

// isAt says whether a user is on a configured channel, or on one of its working
// frequencies.
func (s *State) isAt(u *User, f Frequency) bool {
	return u.Control == f || u.on(f) || slices.ContainsFunc(s.x.at(f).working, func(w Frequency) bool { return contains(u.Scans, w) })
}

func (a Self) equal(b Self) bool {
	return a.User == b.User && a.Name == b.Name && a.Nac == b.Nac && a.Unit == b.Unit && a.Callsign == b.Callsign &&
		a.Zone == b.Zone && a.Channel == b.Channel && a.Control == b.Control && slices.Equal(a.Listening, b.Listening) &&
		slices.Equal(a.Alerts, b.Alerts) && slices.Equal(a.Panics, b.Panics) &&
		a.HotMic == b.HotMic && a.HotUntil == b.HotUntil && a.Signal == b.Signal && a.Subscriber.equal(b.Subscriber)
}

func (p *Codeplug) equal(o *Codeplug) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.ID == o.ID && p.UnitID == o.UnitID && p.Nac == o.Nac && p.RadioModel == o.RadioModel && slices.Equal(p.Zones, o.Zones) &&
		p.Features == o.Features && p.Tones == o.Tones && p.Emergency == o.Emergency && p.AnnouncementVolume == o.AnnouncementVolume
}

// tellSelves sends users their own record if it has changed, once each, at the end
// of a step. The events of the step say whose record to look at. A player whose access
// has changed is told so first: it has other channels now.
func (s *step) tellSelves() {
	var touched, came []UserID
	configured := false
	for _, id := range s.noticed {
		insertSorted(&touched, id)
	}
	for _, e := range s.out.Events {
		if c, ok := e.Fact.(UserConnected); ok {
			insertSorted(&came, c.User)
		} else if _, ok := e.Fact.(ConfigChanged); ok {
			configured = true
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
		before, known := s.selves[id]
		s.selves[id] = now
		if known && id.Player() && !configured && !contains(came, id) && before.rights != now.rights {
			s.tell(only(id), AccessChanged{User: id})
		}
		if known && before.equal(now) && !contains(came, id) {
			continue
		}
		s.tell(only(id), SelfChanged{now})
	}
}

// notice has a user's own record looked at, when no fact of the step says that it may
// have changed.
func (s *step) notice(id UserID) { s.noticed = append(s.noticed, id) }

// touches are the users whose own record a fact may have changed.
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
		return ids(s.users.all)
	}
	return nil
}

func (s *State) peopleAt(f Frequency) []UserID {
	return ids(union(s.speakersOn(f), s.listenersOn(f)))
}

// knowSelves notes every user's own record as if it had been told: a restored radio
// tells only what changes from then on.
func (s *State) knowSelves() {
	s.selves = map[UserID]Self{}
	for _, u := range s.users.all {
		if u.Linked {
			s.selves[u.ID] = s.self(u)
		}
	}
}
