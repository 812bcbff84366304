package core

import (
	"slices"
	"strings"
)

type (
	// Connect links a person to the radio by a new client. Want is the id asked
	// for. A player gets it. A dispatcher gets it if it is free, else the free
	// negative id nearest to -1; but if an id of the same Owner and Want has a
	// broken link, the client gets that one, with its channels, patches and
	// callsign. The new client is not keyed up, so a talk of that user ends. TakeOver
	// names such an id whose link is not known to be broken yet, but which the
	// adapter has found dead.
	//
	// What the game server registered for a player, and what a Refresh brought,
	// stays: Facts only fill the gaps, and only a Refresh lifts a refusal by the service.
	Connect struct {
		Want     UserID
		Owner    string
		TakeOver UserID
		Facts    Facts
	}
	// Recover lets the client whose link broke go on over a new connection, on
	// which the adapter sends it what it missed. Nothing else changes: if it was talking,
	// its talk goes on.
	Recover struct {
		User  UserID
		Owner string
	}
	// LinkSession gives the user's id to a session that the client named only
	// after the handshake. If an id of that session is waiting for its return,
	// the link takes that id back instead: UserConnected carries it, and User is
	// gone. Name and Callsign are the session's.
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
	// Drop removes a player who left the game and all that was remembered of it,
	// because the game server gives the id to somebody else.
	Drop struct{ User UserID }
	// Unlink says that the user's connection ended. If Clean, the client said
	// goodbye, and membership and floor end at once; otherwise the link is lost,
	// and membership is kept for the resume window.
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

func (s *step) addUser(id UserID) *User { return s.users.add(User{ID: id, Radio: s.newRadio()}) }

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
		s.endTalks(id, 0, "gone") // the client that held the key is gone
		u.TimedOut = 0
		s.setLoopback(u, false)
	}
	u.Want, u.Linked = c.Want, true
	s.setOwner(u, c.Owner)
	s.setLost(u, 0)
	s.setAlias(u)
	s.setFacts(u, mergeFacts(u, c.Facts.clone(), resumed))
	s.dropStaleCallsign(u)
	s.regrant(u)
	s.tell(dispatchAnd(id), UserConnected{User: id, Wanted: c.Want, Resumed: resumed})
	s.tellInfo(u)
	s.enforce(u)
	s.relocate(u)
	s.welcome(id)
	return nil
}

func (c Recover) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || u.LostAt == 0 || u.Owner != c.Owner {
		return errUserNotFound("serverId")
	}
	s.setLost(u, 0)
	s.tell(dispatchAnd(c.User), UserConnected{User: c.User, Wanted: u.Want, Resumed: true})
	return nil
}

func checkOwner(owner string) error {
	if len(owner) > maxOwnerBytes || !printable(owner) {
		return invalid("sessionId", "sessionId must be printable text of at most "+itoa(maxOwnerBytes)+" bytes")
	}
	return nil
}

// mergeFacts adds fresh facts to those that are kept: what the game server
// registered, and what a user whose link resumes had said of itself.
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
		fresh.Identifiers, fresh.Given, fresh.Game = old.Identifiers, old.Given, old.Game
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
	return s.users.freeDispatcher(), nil
}

// makeRoom makes an owner that is at its limit of ids lose the one whose link has
// been broken longest; if all of them are live, the owner gets no more. Otherwise
// a login that connects and breaks off again and again would fill the radio with
// ids that wait for their return.
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

// makeSeat makes room for one more user. On a full radio, the login with the most
// ids that wait for their return loses the one that was lost first; a login with a
// single such id keeps it. Otherwise many logins that each break off again and
// again would keep everybody else out.
func (s *step) makeSeat() error {
	if len(s.users.all) < s.cfg.Limits.Users {
		return nil
	}
	oldest := s.spareSeat()
	if oldest == 0 {
		return errRadioFull()
	}
	s.unlink(oldest, "lost")
	return nil
}

