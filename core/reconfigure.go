package core

// ReplaceConfig puts another configuration in force. Memberships, patches,
// alerts and floors that it no longer covers end; units of a talkgroup whose
// working frequencies changed are put on new ones. The caller must not change
// the Config afterwards.
type ReplaceConfig struct{ Config Config }

func (c ReplaceConfig) apply(s *step) error {
	if s.by.Surface == BySocket {
		return forbidden("", "Only the administration may change the configuration")
	}
	before := s.d.Users
	infos := make([]PlayerInfoChanged, len(before))
	for i := range before {
		infos[i] = s.info(&before[i])
	}
	if err := s.configure(c.Config); err != nil {
		return err
	}
	s.cover()
	for i := range s.d.Users {
		if fresh := s.info(&s.d.Users[i]); fresh != infos[i] {
			s.tell(Audience{Everyone: true}, fresh)
		}
	}
	s.out.Save = true
	s.tell(Audience{Everyone: true}, ConfigChanged{})
	return nil
}

// cover ends what the configuration in force does not cover.
func (s *step) cover() {
	for i := range s.d.Users {
		s.regrant(&s.d.Users[i])
	}
	for i := len(s.d.Talks) - 1; i >= 0; i-- {
		if s.resolve(s.d.Talks[i].Frequency) == nil {
			s.endTalk(i, "gone")
		}
	}
	s.replace()
	for _, id := range s.userIDs() {
		s.enforce(id)
	}
	s.trimPatches()
	for i := len(s.d.Alerts) - 1; i >= 0; i-- {
		if s.channelAt(s.d.Alerts[i].Frequency) == nil {
			s.endAlert(i)
		}
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if s.channelAt(s.d.Panics[i].Frequency) == nil {
			s.endPanic(i, "dropped")
		}
	}
	s.rehear("closed")
}

// replace puts users off working frequencies that their talkgroup no longer
// has, and players of a channel that became trunked onto one.
func (s *step) replace() {
	type stray struct {
		user    UserID
		from    Frequency
		control *channel // nil: the talkgroup itself is gone
		placed  bool
	}
	var strays []stray
	for i := range s.d.Users {
		u := &s.d.Users[i]
		if u.Current == 0 || s.fits(u) {
			continue
		}
		st := stray{u.ID, u.Current, s.channelAt(u.Control), u.Placed}
		if u.Control == 0 {
			st.control = s.channelAt(u.Current)
		}
		strays = append(strays, st)
	}
	for _, st := range strays {
		s.leaveCurrent(st.user, "moved")
	}
	for _, g := range append([]TrunkGroup(nil), s.d.Groups...) {
		if !s.workable(g) {
			s.emptyGroup(g.Frequency)
			s.closeGroup(g.Frequency)
		}
	}
	for _, st := range strays {
		u := s.user(st.user)
		if st.control == nil || !(st.placed || s.mayConnect(u, st.control)) {
			continue
		}
		to, err := s.place(u, st.control, st.control.at)
		if err != nil {
			continue // a full pool: the unit is off the air and told so
		}
		s.tune(st.user, st.control, to, "moved")
		u = s.user(st.user)
		u.Placed = st.placed
		s.tell(dispatchAnd(st.user), UserMoved{User: st.user, From: st.from, To: to, Control: u.Control, Auto: true})
	}
}

// fits: is the user on a frequency that the configuration gives its channel?
func (s *State) fits(u *User) bool {
	if u.Control != 0 {
		g := s.group(u.Current)
		return g != nil && s.workable(*g)
	}
	ch := s.channelAt(u.Current)
	return ch == nil || !ch.pooled() || u.ID.Dispatcher()
}

// workable: does the pool of the group's talkgroup contain it?
func (s *State) workable(g TrunkGroup) bool {
	ch := s.channelAt(g.Control)
	return ch != nil && ch.pooled() && s.channelAt(g.Frequency) == nil &&
		g.Frequency >= ch.cfg.Low && g.Frequency <= ch.cfg.High && (g.Frequency-ch.cfg.Low)%trunkStep == 0
}
