package core

import "slices"

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
	// StartScan and StopScan are receive-only membership.
	StartScan struct {
		User      UserID
		Frequency Frequency
	}
	StopScan struct {
		User      UserID
		Frequency Frequency
	}
)

// linked finds a user who is on the radio (a broken link that may come back
// counts).
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
	to, err := s.place(u, ch, c.Frequency)
	if err != nil {
		return err
	}
	from := s.resolve(u.Current)
	s.tune(c.User, ch, to, "left")
	s.user(c.User).Placed = false
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
	to, err := s.place(u, ch, c.Frequency)
	if err != nil {
		return err
	}
	from := u.Current
	s.tune(c.User, ch, to, "moved")
	s.user(c.User).Placed = true
	if from != to {
		s.tell(dispatchAnd(c.User), UserMoved{User: c.User, From: from, To: to, Control: s.user(c.User).Control})
		s.showChannel(c.User, ch)
	}
	return nil
}

// tune changes the speaker channel and tells the story of it. Reason is why a
// talk on the old one ends.
func (s *step) tune(id UserID, ch *channel, to Frequency, reason string) {
	u := s.user(id)
	if u.Current == to {
		return
	}
	s.leaveCurrent(id, reason)
	u = s.user(id)
	u.Current, u.Control = to, 0
	if to != ch.at {
		u.Control = ch.at
		s.openGroup(ch.at, to)
	}
	u.Anchor = clonePosition(u.Position)
	s.rerouted = true
	s.tell(s.onChannels(s.family(to)...), SpeakerJoined{User: id, Frequency: to, Name: s.name(u), Nac: s.shownNac(u)})
	s.changed(to)
}

// leaveCurrent takes a user off its speaker channel; its floor there ends.
func (s *step) leaveCurrent(id UserID, reason string) {
	u := s.user(id)
	from := u.Current
	if from == 0 {
		return
	}
	// A dispatcher may go on talking on a channel that it keyed without being
	// tuned to it; a tuned one falls silent with the channel it leaves.
	s.endTalks(id, from, reason)
	u = s.user(id)
	to := s.onChannels(s.family(from)...)
	u.Current, u.Control, u.Placed, u.Anchor = 0, 0, false, nil
	s.rerouted = true
	s.tell(to, SpeakerLeft{User: id, Frequency: from, Name: s.name(u), Nac: s.shownNac(u)})
	s.left(from, s.at(from).and(id))
}

func (c LeaveChannel) apply(s *step) error {
	if _, err := s.linked(c.User); err != nil {
		return err
	}
	s.leaveCurrent(c.User, "left")
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
		return nil // a real client re-sends this on every channelState
	case !s.mayScan(u, ch):
		return forbidden("frequency", "No access to "+ch.at.String())
	case len(u.Scans) >= s.cfg.Limits.Scans:
		return &Error{Full, "frequency", "Scan list is full"}
	}
	insertSorted(&u.Scans, c.Frequency)
	s.rerouted = true
	s.tell(s.at(c.Frequency), ListenerJoined(c))
	s.changed(c.Frequency)
	s.showChannel(c.User, ch)
	return nil
}

func (c StopScan) apply(s *step) error {
	if _, err := s.linked(c.User); err != nil {
		return err
	}
	s.stopScan(c.User, c.Frequency)
	return nil
}

func (s *step) stopScan(id UserID, f Frequency) {
	u := s.user(id)
	if !contains(u.Scans, f) {
		return
	}
	to := s.at(f)
	removeSorted(&u.Scans, f)
	s.rerouted = true
	s.tell(to, ListenerLeft{User: id, Frequency: f})
	s.left(f, to)
}

// family is a frequency and, for a working frequency, the base it belongs to.
func (s *State) family(f Frequency) []Frequency {
	if g := s.group(f); g != nil {
		return []Frequency{f, g.Control}
	}
	return []Frequency{f}
}

// changed sends the full snapshot of a channel; a talkgroup's base shows what
// happens on its working frequencies.
func (s *step) changed(f Frequency) {
	for _, c := range s.family(f) {
		s.tell(s.at(c), ChannelChanged{s.View().channel(c)})
	}
}

// left tells those who were on a channel that somebody left it, and cleans up
// when it has emptied.
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

func (s *State) userIDs() []UserID {
	ids := make([]UserID, len(s.d.Users))
	for i := range s.d.Users {
		ids[i] = s.d.Users[i].ID
	}
	return ids
}

// speakersOn and listenersOn include, for a talkgroup's base, everybody on its
// working frequencies.
func (s *State) speakersOn(f Frequency) []UserID {
	var ids []UserID
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.Current == f || u.Control == f {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

func (s *State) listenersOn(f Frequency) []UserID {
	fs := []Frequency{f}
	for _, g := range s.d.Groups {
		if g.Control == f {
			fs = append(fs, g.Frequency)
		}
	}
	var ids []UserID
	for i := range s.d.Users {
		u := &s.d.Users[i]
		if slices.ContainsFunc(fs, func(f Frequency) bool { return contains(u.Scans, f) }) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}