// spareSeat is the id that makeSeat would remove; 0: none.
func (s *State) spareSeat() UserID {
	lost, most, owner := map[string]int{}, 1, ""
	for _, u := range s.users.dispatchers() {
		if u.LostAt == 0 {
			continue
		}
		if lost[u.Owner]++; lost[u.Owner] > most {
			most, owner = lost[u.Owner], u.Owner
		}
	}
	for _, u := range s.x.lost {
		if most > 1 && u.Owner == owner && u.ID.Dispatcher() {
			return u.ID // lost is sorted by the time of the break
		}
	}
	return 0
}

// heldBy says how many dispatcher ids an owner holds, and which one's link broke
// first; 0: all links are up. The empty owner holds none.
func (s *State) heldBy(owner string) (held int, oldest UserID) {
	since := int64(0)
	for _, u := range s.x.owned[owner] {
		if !u.ID.Dispatcher() {
			break
		}
		if held++; u.LostAt > 0 && (oldest == 0 || u.LostAt < since) {
			oldest, since = u.ID, u.LostAt
		}
	}
	return held, oldest
}

// of says whether the user belongs to owner and has, or asked for, the id want.
func (u *User) of(owner string, want UserID) bool {
	return owner != "" && u.Owner == owner && (u.Want == want || u.ID == want)
}

