package core

import (
	"slices"
	"sort"
	"strings"
)

type (
	// Connect links a person to the radio by a new client. Want is the id asked
	// for: a player gets it; a dispatcher gets it unless another live holder was
	// first, and then the next free negative one. An id of the same Owner and
	// Want whose link is broken comes back with its channels, patches and
	// callsign; no key is held at the new client, so its talk ends. TakeOver
	// names such an id whose link the adapter has found dead.
	//
	// What the game server registered of a player and what a Refresh brought
	// stands: Facts only fill the gaps, and a refusal is lifted by a Refresh.
	Connect struct {
		Want     UserID
		Owner    string
		TakeOver UserID
		Facts    Facts
	}
	// Recover: the client whose link broke goes on over a new connection, and
	// is told what it missed. Nothing else changes: its talk goes on too.
	Recover struct {
		User  UserID
		Owner string
	}
	// LinkSession gives the user's id to a session that was named later than
	// the handshake. When an id of that session waits for its return, the link
	// takes it back: UserConnected carries it, and User is gone.
	// Name and Callsign are the session's.
	LinkSession struct {
		User           UserID
		Owner          string
		Name, Callsign string
	}
	// Register makes a player known to the radio before it connects.
	Register struct {
		User  UserID
		Facts Facts
	}
	// Drop removes a player from the game, and what was remembered of it: the
	// game server gives the number to somebody else.
	Drop struct{ User UserID }
	// Unlink: the user's connection ended. Clean: the client said goodbye, so
	// membership and floor end at once; else they wait for the resume window.
	Unlink struct {
		User  UserID
		Clean bool
	}
	// Kick disconnects a user (disconnectUser).
	Kick struct{ User UserID }
)

func errRadioFull() error { return &Error{Full, "serverId", "The radio is full"} }

func errLoginFull(ids int) error {
	return &Error{Full, "serverId", "This login holds " + itoa(ids) + " dispatcher ids, which is the limit"}
}

func (s *step) addUser(id UserID) *User {
	n := sort.Search(len(s.d.Users), func(i int) bool { return s.d.Users[i].ID >= id })
	s.d.Users = slices.Insert(s.d.Users, n, User{ID: id, Radio: s.newRadio()})
	return &s.d.Users[n]
}

func (c Connect) apply(s *step) error {
	if c.Want == 0 {
		return invalid("serverId", "serverId must be positive for a player and negative for a dispatcher")
	}
	if err := checkOwner(c.Owner); err != nil {
		return err
	}
	if err := s.checkFacts(&c.Facts); err != nil {
		return err
	}
	id, err := s.assign(c)
	if err != nil {
		return err
	}
	u := s.user(id)
	if u == nil {
		u = s.addUser(id)
	}
	resumed := u.Linked
	if resumed {
		s.endTalks(id, 0, "gone") // who held the key is gone
		u.TimedOut, u.Loopback = 0, false
	}
	u.Owner, u.Want, u.Linked, u.LostAt = c.Owner, c.Want, true, 0
	s.setAlias(u)
	u.Facts = mergeFacts(u, c.Facts.clone(), resumed)
	s.dropStaleCallsign(u)
	s.regrant(u)
	s.rerouted = true
	s.tell(dispatchAnd(id), UserConnected{User: id, Wanted: c.Want, Resumed: resumed})
	s.tellInfo(id)
	s.enforce(id)
	s.welcome(id)
	return nil
}

func (c Recover) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || u.LostAt == 0 || u.Owner != c.Owner {
		return errUserNotFound("serverId")
	}
	u.LostAt = 0
	s.rerouted = true
	s.tell(dispatchAnd(c.User), UserConnected{User: c.User, Wanted: u.Want, Resumed: true})
	return nil
}

func checkOwner(owner string) error {
	if len(owner) > maxOwnerBytes || !printable(owner) {
		return invalid("sessionId", "sessionId must be printable text of at most "+itoa(maxOwnerBytes)+" bytes")
	}
	return nil
}

// mergeFacts keeps what the game server registered, and what a user said of
// itself over a resumed link.
func mergeFacts(u *User, fresh Facts, resumed bool) Facts {
	if !resumed && !u.Registered {
		return fresh
	}
	old := u.Facts
	fresh.Callsign = firstOf(fresh.Callsign, old.Callsign)
	fresh.Name = firstOf(old.Name, fresh.Name)
	fresh.Nac = firstOf(old.Nac, fresh.Nac)
	if u.Registered {
		fresh.Unit = firstOf(old.Unit, fresh.Unit)
		fresh.CallbackName = firstOf(old.CallbackName, fresh.CallbackName)
		fresh.CallbackNac = firstOf(old.CallbackNac, fresh.CallbackNac)
		fresh.Refused = fresh.Refused || old.Refused
		fresh.Identifiers, fresh.Given = old.Identifiers, old.Given
	}
	return fresh
}

