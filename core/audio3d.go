package core

type (
	// Start3D registers for the voice that radios near the user play on a
	// frequency. Users without radio access may not; those without a position may
	// only where they may scan.
	Start3D struct {
		User      UserID
		Frequency Frequency
	}
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
	insertSorted(&u.Audio3D, c.Frequency)
	s.rerouted = true
	return nil
}

func (c Stop3D) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if removeSorted(&u.Audio3D, c.Frequency) {
		s.rerouted = true
	}
	return nil
}

// mayOverhear: anybody near a loudspeaker hears it, whatever their NAC id, so a
// position on the map is enough. Without one the radio cannot know what is near,
// and the right to scan the channel decides.
func (s *State) mayOverhear(u *User, ch *channel) bool {
	if u.ID.Dispatcher() {
		return true
	}
	return !u.Facts.Refused && (u.Position != nil || s.mayScan(u, ch))
}

// overhears says whether a user who registered for the 3D voice of f hears what
// is heard there.
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
// looked for once for each frequency, not once for each listener.
type loudspeakers struct {
	s      *State
	heard  []heardAt
	around []int // everybody who may carry one, as indices into Users
	found  map[Frequency][]*User
}

func (l *loudspeakers) on(f Frequency) []*User {
	found, known := l.found[f]
	if known {
		return found
	}
	for _, i := range l.around {
		if u := &l.s.d.Users[i]; u.Position != nil && l.s.plays(u, f, l.heard) {
			found = append(found, u)
		}
	}
	if l.found == nil {
		l.found = map[Frequency][]*User{}
	}
	l.found[f] = found
	return found
}

// plays: does a user's radio play aloud what is heard on f? On a talkgroup's
// base that is every radio of the groups that hear it.
func (s *State) plays(u *User, f Frequency, heard []heardAt) bool {
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

// reroute3D follows people who move: the rows of talks on channels that somebody
// has registered for are made anew. A table that says the same is not handed out.
func (s *step) reroute3D() {
	var wanted []Frequency
	for i := range s.d.Users {
		for _, f := range s.d.Users[i].Audio3D {
			insertSorted(&wanted, f)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for i := range s.d.Talks {
		for _, f := range s.d.Talks[i].Heard {
			if contains(wanted, f) {
				s.retalked = append(s.retalked, s.d.Talks[i].User)
				break
			}
		}
	}
}
