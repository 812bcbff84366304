package core

import "slices"

// The fields of users and talks of which the index is made are written here and
// nowhere else. Each function also marks the rows and views that the change
// touches.

// stale drops the kept views in which a user is shown, because something that
// they show of it has changed.
func (s *State) stale(u *User) {
	s.staleAt(u.Current)
	s.staleAt(u.Control)
	for _, f := range u.Scans {
		s.staleAt(f)
	}
}

// staleAt drops the kept view of a channel, and that of its talkgroup's base, which
// shows what its working frequencies show.
func (s *State) staleAt(f Frequency) {
	if o := s.x.on[f]; o != nil {
		o.view = nil
	}
	if g := s.group(f); g != nil {
		if o := s.x.on[g.Control]; o != nil {
			o.view = nil
		}
	}
}

// rerouteOn marks the talks that are heard on a frequency for new rows: other
// users may hear them now.
func (s *step) rerouteOn(f Frequency) {
	for _, t := range s.x.at(f).heard {
		s.retalked = append(s.retalked, t.User)
	}
}

// rerouteFor marks the talks that a user may begin or cease to hear, or that
// others may begin or cease to overhear from its radio.
func (s *step) rerouteFor(u *User) {
	s.rerouteOn(u.Current)
	for _, f := range u.Scans {
		s.rerouteOn(f)
	}
	for _, f := range u.Audio3D {
		s.rerouteOn(f)
	}
	s.retalked = append(s.retalked, u.Follows...)
	s.retalked = append(s.retalked, u.ID) // a self-test
}

// setCurrent puts a user on a speaker channel; zero: on none. control is the base
// if that channel is a working frequency.
func (s *step) setCurrent(u *User, to, control Frequency) {
	s.stale(u)
	s.rerouteOn(u.Current)
	from, base := u.Current, u.Control
	s.x.untune(u)
	u.Current, u.Control = to, control
	s.x.tune(u)
	s.x.tidy(from)
	s.x.tidy(base)
	s.stale(u)
	s.rerouteOn(to)
	if u.Loopback {
		s.retalked = append(s.retalked, u.ID)
	}
	s.restray(u)
	if u.Position != nil {
		s.dueGPS()
	}
	s.refade(u)
	u.Fade = s.ownFade(u) // its record is told now anyway
}

// setAnchor notes where a unit was grouped.
func (s *step) setAnchor(u *User, at *Position) {
	u.Anchor = clonePosition(at)
	s.restray(u)
}

// setPosition notes where a user is; it says whether it was elsewhere before.
func (s *step) setPosition(u *User, at Position) bool {
	if u.Position != nil && *u.Position == at {
		return false
	}
	u.Position = &at
	s.restray(u)
	s.reroute3D(u)
	if u.Current != 0 {
		s.dueGPS()
	}
	s.refade(u)
	return true
}

func (s *step) addScan(u *User, f Frequency) {
	insertSorted(&u.Scans, f)
	addUser(&s.x.use(f).scanners, u)
	s.staleAt(f)
	s.rerouteOn(f)
}

func (s *step) dropScan(u *User, f Frequency) {
	s.staleAt(f)
	s.rerouteOn(f)
	removeSorted(&u.Scans, f)
	dropUser(&s.x.use(f).scanners, u)
	s.x.tidy(f)
}

func (s *step) addAudio3D(u *User, f Frequency) {
	insertSorted(&u.Audio3D, f)
	addUser(&s.x.use(f).near, u)
	s.rerouteOn(f)
}

func (s *step) dropAudio3D(u *User, f Frequency) {
	s.rerouteOn(f)
	removeSorted(&u.Audio3D, f)
	dropUser(&s.x.use(f).near, u)
	s.x.tidy(f)
}

func (s *step) addFollow(u *User, target UserID) {
	insertSorted(&u.Follows, target)
	s.x.follow(u, target)
	s.retalked = append(s.retalked, target)
}

// dropFollow ends a follow; it says whether there was one.
func (s *step) dropFollow(u *User, target UserID) bool {
	if !removeSorted(&u.Follows, target) {
		return false
	}
	s.x.unfollow(u, target)
	s.retalked = append(s.retalked, target)
	return true
}

func (s *step) setOwner(u *User, owner string) {
	s.x.disown(u)
	u.Owner = owner
	s.x.own(u)
	s.stale(u)
}

// setFacts notes what the outside says of a user.
func (s *step) setFacts(u *User, f Facts) {
	f.Awaited = Awaited{}
	u.Facts = f.answered()
	s.stale(u)
}

// setLost notes when a link broke, in ms since the epoch; 0: it is not broken.
func (s *step) setLost(u *User, at int64) {
	s.x.regain(u)
	u.LostAt = at
	s.x.lose(u)
	s.stale(u)
	s.rerouteFor(u)
	s.relocate(u)
	s.emptyMap(u.ID)
}

// addTalk gives a user the floor of a channel. Where the talk is heard is noted by
// setHeard.
func (s *step) addTalk(t Talk) *held {
	t.Entry = s.logTalk(&t)
	h := &held{Talk: t, nr: 1}
	if n := len(s.talks); n > 0 {
		h.nr = s.talks[n-1].nr + 1
	}
	s.talks = append(s.talks, h)
	u := s.user(t.User)
	s.x.key(h, u)
	s.stale(u)
	s.retalked = append(s.retalked, t.User)
	return h
}

// setHot notes until when a talk is a hot microphone; 0: it is a held PTT from now on.
func (s *step) setHot(t *held, until int64) {
	s.x.unkey(t)
	t.Until = until
	s.x.key(t, s.user(t.User))
}

func (s *step) dropTalk(t *held) {
	if t.Until > 0 {
		s.notice(t.User)
	}
	s.logTalkEnd(&t.Talk)
	dropTalk(&s.talks, t)
	for _, f := range t.Heard {
		s.dropHeard(t, f)
	}
	s.x.unkey(t)
	s.x.tidy(t.Frequency)
	if u := s.user(t.User); u != nil {
		s.stale(u)
	}
	s.retalked = append(s.retalked, t.User)
}

// setHeard notes on which channels a talk is heard.
func (s *step) setHeard(t *held, now []Frequency) {
	for _, f := range t.Heard {
		if !contains(now, f) {
			s.dropHeard(t, f)
		}
	}
	for _, f := range now {
		addTalk(&s.x.use(f).heard, t)
		s.staleAt(f)
	}
	t.Heard = now
	s.retalked = append(s.retalked, t.User)
}

func (s *step) dropHeard(t *held, f Frequency) {
	s.staleAt(f)
	dropTalk(&s.x.use(f).heard, t)
	s.x.tidy(f)
}

func (s *step) addGroup(g TrunkGroup) {
	n, _ := slices.BinarySearchFunc(s.d.Groups, g.Frequency, byFrequency)
	s.d.Groups = insert(s.d.Groups, n, g)
	insertSorted(&s.x.use(g.Control).working, g.Frequency)
	s.staleAt(g.Frequency)
}

func (s *step) dropGroup(f Frequency) {
	n, found := slices.BinarySearchFunc(s.d.Groups, f, byFrequency)
	if !found {
		return
	}
	s.staleAt(f)
	control := s.d.Groups[n].Control
	s.d.Groups = cutOut(s.d.Groups, n)
	removeSorted(&s.x.use(control).working, f)
	s.x.tidy(control)
}
