package core

import "slices"

// Talk is a held PTT that was granted: a user holds the floor of a channel.
type Talk struct {
	User      UserID      `json:"user"`
	Frequency Frequency   `json:"frequency"` // what was keyed
	Override  bool        `json:"override,omitempty"`
	Since     int64       `json:"since"`   // key-up, ms since the epoch
	Touched   int64       `json:"touched"` // last voice frame or setTalking
	Heard     []Frequency `json:"heard"`   // sorted; every channel on which it is heard
}

type (
	// KeyUp asks for the floor. Frequency zero: the user's speaker channel; a
	// talkgroup's base means a player's own working frequency. Only dispatchers
	// key a channel that they are not tuned to. A busy channel is no error:
	// FloorDenied tells who holds it. Override is passed over for a player where
	// Bonking.PlayerOverride is off.
	KeyUp struct {
		User      UserID
		Frequency Frequency
		Override  bool
	}
	// KeyDown gives the floor back. Frequency zero: everywhere.
	KeyDown struct {
		User      UserID
		Frequency Frequency
	}
	// Heard reports voice of a user from the media plane: it keeps the lease.
	// Frequency zero: every channel that the user holds. A talker without a
	// floor is told so (FloorReleased "none").
	Heard struct {
		User      UserID
		Frequency Frequency
	}
)

// heardAt is a channel on which a talk is heard, and the patch that leads there.
type heardAt struct {
	at    Frequency
	patch int
}

// heardOn is every channel on which a talk keyed on f is heard, f first:
// a talkgroup's base reaches its groups and hears each; a patch joins its
// members.
func (s *State) heardOn(f Frequency) []heardAt {
	on := []heardAt{{f, 0}}
	if g := s.group(f); g != nil {
		on = append(on, heardAt{g.Control, 0})
	}
	for _, g := range s.d.Groups {
		if g.Control == f {
			on = append(on, heardAt{g.Frequency, 0})
		}
	}
	if p := s.patchOf(f); p != nil {
		for _, m := range p.Frequencies {
			if m != f {
				on = append(on, heardAt{m, p.Number})
			}
		}
	}
	return on
}

// contend says whether talks on two channels would be talking over each other.
func (s *State) contend(a, b Frequency) bool {
	if a == b {
		return true
	}
	if p := s.patchOf(a); p != nil && slices.Contains(p.Frequencies, b) {
		return true
	}
	ga, gb := s.group(a), s.group(b)
	return (ga != nil && ga.Control == b) || (gb != nil && gb.Control == a)
}

func (c KeyUp) apply(s *step) error {
	u, f, err := s.keyable(c)
	if err != nil {
		return err
	}
	if i := s.talk(c.User, f); i >= 0 {
		s.d.Talks[i].Touched = s.now
		return nil
	}
	if s.timedOut(u) {
		s.tell(only(c.User), FloorReleased{User: c.User, Frequency: f, Keyed: f, Reason: "timeout"})
		return nil
	}
	override := c.Override && (s.cfg.Bonking.PlayerOverride || s.dispatchRight(u))
	holder := s.holder(c.User, f)
	if s.cfg.Bonking.BlockTransmission && !override {
		if holder != 0 {
			s.tell(only(c.User), FloorDenied{User: c.User, Frequency: f, Holder: holder})
			return nil
		}
		s.takeLapsed(c.User, f)
	}
	s.d.Talks = append(s.d.Talks, Talk{User: c.User, Frequency: f, Override: override, Since: s.now, Touched: s.now})
	if !override {
		holder = 0
	}
	s.hear(&s.d.Talks[len(s.d.Talks)-1], "", holder)
	s.retalked = append(s.retalked, c.User)
	return nil
}

// own turns a talkgroup's base into a player's own working frequency.
func (u *User) own(f Frequency) Frequency {
	if f != 0 && f == u.Control && u.ID.Player() {
		return u.Current
	}
	return f
}

// keyable checks that the user may key the channel at all.
func (s *step) keyable(c KeyUp) (*User, Frequency, error) {
	u := s.user(c.User)
	if u == nil || !u.present() {
		return nil, 0, errUserNotFound("serverId")
	}
	f := c.Frequency
	if f == 0 {
		f = u.Current
	}
	f = u.own(f)
	if f == 0 {
		return nil, 0, invalid("frequency", "No channel is selected")
	}
	ch := s.resolve(f)
	switch {
	case ch == nil:
		return nil, 0, errChannelNotFound
	case u.ID.Player() && f != u.Current:
		return nil, 0, forbidden("frequency", "Players transmit on their own channel only")
	case !u.Placed && !s.mayConnect(u, ch):
		return nil, 0, forbidden("frequency", "No access to "+ch.at.String())
	case u.Radio.Off:
		return nil, 0, forbidden("", "The radio is off")
	}
	return u, f, nil
}

// holder is somebody else whose talk makes f busy; 0 when nobody's does.
func (s *step) holder(asks UserID, f Frequency) UserID {
	for i := range s.d.Talks {
		t := &s.d.Talks[i]
		if t.User != asks && s.contend(t.Frequency, f) && !s.lapsed(t) {
			return t.User
		}
	}
	return 0
}

