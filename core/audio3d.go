package core

import "slices"

type (
	// Start3D registers the user to overhear a frequency on radios nearby. Users
	// without radio access may not; users without a known position may only where
	// they may scan.
	Start3D struct {
		User      UserID
		Frequency Frequency
	}
	// Stop3D ends the registration.
	Stop3D struct {
		User      UserID
		Frequency Frequency
	}
)

func (c Start3D) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	ch := s.resolve(c.Frequency)
	switch {
	case ch == nil:
		return errChannelNotFound
	case !s.mayOverhear(u, ch):
		return forbidden("frequency", "No access to "+ch.at.String())
	case contains(u.Audio3D, c.Frequency):
		return nil
	case len(u.Audio3D) >= s.cfg.Limits.Scans:
		return &Error{Full, "frequency", "3D listening list is full"}
	}
	s.addAudio3D(u, c.Frequency)
	return nil
}

func (c Stop3D) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if contains(u.Audio3D, c.Frequency) {
		s.dropAudio3D(u, c.Frequency)
	}
	return nil
}

// mayOverhear says whether the user may register. Anybody near a loudspeaker
// hears it, whatever their NAC id, so a position on the map is enough. Without
// one the core cannot know what is near, and the right to scan the channel
// decides.
func (s *State) mayOverhear(u *User, ch *channel) bool {
	if u.ID.Dispatcher() {
		return true
	}
	return !u.Facts.Refused && (u.Position != nil || s.mayScan(u, ch))
}

// overhears says whether a user who registered for the 3D voice of f now hears
// it.
func (s *State) overhears(u *User, f Frequency, aloud *loudspeakers) bool {
	ch := s.resolve(f)
	if u.Radio.Earbuds || ch == nil || !s.mayOverhear(u, ch) {
		return false
	}
	if u.Position == nil {
		return true
	}
	for _, carrier := range aloud.on(f) {
		if carrier.ID != u.ID && distance(carrier.Position, u.Position) <= s.cfg.Audio3DRange {
			return true
		}
	}
	return false
}

// loudspeakers are the radios on the map that play one talk aloud. They are
// searched once for each frequency, not once for each listener.
type loudspeakers struct {
	s      *State
	heard  []audibleAt
	around []*User // everybody who may carry such a radio
	found  map[Frequency][]*User
}

func (l *loudspeakers) on(f Frequency) []*User {
	found, known := l.found[f]
	if known {
		return found
	}
	for _, u := range l.around {
		if u.Position != nil && l.s.plays(u, f, l.heard) {
			found = append(found, u)
		}
	}
	if l.found == nil {
		l.found = map[Frequency][]*User{}
	}
	l.found[f] = found
	return found
}

// plays says whether a user's radio plays aloud what is heard on f. For a
// talkgroup's base, every radio of a group that hears the talk does.
func (s *State) plays(u *User, f Frequency, heard []audibleAt) bool {
	if !u.hears() || u.Radio.Earbuds {
		return false
	}
	if u.on(f) {
		return true
	}
	for _, h := range heard {
		if g := s.group(h.at); g != nil && g.Control == f && u.on(h.at) {
			return true
		}
	}
	return false
}

// reroute3D marks the rows that may change when a user has moved: what it
// registered for may be near now, and its own radio may now be near others who
// registered for what it plays. A row that comes out the same is kept.
func (s *step) reroute3D(u *User) {
	for _, f := range u.Audio3D {
		s.rerouteOn(f)
	}
	s.rerouteNear(u.Current)
	for _, f := range u.Scans {
		s.rerouteNear(f)
	}
}

// rerouteNear marks the talks that are heard on f for new rows, if anybody is
// registered for the 3D voice of a channel on which they are heard.
func (s *step) rerouteNear(f Frequency) {
	for _, t := range s.x.at(f).heard {
		if slices.ContainsFunc(t.Heard, func(h Frequency) bool { return len(s.x.at(h).near) > 0 }) {
			s.retalked = append(s.retalked, t.User)
		}
	}
}
