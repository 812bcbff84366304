package core

import "slices"

// welcome shows the radio as it is to somebody who has just connected: to a console
// all of it, to a player who got its place back the channels that it is on. None of
// it is news, so no tone plays and no record is kept.
func (s *step) welcome(id UserID) {
	if id.Dispatcher() {
		for _, v := range s.View().ActiveChannels() {
			s.tell(only(id), ChannelChanged{v})
		}
		for _, p := range s.d.Patches {
			s.tell(only(id), PatchShown{p.clone()})
		}
		for _, r := range s.d.Emergencies {
			s.showEmergency(id, r)
		}
		if len(s.d.Transmissions) > 0 {
			s.tell(only(id), TransmissionsShown{s.lastTransmissions()})
		}
	}
	s.showCalls(id, func(f Frequency) bool {
		u := s.user(id)
		return id.Dispatcher() || u.Control == f || u.on(f)
	})
}

// showChannel shows a user who has just joined a channel, or begun to scan it, what
// is on there.
func (s *step) showChannel(id UserID, ch *channel) {
	s.showCalls(id, func(f Frequency) bool { return f == ch.at })
}

// showCalls shows a user the alerts and panics on some channels, and a player also
// their patches; a console has been shown all patches when it connected.
func (s *step) showCalls(id UserID, on func(Frequency) bool) {
	for _, p := range s.d.Patches {
		if id.Player() && slices.ContainsFunc(p.Frequencies, on) {
			s.tell(only(id), PatchShown{p.clone()})
		}
	}
	for _, a := range s.d.Alerts {
		if on(a.Frequency) {
			s.tell(only(id), AlertShown{Frequency: a.Frequency, Alert: a.Alert, By: a.By, Since: a.Since})
		}
	}
	for _, p := range s.d.Panics {
		if on(p.Frequency) {
			shown := PanicShown{User: p.User, Frequency: p.Frequency, Since: p.Since}
			if u := s.user(p.User); u != nil {
				shown.Name = s.name(u)
			}
			s.tell(only(id), shown)
		}
	}
}
