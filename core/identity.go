package core

import (
	"slices"
	"strings"
)

type (
	// Identify sets a name and NAC id (updateUserInfo). A nil one stays as it is.
	// A player's NAC id opens channels, so over Socket.IO it is not changed.
	Identify struct {
		User      UserID
		Name, Nac *string
	}
	// Refresh brings new answers of the Lua callbacks (refreshPlayerInfo, start of
	// the service). Those that the game server has given stay. It ends a NAC override
	// unless KeepOverride is set.
	Refresh struct {
		User         UserID
		CallbackName string
		CallbackNac  string
		Refused      bool
		KeepOverride bool
	}
	// SetNac overrides a NAC id until the next Refresh without KeepOverride.
	SetNac struct {
		User UserID
		Nac  string
	}
	// SetCallsign sets a callsign, or clears it if Callsign is empty: a dispatcher
	// then again has the one that it logged in with.
	SetCallsign struct {
		User     UserID
		Callsign string
	}
)

// Limits of what the radio remembers of one user.
const (
	maxNameRunes     = 128 // names, NAC ids and unit ids: they are drawn on one line
	maxCallsignRunes = 256 // what callsign.maxLength may be at most
	maxOwnerBytes    = 256 // a session id or token has 64 hex digits; test tools use other ones
	maxIdentifiers   = 64  // a game server sends about eight kinds (licence, steam, discord, …)
	maxIdentifierLen = 256 // bytes; the longest kind in use has about 60
)

func (c Identify) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	if err := s.mayActFor(c.User); err != nil {
		return err
	}
	f := u.Facts
	if c.Name != nil {
		f.Name = *c.Name
	}
	if c.Nac != nil && (c.User.Dispatcher() || s.by.Surface != BySocket) {
		f.Nac = *c.Nac
	}
	if err := s.checkFacts(&f); err != nil {
		return err
	}
	if f.Name == u.Facts.Name && f.Nac == u.Facts.Nac {
		return nil
	}
	s.setFacts(u, f)
	s.tellInfo(u)
	s.enforce(u)
	s.relocate(u)
	return nil
}

func (c Refresh) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	f := u.Facts
	f.CallbackName, f.CallbackNac, f.Refused = c.CallbackName, c.CallbackNac, c.Refused
	if err := s.checkFacts(&f); err != nil {
		return err
	}
	s.setFacts(u, f)
	if !c.KeepOverride && s.forgetOverride(c.User) {
		s.tell(dispatchAnd(), NacOverridden{User: c.User})
	}
	s.regrant(u)
	s.tellInfo(u)
	s.enforce(u)
	s.relocate(u)
	return nil
}

func (s *State) findOverride(id UserID) (int, bool) {
	return slices.BinarySearchFunc(s.d.NacSet, id, func(o NacOverride, id UserID) int { return compare(o.User, id) })
}

// forgetOverride forgets a user's NAC override; it says whether there was one.
func (s *step) forgetOverride(id UserID) bool {
	n, found := s.findOverride(id)
	if found {
		s.d.NacSet = cutOut(s.d.NacSet, n)
		s.out.Save = true
	}
	return found
}

func (c SetNac) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	if err := s.mayDispatch(); err != nil {
		return err
	}
	nac := strings.TrimSpace(c.Nac)
	if err := s.checkText("nacId", nac, 1); err != nil {
		return err
	}
	n, found := s.findOverride(c.User)
	if !found {
		s.d.NacSet = insert(s.d.NacSet, n, NacOverride{User: c.User})
	}
	s.d.NacSet[n].Nac = nac
	s.stale(u)
	s.out.Save = true
	s.tell(dispatchAnd(), NacOverridden{User: c.User, Nac: s.unlessSecret(nac)})
	s.tellInfo(u)
	s.enforce(u)
	s.relocate(u)
	return nil
}

func (s *State) findCallsign(id UserID) (int, bool) {
	return slices.BinarySearchFunc(s.d.Callsigns, id, func(c Callsign, id UserID) int { return compare(c.User, id) })
}

// callsignOf is the callsign that was set, else the one that a dispatcher logged
// in with. Without the callsign system nobody has one; a login's callsign is then
// only its name.
func (s *State) callsignOf(u *User) string {
	if !s.cfg.UseCallsignSystem {
		return ""
	}
	if n, found := s.findCallsign(u.ID); found && s.d.Callsigns[n].isOf(u) {
		return s.d.Callsigns[n].Callsign
	}
	return u.Facts.Callsign
}

