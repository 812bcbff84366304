package core

import "slices"

// ReplaceConfig puts another configuration in force. Memberships, patches,
// alerts, panic and floors that it no longer covers end; units of a talkgroup whose
// working frequencies changed are put on new ones. The caller must not change the
// Config afterwards.
type ReplaceConfig struct{ Config Config }

func (c ReplaceConfig) apply(s *step) error {
	if s.by.Surface == BySocket {
		return forbidden("", "Only the administration may change the configuration")
	}
	infos := make([]PlayerInfoChanged, len(s.users.all))
	for i, u := range s.users.all {
		infos[i] = s.info(u)
	}
	faded := s.cfg.Signal != nil
	if err := s.configure(c.Config); err != nil {
		return err
	}
	s.reindex()
	s.cover()
	for i, u := range s.users.all {
		if fresh := s.info(u); fresh != infos[i] {
			s.tell(Audience{Everyone: true}, fresh)
		}
	}
	s.dueGPS()
	if faded || s.cfg.Signal != nil {
		s.dueSignal()
	}
	s.out.Save = true
	s.tell(Audience{Everyone: true}, ConfigChanged{})
	return nil
}

// cover adapts the radio to the configuration in force and ends what it does not
// cover.
func (s *step) cover() {
	for _, u := range s.users.all {
		s.regrant(u)
	}
	for _, t := range slices.Backward(slices.Clone(s.talks)) {
		if s.resolve(t.Frequency) == nil {
			s.endTalk(t, "gone")
		}
	}
	s.replace()
	for _, u := range s.users.all {
		s.enforce(u)
	}
	s.trimPatches()
	for i := len(s.d.Alerts) - 1; i >= 0; i-- {
		if s.channelAt(s.d.Alerts[i].Frequency) == nil {
			s.endAlert(i)
		}
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if s.channelAt(s.d.Panics[i].Frequency) == nil {
			s.endPanic(i, "dropped", EndedByScript)
		}
	}
	for _, t := range s.talks {
		s.announce(t, "closed", 0)
	}
	s.rerouted = true
}

// replace moves users off working frequencies that their talkgroup no longer has, and
// gives a working frequency to players whose channel has become trunked.
func (s *step) replace() {
	type stray struct {
		user    *User
		from    Frequency
		control *channel // nil: the talkgroup itself is gone
		placed  bool
	}
	var strays []stray
	for _, u := range s.users.all {
		if u.Current == 0 || s.fits(u) {
			continue
		}
		st := stray{u, u.Current, s.channelAt(u.Control), u.Placed}
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
		u := st.user
		if st.control == nil || !(st.placed || s.mayConnect(u, st.control)) {
			continue
		}
		to, err := s.landing(u, st.control, st.control.at)
		if err != nil {
			continue // a full pool: the unit is off the channel, as leaveCurrent has told
		}
		s.tune(u, st.control, to, "moved")
		u.Placed = st.placed
		s.tell(dispatchAnd(u.ID), UserMoved{User: u.ID, From: st.from, To: to, Control: u.Control, Auto: true})
	}
}

// fits says whether the user is on a frequency that its channel has under the
// configuration in force.
func (s *State) fits(u *User) bool {
	if u.Control != 0 {
		g := s.group(u.Current)
		return g != nil && s.workable(*g)
	}
	ch := s.channelAt(u.Current)
	return ch == nil || !ch.pooled() || u.ID.Dispatcher()
}

// workable says whether the group's frequency is in the pool of its talkgroup.
func (s *State) workable(g TrunkGroup) bool {
	ch := s.channelAt(g.Control)
	return ch != nil && ch.pooled() && s.channelAt(g.Frequency) == nil &&
		g.Frequency >= ch.cfg.Low && g.Frequency <= ch.cfg.High && (g.Frequency-ch.cfg.Low)%trunkStep == 0
}
