package core

import "slices"

// Talk is a held PTT that was granted the floor of a channel, or a hot microphone.
type Talk struct {
	User      UserID      `json:"user"`
	Frequency Frequency   `json:"frequency"` // what was keyed
	Override  bool        `json:"override,omitempty"`
	Since     int64       `json:"since"`           // key-up, or when it went on as a held PTT after a hot microphone, ms since the epoch
	Touched   int64       `json:"touched"`         // last voice or setTalking, ms since the epoch
	Heard     []Frequency `json:"heard"`           // sorted; every channel on which it is heard
	Until     int64       `json:"until,omitempty"` // when a hot microphone closes, ms since the epoch; 0: a held PTT
	Entry     int         `json:"entry,omitempty"` // its number in the log of transmissions
	Held      bool        `json:"held,omitempty"`  // the PTT is held while the microphone is hot
	Began     int64       `json:"began,omitempty"` // start of its transmission, ms since the epoch; 0: Since
}

// began is when its transmission started.
func (t *Talk) began() int64 {
	if t.Began != 0 {
		return t.Began
	}
	return t.Since
}

type (
	// KeyUp asks for the floor. Frequency zero is the user's speaker channel; for
	// a player, a talkgroup's base means its own working frequency. Only
	// dispatchers key a channel that they are not tuned to. A busy channel is not
	// an error: FloorDenied says who holds it. If Bonking.PlayerOverride is off,
	// Override counts only for users with the dispatch right.
	KeyUp struct {
		User      UserID
		Frequency Frequency
		Override  bool
	}
	// KeyDown releases the floor. Frequency zero: of every channel.
	KeyDown struct {
		User      UserID
		Frequency Frequency
	}
	// Heard reports that the media plane has voice of a user, which renews the
	// lease. Frequency zero: on every channel whose floor the user holds. A user
	// without a floor is told so (FloorReleased "none").
	Heard struct {
		User      UserID
		Frequency Frequency
	}
)

// audibleAt is a channel on which a talk is heard, and the number of the patch
// that leads there; 0: none.
type audibleAt struct {
	at    Frequency
	patch int
}

// audibleOn is every channel on which a talk keyed on f is heard, f first. The
// base of a talkgroup reaches every group and hears every group; a patch joins its
// channels.
func (s *State) audibleOn(f Frequency) []audibleAt {
	on := []audibleAt{{f, 0}}
	if g := s.group(f); g != nil {
		on = append(on, audibleAt{g.Control, 0})
	}
	for _, w := range s.x.at(f).working {
		on = append(on, audibleAt{w, 0})
	}
	if p := s.patchOf(f); p != nil {
		for _, m := range p.Frequencies {
			if m != f {
				on = append(on, audibleAt{m, p.Number})
			}
		}
	}
	return on
}

// contending are the talks that a talk on f would talk over: those that were keyed
// on a channel where it would be heard.
func (s *State) contending(f Frequency) []*held {
	heard := s.audibleOn(f)
	if len(heard) == 1 {
		return slices.Clone(s.x.at(f).keyed)
	}
	return s.keyedOn(heard)
}

// keyedOn are the talks that were keyed on any of some channels, in the order of
// key-up.
func (s *State) keyedOn(on []audibleAt) []*held {
	var lists [][]*held
	for _, h := range on {
		lists = append(lists, s.x.at(h.at).keyed)
	}
	return talksIn(lists...)
}

func (c KeyUp) apply(s *step) error {
	if t := s.hotTalk(c.User); t != nil { // it is on the air already, whatever channel it keys
		t.Held, t.Touched = true, s.now
		return nil
	}
	u, f, err := s.keyable(c)
	if err != nil {
		return err
	}
	if t := s.talk(c.User, f); t != nil {
		t.Touched = s.now
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
	if !override {
		holder = 0
	}
	s.announce(s.addTalk(Talk{User: c.User, Frequency: f, Override: override, Since: s.now, Touched: s.now}), "", holder)
	return nil
}

// own turns a talkgroup's base into a player's own working frequency.
func (u *User) own(f Frequency) Frequency {
	if f != 0 && f == u.Control && u.ID.Player() {
		return u.Current
	}
	return f
}

// keyable checks that the user may key the channel, and finds out which one is
// meant.
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
		return nil, 0, forbidden("frequency", "Players may transmit only on their own channel")
	case !u.Placed && !s.mayConnect(u, ch):
		return nil, 0, forbidden("frequency", "No access to "+ch.at.String())
	case u.Radio.Off:
		return nil, 0, forbidden("", "The radio is off")
	}
	return u, f, nil
}

// holder is another user whose talk makes f busy; 0: nobody's does.
func (s *step) holder(asks UserID, f Frequency) UserID {
	for _, t := range s.contending(f) {
		if t.User != asks && !s.lapsed(t) {
			return t.User
		}
	}
	return 0
}

