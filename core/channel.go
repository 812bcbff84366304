package core

type (
	// JoinAsSpeaker tunes a user to a channel (setSpeakerChannel).
	JoinAsSpeaker struct {
		User      UserID
		Frequency Frequency
	}
	// LeaveChannel switches a user's speaker channel off.
	LeaveChannel struct{ User UserID }
	// MoveUser puts a user on a channel by authority (setUserChannel,
	// switchChannel): the mover's right counts, not the user's.
	MoveUser struct {
		User      UserID
		Frequency Frequency
	}
	// StartScan makes a user a listener of a channel: receive-only.
	StartScan struct {
		User      UserID
		Frequency Frequency
	}
	// StopScan ends that.
	StopScan struct {
		User      UserID
		Frequency Frequency
	}
)

// linked finds a user who is on the radio. A broken link that may come back
// counts.
func (s *step) linked(id UserID) (*User, error) {
	u := s.user(id)
	if u == nil || !u.Linked {
		return nil, errUserNotFound("serverId")
	}
	return u, nil
}

func (c JoinAsSpeaker) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	ch := s.resolve(c.Frequency)
	if ch == nil {
		return errChannelNotFound
	}
	if !s.mayConnect(u, ch) {
		return forbidden("frequency", "No access to "+ch.at.String())
	}
	to, err := s.landing(u, ch, c.Frequency)
	if err != nil {
		return err
	}
	from := s.resolve(u.Current)
	s.tune(u, ch, to, "left")
	u.Placed = false
	if from != ch {
		s.showChannel(c.User, ch)
	}
	return nil
}

func (c MoveUser) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if err := s.mayDispatch(); err != nil {
		return err
	}
	ch := s.resolve(c.Frequency)
	switch {
	case ch == nil:
		return errChannelNotFound
	case u.Facts.Refused:
		return forbidden("serverId", "The user has no radio access")
	}
	to, err := s.landing(u, ch, c.Frequency)
	if err != nil {
		return err
	}
	from := u.Current
	s.tune(u, ch, to, "moved")
	u.Placed = !s.mayConnect(u, ch)
	if from != to {
		s.tell(dispatchAnd(c.User), UserMoved{User: c.User, From: from, To: to, Control: u.Control})
		s.showChannel(c.User, ch)
	}
	return nil
}

// tune changes the speaker channel and tells who is concerned. Reason is why a
// talk on the old channel ends.
func (s *step) tune(u *User, ch *channel, to Frequency, reason string) {
	if u.Current == to {
		return
	}
	s.leaveCurrent(u, reason)
	if to == ch.at {
		s.setCurrent(u, to, 0)
	} else {
		s.setCurrent(u, to, ch.at)
		s.openGroup(ch.at, to)
	}
	s.setAnchor(u, u.Position)
	s.tell(s.onChannels(s.family(to)...), SpeakerJoined{User: u.ID, Frequency: to, Name: s.name(u), Nac: s.shownNac(u)})
	s.changed(to)
}

// leaveCurrent takes a user off its speaker channel; its floor there ends.
func (s *step) leaveCurrent(u *User, reason string) {
	from := u.Current
	if from == 0 {
		return
	}
	// Only the user's talk on this channel ends: a dispatcher may go on
	// talking on another one that it keyed without being tuned to it.
	s.endTalks(u.ID, from, reason)
	to := s.onChannels(s.family(from)...)
	s.setCurrent(u, 0, 0)
	s.setAnchor(u, nil)
	u.Placed = false
	s.tell(to, SpeakerLeft{User: u.ID, Frequency: from, Name: s.name(u), Nac: s.shownNac(u)})
	s.left(from, s.at(from).and(u.ID))
}

func (c LeaveChannel) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	s.leaveCurrent(u, "left")
	return nil
}

func (c StartScan) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	ch := s.resolve(c.Frequency)
	switch {
	case ch == nil:
		return errChannelNotFound
	case contains(u.Scans, c.Frequency):
		return nil // some clients send this again after every channelState
	case !s.mayScan(u, ch):
		return forbidden("frequency", "No access to "+ch.at.String())
	case len(u.Scans) >= s.cfg.Limits.Scans:
		return &Error{Full, "frequency", "Scan list is full"}
	}
	s.addScan(u, c.Frequency)
	s.tell(s.at(c.Frequency), ListenerJoined(c))
	s.changed(c.Frequency)
	s.showChannel(c.User, ch)
	return nil
}

func (c StopScan) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	s.stopScan(u, c.Frequency)
	return nil
}

func (s *step) stopScan(u *User, f Frequency) {
	if !contains(u.Scans, f) {
		return
	}
	to := s.at(f)
	s.dropScan(u, f)
	s.tell(to, ListenerLeft{User: u.ID, Frequency: f})
	s.left(f, to)
}

// family is a frequency and, for a working frequency, the base of its talkgroup.
func (s *State) family(f Frequency) []Frequency {
	if g := s.group(f); g != nil {
		return []Frequency{f, g.Control}
	}
	return []Frequency{f}
}

// changed sends the full snapshot of a channel, and of its talkgroup's base, which
// shows what happens on the working frequencies.
func (s *step) changed(f Frequency) {
	for _, c := range s.family(f) {
		s.tell(s.at(c), ChannelChanged{s.View().channel(c)})
	}
}

// left tells those who were on a channel that somebody left it, and frees a
// working frequency that is now empty.
func (s *step) left(f Frequency, were Audience) {
	family := s.family(f)
	s.emptyGroup(f)
	v := s.View().channel(f)
	s.tell(were, ChannelChanged{v})
	if v.Empty() {
		s.closeGroup(f)
		s.tell(were, ChannelDeleted{f})
	}
	for _, base := range family[1:] {
		s.tell(s.at(base), ChannelChanged{s.View().channel(base)})
	}
}

// speakersOn are the speakers of a channel; for a talkgroup's base, everybody on
// its working frequencies too.
func (s *State) speakersOn(f Frequency) []*User {
	o := s.x.at(f)
	return union(o.speakers, o.units)
}

// listenersOn are the listeners of a channel, in the same way.
func (s *State) listenersOn(f Frequency) []*User {
	o := s.x.at(f)
	all := o.scanners
	for _, w := range o.working {
		all = union(all, s.x.at(w).scanners)
	}
	return all
}