// assign finds the id that a connecting user gets.
func (s *step) assign(c Connect) (UserID, error) {
	if c.Want.Player() {
		if s.user(c.Want) != nil {
			return c.Want, nil
		}
		return c.Want, s.makeSeat()
	}
	if u := s.user(c.TakeOver); u != nil && (u.of(c.Owner, c.Want) || u.of(c.Owner, s.alias(c.Owner, c.Want))) {
		return u.ID, nil
	}
	if id := s.waiting(c.Owner, c.Want); id != 0 {
		return id, nil
	}
	if err := s.makeRoom(c.Owner); err != nil {
		return 0, err
	}
	if err := s.makeSeat(); err != nil {
		return 0, err
	}
	if s.user(c.Want) == nil {
		return c.Want, nil
	}
	id := UserID(-1)
	for s.user(id) != nil {
		id--
	}
	return id, nil
}

// makeRoom: an owner at its limit of ids loses the one whose link has been broken
// longest; with all of them live it gets no more. A login that connects and breaks
// off again and again would otherwise fill the radio with ids that wait for their
// return.
func (s *step) makeRoom(owner string) error {
	held, oldest := s.heldBy(owner)
	switch {
	case owner == "" || s.cfg.Limits.IDsPerLogin == 0 || held < s.cfg.Limits.IDsPerLogin:
		return nil
	case oldest == 0:
		return errLoginFull(held)
	}
	s.unlink(oldest, "lost")
	return nil
}

// makeSeat: on a full radio the login with the most ids that wait for their
// return loses the one that was lost first. Many logins that each break off again
// and again would otherwise keep everybody else out. A login with a single such id
// keeps it.
func (s *step) makeSeat() error {
	if len(s.d.Users) < s.cfg.Limits.Users {
		return nil
	}
	oldest := s.spareSeat()
	if oldest == 0 {
		return errRadioFull()
	}
	s.unlink(oldest, "lost")
	return nil
}

// spareSeat is the id that makeSeat ends; 0: there is none.
func (s *State) spareSeat() UserID {
	lost, most, owner := map[string]int{}, 1, ""
	for i := range s.d.Users {
		u := &s.d.Users[i]
		if u.LostAt == 0 || !u.ID.Dispatcher() {
			continue
		}
		if lost[u.Owner]++; lost[u.Owner] > most {
			most, owner = lost[u.Owner], u.Owner
		}
	}
	if most == 1 {
		return 0
	}
	_, oldest := s.heldBy(owner)
	return oldest
}

// heldBy is how many dispatcher ids an owner holds, and the one whose link broke
// first; 0: all links are up.
func (s *State) heldBy(owner string) (held int, oldest UserID) {
	since := int64(0)
	for i := range s.d.Users {
		u := &s.d.Users[i]
		if u.Owner != owner || !u.ID.Dispatcher() {
			continue
		}
		if held++; u.LostAt > 0 && (oldest == 0 || u.LostAt < since) {
			oldest, since = u.ID, u.LostAt
		}
	}
	return held, oldest
}

// of: the user belongs to owner, as the one that asked for want.
func (u *User) of(owner string, want UserID) bool {
	return owner != "" && u.Owner == owner && (u.Want == want || u.ID == want)
}

// waiting finds the id that an owner has for the id it asks for, when the link
// of it is broken: the alias first, then any.
func (s *State) waiting(owner string, want UserID) UserID {
	if owner == "" {
		return 0
	}
	if u := s.user(s.alias(owner, want)); u != nil && u.Owner == owner && u.LostAt > 0 {
		return u.ID
	}
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.LostAt > 0 && u.of(owner, want) {
			return u.ID
		}
	}
	return 0
}

func (s *State) alias(owner string, want UserID) UserID {
	if n, found := s.findAlias(owner, want); found {
		return s.d.Aliases[n].ID
	}
	return 0
}

func (s *State) findAlias(owner string, want UserID) (int, bool) {
	return slices.BinarySearchFunc(s.d.Aliases, Alias{Owner: owner, Want: want}, func(a, b Alias) int {
		if c := strings.Compare(a.Owner, b.Owner); c != 0 {
			return c
		}
		return compare(a.Want, b.Want)
	})
}

// setAlias points the id that a session asked for at the one it was given. A
// second console of the session does not bend the alias of its first one.
func (s *step) setAlias(u *User) {
	if u.Owner == "" || !u.ID.Dispatcher() {
		return
	}
	n, found := s.findAlias(u.Owner, u.Want)
	if !found {
		s.d.Aliases = slices.Insert(s.d.Aliases, n, Alias{Owner: u.Owner, Want: u.Want, ID: u.ID})
	}
}

func (s *step) dropAliases(id UserID) {
	s.d.Aliases = slices.DeleteFunc(s.d.Aliases, func(a Alias) bool { return a.ID == id })
}

