package core

import "slices"

// Panic is a user's emergency on a channel.
type Panic struct {
	Frequency Frequency `json:"frequency"`
	User      UserID    `json:"user"`
	Since     int64     `json:"since"` // ms since the epoch
}

type (
	// SetPanic presses or resets a panic button. Frequency zero: when pressed,
	// the revert channel of the user's radio, else its speaker channel; when
	// reset, every channel.
	SetPanic struct {
		User      UserID
		Frequency Frequency
		Enabled   bool
	}
	// AcknowledgePanic ends a user's panic because a dispatcher has taken care of
	// it. Frequency zero: every channel on which the user has panic.
	AcknowledgePanic struct {
		User      UserID
		Frequency Frequency
	}
)

// panicTone is played with a panic when the tone list has it.
const panicTone = "PANIC"

// maxPanics bounds the memory. Nobody can tend to so many emergencies at once.
const maxPanics = 4096

func (c SetPanic) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	if err := s.mayActFor(c.User); err != nil {
		return err
	}
	if !c.Enabled {
		return s.calm(c.User, c.Frequency, "cleared")
	}
	ch, err := s.panicChannel(u, c.Frequency)
	if err != nil {
		return err
	}
	i, on := s.panicAt(ch.at, c.User)
	switch {
	case on:
		return nil
	case len(s.d.Panics) >= maxPanics:
		return &Error{Full, "serverId", "Too many panics are active"}
	}
	s.d.Panics = insert(s.d.Panics, i, Panic{Frequency: ch.at, User: c.User, Since: s.now})
	s.x.panics(s.d.Panics)
	s.out.Save = true
	s.tell(s.onChannels(ch.at).and(c.User), PanicRaised{User: c.User, Frequency: ch.at, Name: s.name(u)})
	if t := s.tone(panicTone); t != nil {
		s.tellTone(ch.at, t.Name)
	}
	s.openHotMic(u, ch)
	return nil
}

// panicChannel finds where a panic goes: the channel named, else the revert
// channel of the user's radio, else its speaker channel.
func (s *step) panicChannel(u *User, f Frequency) (*channel, error) {
	var revert Frequency
	self := s.mayDispatch() != nil
	if p := s.codeplug(u); p != nil {
		if !p.Features.Panic && self {
			return nil, forbidden("", "This radio has no panic button")
		}
		revert = p.Emergency.RevertFrequency
	}
	if self && !u.Linked {
		f = s.reachable(u, f, revert)
	}
	if f == 0 {
		f = revert
	}
	if f == 0 {
		f = u.Current
	}
	if f == 0 {
		return nil, invalid("frequency", "No channel is selected")
	}
	ch := s.resolve(f)
	switch {
	case ch == nil:
		return nil, errChannelNotFound
	case self && f != u.Current && f != u.Control && ch.at != revert && !s.mayConnect(u, ch):
		return nil, forbidden("frequency", "No access to "+ch.at.String())
	}
	return ch, nil
}

// reachable is where the panic of a player goes whose radio is off the air, and who
// asks for it through the game server. By then the channel that it was on is forgotten,
// and perhaps the access by which it was there. So if it may not use the channel named,
// its panic goes to its revert channel, else to the first one that it may use.
func (s *State) reachable(u *User, named, revert Frequency) Frequency {
	switch ch := s.resolve(named); {
	case ch != nil && (ch.at == revert || s.mayConnect(u, ch)):
		return named
	case revert != 0:
		return revert
	}
	for z := range s.cfg.Zones {
		for i := range s.cfg.Zones[z].Channels {
			if ch := s.channelAt(s.cfg.Zones[z].Channels[i].Frequency); s.mayConnect(u, ch) {
				return ch.at
			}
		}
	}
	return named
}

func (c AcknowledgePanic) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	return s.calm(c.User, c.Frequency, "acknowledged")
}

// calm ends a user's panic on f; zero: on every channel. It is not an error if
// there is none.
func (s *step) calm(id UserID, f Frequency, reason string) error {
	if f != 0 {
		ch := s.resolve(f)
		if ch == nil {
			return errChannelNotFound
		}
		f = ch.at
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if p := s.d.Panics[i]; p.User == id && (f == 0 || p.Frequency == f) {
			s.endPanic(i, reason)
		}
	}
	return nil
}

func (s *step) endPanic(i int, reason string) {
	p := s.d.Panics[i]
	s.d.Panics = slices.Delete(s.d.Panics, i, i+1)
	s.x.panics(s.d.Panics)
	s.out.Save = true
	s.tell(s.onChannels(p.Frequency).and(p.User), PanicCleared{User: p.User, Frequency: p.Frequency, Reason: reason})
	s.calmHotMic(p)
}

func (s *State) panicAt(f Frequency, id UserID) (int, bool) {
	return slices.BinarySearchFunc(s.d.Panics, Panic{Frequency: f, User: id}, func(a, b Panic) int {
		if c := compare(a.Frequency, b.Frequency); c != 0 {
			return c
		}
		return compare(a.User, b.User)
	})
}

func (s *step) expirePanics() {
	if s.cfg.PanicTimeout == 0 || s.x.panicSince == 0 || s.now < s.x.panicSince+s.cfg.PanicTimeout {
		return
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if s.now >= s.d.Panics[i].Since+s.cfg.PanicTimeout {
			s.endPanic(i, "timeout")
		}
	}
}