// lapsed says whether the lease has run out, so that others may take the floor. It
// does not end a held PTT by itself, because clients with silence suppression
// pause.
func (s *step) lapsed(t *held) bool { return s.now >= t.Touched+s.cfg.TalkLease }

// takeLapsed ends the lapsed talks of others, whose place a new talk takes.
func (s *step) takeLapsed(asks UserID, f Frequency) {
	for _, t := range slices.Backward(s.contending(f)) {
		if t.User != asks {
			s.endTalk(t, "lease")
		}
	}
}

// talk finds a user's talk on a channel; nil: it holds no floor there.
func (s *State) talk(id UserID, f Frequency) *held {
	for _, t := range s.x.talks[id] {
		if t.Frequency == f {
			return t
		}
	}
	return nil
}

// timedOut says whether this is still the PTT that the time-out timer cut off: the
// user has to release it first. A client that repeats setTalking while the PTT is
// held has not released it; one that has sent nothing for a lease counts as if it
// had.
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
	if t := s.hotTalk(c.User); t != nil { // only its timer or the end of the emergency closes it
		t.Held = false
		return nil
	}
	s.endTalks(c.User, u.own(c.Frequency), "released")
	return nil
}

func (c Heard) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	f, held := u.own(c.Frequency), false
	for _, t := range s.x.talks[c.User] {
		if f == 0 || t.Frequency == f {
			t.Touched, held = s.now, true
		}
	}
	if f == 0 {
		f = u.Current
	}
	if !held && f != 0 {
		// The media plane drops its frames; untold, the user would talk on unheard.
		s.tell(only(c.User), FloorReleased{User: c.User, Frequency: f, Keyed: f, Reason: "none"})
	}
	return nil
}

// endTalks ends a user's talks on f (zero: all).
func (s *step) endTalks(id UserID, f Frequency, reason string) {
	for _, t := range slices.Backward(slices.Clone(s.x.talks[id])) {
		if f == 0 || t.Frequency == f {
			s.endTalk(t, reason)
		}
	}
}

func (s *step) endTalk(t *held, reason string) {
	s.dropTalk(t)
	for _, f := range t.Heard {
		s.tell(s.at(f).and(t.User), FloorReleased{User: t.User, Frequency: f, Keyed: t.Frequency, Reason: reason})
	}
	s.unsettled = true // units that waited for the end of the talk may move now
}

// announce brings a talk's Heard up to date and tells where the talk begins or
// ceases to be heard. Over is whom it talks over by override; 0: nobody.
func (s *step) announce(t *held, reason string, over UserID) {
	var now []Frequency
	for _, h := range s.audibleOn(t.Frequency) {
		if insertSorted(&now, h.at) && !contains(t.Heard, h.at) {
			s.tell(s.at(h.at).and(t.User), FloorTaken{User: t.User, Frequency: h.at, Keyed: t.Frequency, Override: t.Override, Over: over, HotMic: t.Until > 0})
		}
	}
	for _, f := range t.Heard {
		if !contains(now, f) {
			s.tell(s.at(f).and(t.User), FloorReleased{User: t.User, Frequency: f, Keyed: t.Frequency, Reason: reason})
		}
	}
	s.setHeard(t, now)
}

// refreshTalks announces again the talks that were keyed on some channels, after
// something changed under them: a patch was made or removed, or a working frequency
// was opened or freed while a dispatcher talks on the base.
func (s *step) refreshTalks(reason string, keyed ...Frequency) {
	var on []audibleAt
	for _, f := range keyed {
		on = append(on, audibleAt{at: f})
	}
	for _, t := range s.keyedOn(on) {
		s.announce(t, reason, 0)
	}
}

// talkDeadline is the moment, in ms since the epoch, at which time alone ends a
// talk: by the time-out timer (players), at the end of a hot microphone (which that
// timer does not cut), or by the lease if the talker's link is lost. 0: never.
func (s *State) talkDeadline(t *held) int64 {
	at := t.Until
	if at == 0 && t.User.Player() && s.cfg.TimeoutTimer > 0 {
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
	for _, t := range slices.Backward(s.dueTalks()) {
		u := s.user(t.User)
		if u.LostAt > 0 && s.lapsed(t) {
			s.endTalk(t, "lost")
			continue
		}
		if t.Until > 0 {
			s.closeHotMic(t)
			continue
		}
		u.TimedOut = s.now
		s.endTalk(t, "timeout")
	}
}

// dueTalks are the talks whose deadline has come.
func (s *step) dueTalks() []*held {
	due := func(t *held) bool { at := s.talkDeadline(t); return at > 0 && s.now >= at }
	n := 0
	for n < len(s.x.timed) && due(s.x.timed[n]) {
		n++
	}
	if n+len(s.x.fading)+len(s.x.hot) == 0 {
		return nil
	}
	return slices.DeleteFunc(talksIn(s.x.timed[:n], s.x.fading, s.x.hot), func(t *held) bool { return !due(t) })
}
