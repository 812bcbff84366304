package core

import "slices"

// Panic is a user's emergency on a channel. What becomes of it is in an EmergencyRecord.
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
		by := EndedByScript
		if s.by.User == c.User {
			by = EndedByUnit
		}
		return s.calm(c.User, c.Frequency, by)
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
	r, recorded := s.record(u, ch.at)
	if recorded { // before the panic: a console that hears of the panic first takes it for one without a record
		s.tellEmergency(r, "raised")
	}
	s.tell(s.onChannels(ch.at).and(c.User), PanicRaised{User: c.User, Frequency: ch.at, Name: s.name(u), Unrecorded: !recorded})
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
	f, err := s.panicsOf(c.Frequency)
	if err != nil {
		return err
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if p := s.d.Panics[i]; p.User == c.User && (f == 0 || p.Frequency == f) {
			s.dropPanic(i, reasonAcknowledged)
		}
	}
	taken := s.user(c.User) != nil // the id of a player who has left may be somebody else's
	for i := len(s.d.Emergencies) - 1; i >= 0; i-- {
		if r := &s.d.Emergencies[i]; r.User == c.User && (f == 0 || r.Frequency == f) && !(r.Gone && taken) {
			s.closeEmergency(i, reasonAcknowledged, "")
		}
	}
	return nil
}

// panicsOf is the channel whose panics are meant; zero: every channel.
func (s *State) panicsOf(f Frequency) (Frequency, error) {
	if f == 0 {
		return 0, nil
	}
	ch := s.resolve(f)
	if ch == nil {
		return 0, errChannelNotFound
	}
	return ch.at, nil
}

// calm ends a user's panic on f; zero: on every channel. It is not an error if
// there is none. By is EndedByUnit or EndedByScript.
func (s *step) calm(id UserID, f Frequency, by string) error {
	f, err := s.panicsOf(f)
	if err != nil {
		return err
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if p := s.d.Panics[i]; p.User == id && (f == 0 || p.Frequency == f) {
			s.endPanic(i, "cleared", by)
		}
	}
	return nil
}

// endPanic ends a panic and notes in its record by what.
func (s *step) endPanic(i int, reason, by string) {
	p := s.d.Panics[i]
	s.dropPanic(i, reason)
	s.endEmergency(p, by)
}

// dropPanic ends a panic.
func (s *step) dropPanic(i int, reason string) {
	p := s.d.Panics[i]
	s.d.Panics = cutOut(s.d.Panics, i)
	s.x.panics(s.d.Panics)
	s.out.Save = true
	s.tell(s.onChannels(p.Frequency).and(p.User), PanicCleared{User: p.User, Frequency: p.Frequency, Reason: reason, Name: s.nameIn(p), Since: p.Since})
	s.calmHotMic(p)
}

// nameIn is the name of a panic's user, who may have left the radio since.
func (s *State) nameIn(p Panic) string {
	if u := s.user(p.User); u != nil {
		return s.name(u)
	}
	if i, open := s.emergencyAt(p.Frequency, p.User); open {
		return s.d.Emergencies[i].Name
	}
	return ""
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
			s.endPanic(i, "timeout", EndedByTimeout)
		}
	}
}
