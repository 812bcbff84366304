package core

// User is everything that the radio knows of one person.
type User struct {
	ID         UserID      `json:"id"`
	Owner      string      `json:"owner,omitempty"` // the session (or connection) that holds the id
	Want       UserID      `json:"want,omitempty"`  // the id asked for
	Registered bool        `json:"registered,omitempty"`
	Linked     bool        `json:"linked,omitempty"` // a connection is up
	LostAt     int64       `json:"lostAt,omitempty"` // when the link broke, ms since the epoch; 0: not broken
	Facts      Facts       `json:"facts"`
	Granted    Grants      `json:"granted"`           // access given by ACE entries and the game server
	Current    Frequency   `json:"current,omitempty"` // the speaker channel (a working frequency when trunked)
	Control    Frequency   `json:"control,omitempty"` // base of the talkgroup that Current belongs to
	Placed     bool        `json:"placed,omitempty"`  // a dispatcher or script moved the user here, where its own access would not have let it
	Scans      []Frequency `json:"scans,omitempty"`
	Audio3D    []Frequency `json:"audio3d,omitempty"`
	Follows    []UserID    `json:"follows,omitempty"`
	Armed      string      `json:"armed,omitempty"` // announcement group
	Loopback   bool        `json:"loopback,omitempty"`
	Radio      Radio       `json:"radio"`
	Position   *Position   `json:"position,omitempty"`
	Anchor     *Position   `json:"anchor,omitempty"`   // where the user was last grouped
	Fade       int         `json:"fade,omitempty"`     // how far its own strength is below 100, as it was last told
	TimedOut   int64       `json:"timedOut,omitempty"` // when the time-out timer cut a PTT off, or that PTT was last repeated, ms since the epoch; 0: none
}

// Position is a place in the game, in metres.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

// Facts are what the outside says of a person. Adapters ask the Lua callbacks and
// the game server first, and bring the answers.
type Facts struct {
	Name         string   `json:"name,omitempty"`         // registered, or sent by updateUserInfo
	Nac          string   `json:"nac,omitempty"`          // registered, or sent by updateUserInfo
	CallbackName string   `json:"callbackName,omitempty"` // Config.getPlayerName; "" : none
	CallbackNac  string   `json:"callbackNac,omitempty"`  // Config.getUserNacId; "" : none
	Unit         string   `json:"unit,omitempty"`
	Callsign     string   `json:"callsign,omitempty"` // of a dispatcher's login
	Refused      bool     `json:"refused,omitempty"`  // Config.radioAccessCheck said no, failed or ran too long
	Identifiers  []string `json:"identifiers,omitempty"`
	Given        Grants   `json:"given"`            // sent by the game server with /api/player/connect
	Game         Answers  `json:"game,omitzero"`    // the game server's own answers, which win over those of the service
	Awaited      Awaited  `json:"awaited,omitzero"` // of a Register: what the game server has yet to answer
}

// Alias keeps the id that a session asked for pointing at the id it was given.
type Alias struct {
	Owner string `json:"owner"`
	Want  UserID `json:"want"`
	ID    UserID `json:"id"`
}

// Callsign is a callsign that was set. It outlives a restart and, for a registered
// player, the connection; so does a NacOverride.
type Callsign struct {
	User     UserID `json:"user"`
	Callsign string `json:"callsign"`
	Owner    string `json:"owner,omitempty"` // of the dispatcher's id when it was set
}

// NacOverride is a NAC id that was set by hand, until the next refresh.
type NacOverride struct {
	User UserID `json:"user"`
	Nac  string `json:"nac"`
}

// SetLoopback starts or ends the self-test, in which a talker hears itself.
type SetLoopback struct {
	User    UserID
	Enabled bool
}

// present says whether the user's link is up, so that it can hear and be heard.
func (u *User) present() bool { return u.Linked && u.LostAt == 0 }

// hears says whether the user is present with the radio switched on.
func (u *User) hears() bool { return u.present() && !u.Radio.Off }

// name is what others see as the user's name.
func (s *State) name(u *User) string {
	if u.Facts.CallbackName != "" {
		return u.Facts.CallbackName
	}
	if u.Facts.Name != "" {
		return u.Facts.Name
	}
	if u.ID.Dispatcher() {
		return "DISPATCH"
	}
	return ""
}

// nac is the effective NAC id: the one set by hand, else that of
// Config.getUserNacId, else that of the ACE entries, else the registered one.
func (s *State) nac(u *User) string {
	if n, found := s.findOverride(u.ID); found {
		return s.d.NacSet[n].Nac
	}
	switch {
	case u.Facts.CallbackNac != "":
		return u.Facts.CallbackNac
	case u.Granted.Nac != "":
		return u.Granted.Nac
	}
	return u.Facts.Nac
}

// shownNac is the NAC id as others may see it.
func (s *State) shownNac(u *User) string { return s.unlessSecret(s.nac(u)) }

// unlessSecret is a NAC id as it may be shown: the login of the dispatch panel is a
// secret and becomes "".
func (s *State) unlessSecret(nac string) string {
	if nac == s.cfg.DispatchNac {
		return ""
	}
	return nac
}

func (s *State) unit(u *User) string {
	if u.Facts.Unit != "" {
		return u.Facts.Unit
	}
	if p := s.codeplug(u); p != nil {
		return p.UnitID
	}
	return ""
}

func (c SetLoopback) apply(s *step) error {
	u := s.user(c.User)
	if u == nil || !u.present() {
		return errUserNotFound("serverId")
	}
	s.setLoopback(u, c.Enabled)
	return nil
}

func (s *step) setLoopback(u *User, on bool) {
	if u.Loopback != on {
		u.Loopback = on
		s.retalked = append(s.retalked, u.ID)
	}
}

// info is who a user is, as others may see it.
func (s *State) info(u *User) PlayerInfoChanged {
	return PlayerInfoChanged{User: u.ID, Name: s.name(u), Nac: s.shownNac(u), Unit: s.unit(u), Callsign: s.callsignOf(u)}
}

// tellInfo tells everybody who a user is.
func (s *step) tellInfo(u *User) {
	s.tell(Audience{Everyone: true}, s.info(u))
}