// waiting finds an id with a broken link that an owner gets back when it asks for
// want: first the alias of want, then any; 0: none.
func (s *State) waiting(owner string, want UserID) UserID {
	if owner == "" {
		return 0
	}
	if u := s.user(s.alias(owner, want)); u != nil && u.Owner == owner && u.LostAt > 0 {
		return u.ID
	}
	for _, u := range s.x.owned[owner] {
		if u.LostAt > 0 && u.of(owner, want) {
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

// setAlias makes the id that a session asked for an alias of the one it was given.
// A second console of the session does not change the alias of the first.
func (s *step) setAlias(u *User) {
	if u.Owner == "" || !u.ID.Dispatcher() {
		return
	}
	n, found := s.findAlias(u.Owner, u.Want)
	if !found {
		s.d.Aliases = insert(s.d.Aliases, n, Alias{Owner: u.Owner, Want: u.Want, ID: u.ID})
	}
}

// dropAliases forgets the aliases of a user's id.
func (s *step) dropAliases(u *User) {
	from, to := s.aliasesOf(u.Owner)
	for i := to - 1; i >= from; i-- {
		if s.d.Aliases[i].ID == u.ID {
			s.d.Aliases = cutOut(s.d.Aliases, i)
		}
	}
}

// aliasesOf are an owner's aliases, as a range of Data.Aliases.
func (s *State) aliasesOf(owner string) (from, to int) {
	from, _ = slices.BinarySearchFunc(s.d.Aliases, owner, func(a Alias, owner string) int { return strings.Compare(a.Owner, owner) })
	for to = from; to < len(s.d.Aliases) && s.d.Aliases[to].Owner == owner; to++ {
	}
	return from, to
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
		s.remove(u, "closed")
		return Connect{Want: want, Owner: c.Owner, Facts: facts}.apply(s)
	}
	s.dropAliases(u)
	before := s.info(u)
	if n, found := s.findCallsign(u.ID); found && s.d.Callsigns[n].Owner == u.Owner {
		s.d.Callsigns[n].Owner, s.out.Save = c.Owner, true // the user keeps its callsign
	}
	s.setOwner(u, c.Owner)
	s.setFacts(u, facts)
	s.setAlias(u)
	s.dropStaleCallsign(u)
	if s.info(u) != before {
		s.tellInfo(u)
	}
	return nil
}

// dropStaleCallsign forgets a callsign that was set for another dispatcher, who had
// the id before a restart, if the user's login brings its own.
func (s *step) dropStaleCallsign(u *User) {
	if n, found := s.findCallsign(u.ID); found && u.Facts.Callsign != "" && s.d.Callsigns[n].Owner != u.Owner {
		s.forgetCallsign(u.ID)
		s.stale(u)
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
	if u != nil && strangers(u.Facts.Identifiers, c.Facts.Identifiers) {
		if err := (Drop{c.User}).apply(s); err != nil {
			return err
		}
		u = s.addUser(c.User) // on the seat that is free now
	}
	if u == nil {
		if err := s.makeSeat(); err != nil {
			return err
		}
		u = s.addUser(c.User)
	}
	u.Registered = true
	c.Facts.Game = c.Facts.Game.keeping(u.Facts.Game, c.Facts.Awaited)
	s.setFacts(u, c.Facts.clone())
	s.regrant(u)
	s.tellInfo(u)
	s.enforce(u)
	s.relocate(u)
	return nil
}

// strangers says whether identifiers are those of two different people: a game server
// that restarts gives the same ids to others.
func strangers(old, fresh []string) bool {
	return len(old) > 0 && len(fresh) > 0 && !slices.ContainsFunc(fresh, func(id string) bool { return slices.Contains(old, id) })
}

func (c Drop) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || !c.User.Player() {
		return errUserNotFound("serverId")
	}
	for i := len(s.d.Panics) - 1; i >= 0; i-- {
		if s.d.Panics[i].User == c.User {
			s.endPanic(i, "dropped", EndedByDisconnect)
		}
	}
	s.remove(u, "dropped")
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
		s.setLoopback(u, false)
		s.setLost(u, s.now)
		s.tell(dispatchAnd(), LinkLost{c.User})
	}
	return nil
}

// unlink ends a connection for good. A registered player stays known, off the
// air; anybody else is forgotten.
func (s *step) unlink(id UserID, reason string) {
	u := s.user(id)
	if !u.Registered {
		s.remove(u, reason)
		return
	}
	s.offAir(u, "gone")
	name := s.name(u)
	s.setOwner(u, "")
	s.setLost(u, 0)
	*u = User{ID: u.ID, Registered: true, Facts: u.Facts, Granted: u.Granted, Radio: s.newRadio(), Position: u.Position}
	s.tell(dispatchAnd(id), UserLeft{User: id, Name: name, Reason: reason})
}

// remove forgets a user, with callsign and NAC override: the id is free for
// somebody else, and a client that connects again and again under new ids must not
// fill the memory. A panic stays until somebody takes care of it.
func (s *step) remove(u *User, reason string) {
	s.offAir(u, "gone")
	for _, follower := range slices.Clone(s.x.followers[u.ID]) {
		s.dropFollow(follower, u.ID)
	}
	name := s.name(u)
	s.forgetCallsign(u.ID)
	s.forgetOverride(u.ID)
	s.dropAliases(u)
	s.freeRecords(u.ID)
	s.setOwner(u, "")
	s.setLost(u, 0)
	s.users.remove(u)
	s.tell(dispatchAnd(u.ID), UserLeft{User: u.ID, Name: name, Reason: reason})
}

// offAir ends every membership and floor of a user.
func (s *step) offAir(u *User, reason string) {
	s.endTalks(u.ID, 0, reason)
	s.leaveCurrent(u, reason)
	for len(u.Scans) > 0 {
		s.stopScan(u, u.Scans[len(u.Scans)-1])
	}
	for len(u.Audio3D) > 0 {
		s.dropAudio3D(u, u.Audio3D[len(u.Audio3D)-1])
	}
	for len(u.Follows) > 0 {
		s.unfollow(u, u.Follows[len(u.Follows)-1])
	}
	u.Armed = ""
	s.setLoopback(u, false)
}

func (s *step) expireLinks() {
	n := 0
	for n < len(s.x.lost) && s.now >= s.x.lost[n].LostAt+s.cfg.ResumeWindow {
		n++
	}
	due := ids(s.x.lost[:n])
	slices.Sort(due)
	for _, id := range due {
		s.unlink(id, "lost")
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