// lapsed: the lease has run out, so the floor is free for others; it does not
// silence a held PTT by itself (clients with silence suppression pause).
func (s *step) lapsed(t *Talk) bool { return s.now >= t.Touched+s.cfg.TalkLease }

// takeLapsed ends the lapsed talks that another one takes the place of.
func (s *step) takeLapsed(asks UserID, f Frequency) {
	for i := len(s.d.Talks) - 1; i >= 0; i-- {
		if t := &s.d.Talks[i]; t.User != asks && s.contend(t.Frequency, f) {
			s.endTalk(i, "lease")
		}
	}
}

func (s *State) talk(id UserID, f Frequency) int {
	return slices.IndexFunc(s.d.Talks, func(t Talk) bool { return t.User == id && t.Frequency == f })
}

// timedOut: is this still the PTT that the time-out timer cut off? It needs a
// new key-up. A client that repeats setTalking while the PTT is held is not
// one; silence for a lease, or a release, is.
func (s *step) timedOut(u *User) bool {
	if u.TimedOut == 0 {
		return false
	}
	if s.now >= u.TimedOut+s.cfg.TalkLease {
		u.TimedOut = 0
		return false
	}
	u.TimedOut = s.now
	return true
}

func (c KeyDown) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	u.TimedOut = 0
	s.endTalks(c.User, u.own(c.Frequency), "released")
	return nil
}

func (c Heard) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	f, held := u.own(c.Frequency), false
	for i := range s.d.Talks {
		if t := &s.d.Talks[i]; t.User == c.User && (f == 0 || t.Frequency == f) {
			t.Touched, held = s.now, true
		}
	}
	if f == 0 {
		f = u.Current
	}
	if !held && f != 0 {
		// Its frames are dropped: say so, or the talker goes on unheard.
		s.tell(only(c.User), FloorReleased{User: c.User, Frequency: f, Keyed: f, Reason: "none"})
	}
	return nil
}

// endTalks ends a user's talks on f (zero: all).
func (s *step) endTalks(id UserID, f Frequency, reason string) {
	for i := len(s.d.Talks) - 1; i >= 0; i-- {
		if t := &s.d.Talks[i]; t.User == id && (f == 0 || t.Frequency == f) {
			s.endTalk(i, reason)
		}
	}
}

func (s *step) endTalk(i int, reason string) {
	t := s.d.Talks[i]
	s.d.Talks = slices.Delete(s.d.Talks, i, i+1)
	s.retalked = append(s.retalked, t.User)
	for _, f := range t.Heard {
		s.tell(s.at(f).and(t.User), FloorReleased{User: t.User, Frequency: f, Keyed: t.Frequency, Reason: reason})
	}
	s.unsettled = true // units that waited for the end of the talk may move now
}

// hear brings a talk's Heard up to date and tells where the talker begins or
// ceases to be heard. Over is whom it talks over by override.
func (s *step) hear(t *Talk, reason string, over UserID) {
	var now []Frequency
	for _, h := range s.heardOn(t.Frequency) {
		if insertSorted(&now, h.at) && !contains(t.Heard, h.at) {
			s.tell(s.at(h.at).and(t.User), FloorTaken{User: t.User, Frequency: h.at, Keyed: t.Frequency, Override: t.Override, Over: over})
		}
	}
	for _, f := range t.Heard {
		if !contains(now, f) {
			s.tell(s.at(f).and(t.User), FloorReleased{User: t.User, Frequency: f, Keyed: t.Frequency, Reason: reason})
		}
	}
	t.Heard = now
}

// rehear follows what changes under running talks: a patch made or removed, a
// working frequency opened or freed under a dispatcher who talks on the base.
func (s *step) rehear(reason string) {
	for i := range s.d.Talks {
		s.hear(&s.d.Talks[i], reason, 0)
	}
	s.rerouted = true
}

// talkDeadline is the moment at which time alone ends a talk: the time-out
// timer (players), or the lease when the talker's link is lost. 0: never.
func (s *State) talkDeadline(t *Talk) int64 {
	var at int64
	if t.User.Player() && s.cfg.TimeoutTimer > 0 {
		at = t.Since + s.cfg.TimeoutTimer
	}
	if u := s.user(t.User); u != nil && u.LostAt > 0 {
		if end := t.Touched + s.cfg.TalkLease; at == 0 || end < at {
			at = end
		}
	}
	return at
}

func (s *step) expireTalks() {
	for i := len(s.d.Talks) - 1; i >= 0; i-- {
		t := &s.d.Talks[i]
		if at := s.talkDeadline(t); at == 0 || s.now < at {
			continue
		}
		u := s.user(t.User)
		if u.LostAt > 0 && s.lapsed(t) {
			s.endTalk(i, "lost")
			continue
		}
		u.TimedOut = s.now
		s.endTalk(i, "timeout")
	}
}