func (c LinkSession) apply(s *step) error {
	u := s.user(c.User)
	switch {
	case u == nil || !u.Linked:
		return errUserNotFound("serverId")
	case c.Owner == "":
		return invalid("sessionId", "sessionId is missing")
	case u.Owner == c.Owner:
		return nil
	}
	if err := checkOwner(c.Owner); err != nil {
		return err
	}
	want, facts := u.Want, u.Facts
	facts.Name, facts.Callsign = firstOf(facts.Name, c.Name), firstOf(c.Callsign, facts.Callsign)
	if err := s.checkFacts(&facts); err != nil {
		return err
	}
	if id := s.waiting(c.Owner, want); id != 0 && id != c.User && c.User.Dispatcher() {
		s.remove(c.User, "closed")
		return Connect{Want: want, Owner: c.Owner, Facts: facts}.apply(s)
	}
	s.dropAliases(c.User)
	before := s.info(u)
	if n, found := s.findCallsign(u.ID); found && s.d.Callsigns[n].Owner == u.Owner {
		s.d.Callsigns[n].Owner, s.out.Save = c.Owner, true // what it was called goes on
	}
	u.Owner, u.Facts = c.Owner, facts
	s.setAlias(u)
	s.dropStaleCallsign(u)
	if s.info(u) != before {
		s.tellInfo(c.User)
	}
	return nil
}

// dropStaleCallsign: who logs in under an id does not inherit what another
// dispatcher was called there before a restart.
func (s *step) dropStaleCallsign(u *User) {
	if n, found := s.findCallsign(u.ID); found && u.Facts.Callsign != "" && s.d.Callsigns[n].Owner != u.Owner {
		s.forgetCallsign(u.ID)
	}
}

func (c Register) apply(s *step) error {
	if !c.User.Player() {
		return invalid("serverId", "serverId must be positive")
	}
	if err := s.checkFacts(&c.Facts); err != nil {
		return err
	}
	u := s.user(c.User)
	if u == nil {
		if err := s.makeSeat(); err != nil {
			return err
		}
		u = s.addUser(c.User)
	}
	u.Registered, u.Facts = true, c.Facts.clone()
	s.regrant(u)
	s.tellInfo(c.User)
	s.enforce(c.User)
	return nil
}

func (c Drop) apply(s *step) error {
	if s.user(c.User) == nil || !c.User.Player() {
		return errUserNotFound("serverId")
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if s.d.Panics[i].User == c.User {
			s.endPanic(i, "dropped")
		}
	}
	s.remove(c.User, "dropped")
	return nil
}

func (c Unlink) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || !u.Linked {
		return errUserNotFound("serverId")
	}
	if c.Clean {
		s.unlink(c.User, "closed")
		return nil
	}
	if u.LostAt == 0 {
		u.LostAt = s.now
		u.Loopback = false
		s.rerouted = true
		s.tell(dispatchAnd(), LinkLost{c.User})
	}
	return nil
}

// unlink ends a connection for good: a registered player stays known, off the
// air; anybody else is gone.
func (s *step) unlink(id UserID, reason string) {
	if u := s.user(id); !u.Registered {
		s.remove(id, reason)
		return
	}
	s.offAir(id, "gone")
	u := s.user(id)
	name := s.name(u)
	*u = User{ID: u.ID, Registered: true, Facts: u.Facts, Granted: u.Granted, Radio: s.newRadio(), Position: u.Position}
	s.tell(dispatchAnd(id), UserLeft{User: id, Name: name, Reason: reason})
}

// remove forgets a user, callsign and NAC override too: the id is free for
// somebody else, and a client that comes again and again under new ids must
// not fill the memory. A panic stays until somebody takes care of it.
func (s *step) remove(id UserID, reason string) {
	s.offAir(id, "gone")
	for i := range s.d.Users {
		removeSorted(&s.d.Users[i].Follows, id)
	}
	name := s.name(s.user(id))
	s.forgetCallsign(id)
	s.forgetOverride(id)
	s.d.Users = slices.DeleteFunc(s.d.Users, func(u User) bool { return u.ID == id })
	s.dropAliases(id)
	s.tell(dispatchAnd(id), UserLeft{User: id, Name: name, Reason: reason})
}

// offAir ends every membership and floor of a user.
func (s *step) offAir(id UserID, reason string) {
	s.endTalks(id, 0, reason)
	s.leaveCurrent(id, reason)
	u := s.user(id)
	for len(u.Scans) > 0 {
		s.stopScan(id, u.Scans[len(u.Scans)-1])
	}
	u.Audio3D = nil
	for len(u.Follows) > 0 {
		s.unfollow(u, u.Follows[len(u.Follows)-1])
	}
	u.Armed, u.Loopback = "", false
	s.rerouted = true
}

func (s *step) expireLinks() {
	for _, id := range s.userIDs() {
		if u := s.user(id); u.LostAt > 0 && s.now >= u.LostAt+s.cfg.ResumeWindow {
			s.unlink(id, "lost")
		}
	}
}

func (c Kick) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || !u.Linked {
		return errUserNotFound("userId")
	}
	if err := s.mayDispatch(); err != nil {
		return err
	}
	s.tell(dispatchAnd(c.User), UserDisconnected(c))
	s.unlink(c.User, "kicked")
	return nil
}