// isOf says whether a callsign was set for this user, and not for another
// dispatcher who had the id before a restart. Callsigns of players, and those that
// an older version stored, have no owner.
func (c Callsign) isOf(u *User) bool { return c.Owner == "" || c.Owner == u.Owner }

func (s *step) forgetCallsign(id UserID) {
	if n, found := s.findCallsign(id); found {
		s.d.Callsigns = cutOut(s.d.Callsigns, n)
		s.out.Save = true
	}
}

func (c SetCallsign) apply(s *step) error {
	if !s.cfg.UseCallsignSystem {
		return forbidden("callsign", "The callsign system is off (useCallsignSystem)")
	}
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("userId")
	}
	if err := s.mayActFor(c.User); err != nil {
		return err
	}
	call, err := Line("callsign", c.Callsign, 0, maxCallsignRunes)
	if err != nil {
		return err
	}
	if call != "" {
		if err := s.checkCallsign(call); err != nil {
			return err
		}
	}
	before := s.callsignOf(u)
	if call == before {
		return nil
	}
	s.forgetCallsign(c.User)
	if call != "" && call != u.Facts.Callsign {
		set := Callsign{User: c.User, Callsign: call}
		if u.ID.Dispatcher() {
			set.Owner = u.Owner
		}
		n, _ := s.findCallsign(c.User)
		s.d.Callsigns = insert(s.d.Callsigns, n, set)
		s.out.Save = true
	}
	if now := s.callsignOf(u); now != before {
		s.stale(u)
		s.tell(dispatchAnd(c.User), CallsignChanged{User: c.User, Callsign: now})
		s.tellInfo(u)
	}
	return nil
}

func (s *State) checkCallsign(call string) error {
	n := runes(call)
	switch {
	case n < s.cfg.Callsign.MinLength || n > s.cfg.Callsign.MaxLength:
		return invalid("callsign", "callsign must have "+itoa(s.cfg.Callsign.MinLength)+" to "+itoa(s.cfg.Callsign.MaxLength)+" characters")
	case s.callsign != nil && !s.callsign.MatchString(call):
		return invalid("callsign", "callsign does not match the configured pattern")
	}
	return nil
}

// checkFacts tidies what the outside says of a person, and checks its limits. A
// name is only drawn, so one that is too long is cut: players do not choose their
// names for us, and a callback's odd answer keeps nobody off the air. Ids that are
// too long or not printable are refused.
func (s *State) checkFacts(f *Facts) error {
	name, err := Line("name", strings.ToValidUTF8(f.Name, ""), 0, len(f.Name))
	if err != nil {
		return err
	}
	f.Name, f.CallbackName = cut(name, maxNameRunes), cut(drawable(f.CallbackName), maxNameRunes)
	f.Game.Name.Text = cut(drawable(f.Game.Name.Text), maxNameRunes)
	if f.Unit, err = Line("unitId", f.Unit, 0, maxNameRunes); err != nil {
		return err
	}
	if f.Callsign, err = Line("callsign", f.Callsign, 0, maxCallsignRunes); err != nil {
		return err
	}
	for _, t := range []struct {
		field string
		text  *string
	}{{"nacId", &f.Nac}, {"getUserNacId", &f.CallbackNac}, {"callbackNac", &f.Game.Nac.Text}, {"aces.nac", &f.Given.Nac}} {
		*t.text = strings.TrimSpace(*t.text)
		if err := s.checkText(t.field, *t.text, 0); err != nil {
			return err
		}
	}
	if len(f.Identifiers) > maxIdentifiers {
		return invalid("identifiers", "identifiers has more than "+itoa(maxIdentifiers)+" entries")
	}
	for _, id := range f.Identifiers {
		if len(id) > maxIdentifierLen || !printable(id) {
			return invalid("identifiers", "identifiers must be printable text of at most "+itoa(maxIdentifierLen)+" bytes")
		}
	}
	return nil
}

func (s *State) checkText(field, text string, least int) error {
	n := runes(text)
	switch {
	case n < least:
		return invalid(field, field+" must not be empty")
	case n > maxNameRunes:
		return invalid(field, field+" is longer than "+itoa(maxNameRunes)+" characters")
	case !printable(text):
		return invalid(field, field+" must be printable text")
	}
	return nil
}
