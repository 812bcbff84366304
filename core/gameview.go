package core

import (
	"slices"
	"strconv"
)

// GameUser is a user as the game server may see it, whose scripts decide by it: nothing
// is hidden.
type GameUser struct {
	ID                        UserID
	Name, Nac, Callsign, Unit string // Nac is the effective one, even if it is the login of the dispatch panel
	Access                    bool   // radioAccessCheck
	Linked                    bool   // on the radio: the connection is up or may come back
	Current, Control          Frequency
	Scans                     []Frequency
	Talking                   []Frequency // where it is heard, sorted
	Panics                    []Frequency // where its panic is on, sorted
	Granted                   Grants      // getAcePermissions
	Subscriber                *Codeplug   // with its own unit id; nil: none
	Radio                     Radio
}

// Verdict is what a user may do. Users with the same rights share one.
type Verdict struct {
	Connect []Frequency // where it may transmit by its own access
	Scan    []Frequency // where it may listen
	Zones   []int       // 1-based indices of the zones that it sees or may use a channel of
}

// GameUser gives a user to the game server. The result shares nothing that changes.
func (v View) GameUser(id UserID) (GameUser, bool) {
	u := v.s.user(id)
	if u == nil {
		return GameUser{}, false
	}
	g := GameUser{ID: u.ID, Name: v.s.name(u), Nac: v.s.nac(u), Callsign: v.s.callsignOf(u), Unit: v.s.unit(u),
		Access: !u.Facts.Refused, Linked: u.Linked, Current: u.Current, Control: u.Control, Scans: list(u.Scans),
		Talking: v.TalksOn(id), Granted: u.Granted.clone(), Radio: u.Radio}
	for _, p := range v.s.d.Panics {
		if p.User == id {
			g.Panics = append(g.Panics, p.Frequency)
		}
	}
	if p, has := v.Subscriber(id); has {
		g.Subscriber = &p
	}
	return g, true
}

// UserIDs are the ids of all users, sorted.
func (v View) UserIDs() []UserID { return ids(v.s.users.all) }

// TalksOn is every channel on which a user is heard, sorted.
func (v View) TalksOn(id UserID) []Frequency {
	var all []Frequency
	for _, t := range v.s.x.talks[id] {
		for _, f := range t.Heard {
			insertSorted(&all, f)
		}
	}
	return all
}

// Registered says whether the game server has announced a player.
func (v View) Registered(id UserID) bool {
	u := v.s.user(id)
	return u != nil && u.Registered
}

// Verdict is what a user may do. seen caches verdicts under one configuration, by what
// they depend on, so that a user with the same rights as another costs next to nothing.
// An unknown user may do nothing.
func (v View) Verdict(id UserID, seen map[string]*Verdict) *Verdict {
	u := v.s.user(id)
	if u == nil {
		return &Verdict{}
	}
	key := v.s.rights(u)
	known := seen[key]
	if known == nil {
		known = v.s.verdict(u)
		seen[key] = known
	}
	return known
}

// rights is everything but the configuration that a user's verdict, and a player's view
// of the configuration, depend on.
func (s *State) rights(u *User) string {
	if u.ID.Dispatcher() {
		return "dispatcher"
	}
	var b []byte
	text := func(t string) { b = strconv.AppendQuote(b, t) }
	grant := func(g Grant) {
		b = strconv.AppendBool(strconv.AppendBool(b, g.Listed), g.All)
		for _, f := range g.Frequencies {
			b = append(strconv.AppendInt(b, int64(f), 36), ' ')
		}
		b = append(b, ';')
	}
	b = strconv.AppendBool(b, u.Facts.Refused)
	text(s.nac(u))
	if p := s.codeplug(u); p != nil {
		text(p.ID)
	}
	grant(u.Granted.Connect)
	grant(u.Granted.Scan)
	b = strconv.AppendBool(strconv.AppendBool(b, u.Granted.Zones.Listed), u.Granted.Zones.All)
	for _, z := range u.Granted.Zones.Zones {
		b = append(strconv.AppendInt(b, int64(z), 36), ' ')
	}
	return string(b)
}

func (s *State) verdict(u *User) *Verdict {
	d := &Verdict{}
	var usable []int
	for i := range s.channels {
		ch := &s.channels[i]
		connect, scan := s.mayConnect(u, ch), s.mayScan(u, ch)
		if connect {
			d.Connect = append(d.Connect, ch.at)
		}
		if scan {
			d.Scan = append(d.Scan, ch.at)
		}
		if connect || scan {
			for _, p := range ch.zones {
				usable = append(usable, p.zone)
			}
		}
	}
	for i := range s.cfg.Zones {
		if s.seesZone(u, i) || slices.Contains(usable, i) {
			d.Zones = append(d.Zones, i+1)
		}
	}
	return d
}

// Concern is what of the game server's view of the radio a fact may have changed.
type Concern struct {
	User    UserID    // this GameUser and its Verdict; 0: none
	Talker  UserID    // this GameUser's Talking alone; 0: nobody's
	Alert   Frequency // the alert of this channel; 0: none
	Patches bool
	All     bool // another configuration is in force: everything
}

// ConcernOf says what has to be looked at again after a fact.
func ConcernOf(f Fact) Concern {
	switch f := f.(type) {
	case UserConnected:
		return Concern{User: f.User}
	case UserLeft:
		return Concern{User: f.User}
	case LinkLost:
		return Concern{User: f.User}
	case SpeakerJoined:
		return Concern{User: f.User}
	case SpeakerLeft:
		return Concern{User: f.User}
	case ListenerJoined:
		return Concern{User: f.User}
	case ListenerLeft:
		return Concern{User: f.User}
	case PanicRaised:
		return Concern{User: f.User}
	case PanicCleared:
		return Concern{User: f.User}
	case CallsignChanged:
		return Concern{User: f.User}
	case PlayerInfoChanged:
		return Concern{User: f.User}
	case NacOverridden:
		return Concern{User: f.User}
	case RadioChanged:
		return Concern{User: f.User}
	case SelfChanged:
		return Concern{User: f.Self.User}
	case FloorTaken:
		return Concern{Talker: f.User}
	case FloorReleased:
		return Concern{Talker: f.User}
	case AlertActivated:
		return Concern{Alert: f.Frequency}
	case AlertCleared:
		return Concern{Alert: f.Frequency}
	case PatchCreated, PatchChanged, PatchRemoved:
		return Concern{Patches: true}
	case ConfigChanged:
		return Concern{All: true}
	}
	return Concern{}
}
