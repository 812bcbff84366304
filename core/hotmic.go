package core

// hotTalk is the talk of a user's hot microphone; nil: it is closed.
func (s *State) hotTalk(id UserID) *held {
	for _, t := range s.x.talks[id] {
		if t.Until > 0 {
			return t
		}
	}
	return nil
}

// openHotMic gives a unit that has pressed its own emergency button the floor of the
// emergency's channel, over whoever has it, for as long as its codeplug says. Only the
// unit's own button does that: nobody else opens a microphone.
func (s *step) openHotMic(u *User, ch *channel) {
	p := s.codeplug(u)
	if p == nil || p.Emergency.HotMicMs <= 0 || s.by.User != u.ID || !u.hears() || u.Facts.Refused {
		return
	}
	f, until := u.own(ch.at), s.now+p.Emergency.HotMicMs
	own := s.talk(u.ID, f)
	for _, t := range list(s.x.talks[u.ID]) {
		if t != own { // a radio has one transmitter
			s.endTalk(t, "moved")
		}
	}
	s.notice(u.ID)
	if own != nil {
		s.setHot(own, until)
		own.Override, own.Held = true, true
		return
	}
	over := s.holder(u.ID, f)
	s.announce(s.addTalk(Talk{User: u.ID, Frequency: f, Override: true, Since: s.now, Touched: s.now, Until: until}), "", over)
}

// closeHotMic ends a hot microphone, because its time or the emergency is over. A unit
// that holds its PTT on its own channel goes on talking: nobody who speaks in an
// emergency is cut off. The time-out timer counts from then.
func (s *step) closeHotMic(t *held) {
	if u := s.user(t.User); u != nil && t.Held && t.Frequency == u.Current {
		s.notice(u.ID)
		t.Began = t.began()
		t.Since, t.Held = s.now, false
		s.setHot(t, 0)
		return
	}
	s.endTalk(t, "hotmic")
}

// calmHotMic closes the hot microphone of an emergency that is over.
func (s *step) calmHotMic(p Panic) {
	t := s.hotTalk(p.User)
	if t == nil {
		return
	}
	if ch := s.resolve(t.Frequency); ch == nil || ch.at == p.Frequency {
		s.closeHotMic(t)
	}
}
