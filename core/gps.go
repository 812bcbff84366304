package core

import (
	"math"
	"slices"
)

// gpsInterval is how often, in ms, positions are told at most: a map that follows cars
// needs no more, and P25 radios report less often.
const gpsInterval = 1000

// Fix is where a unit's radio reports it, to the metre. Frequency is the configured
// channel that the unit is on: a talkgroup's base, not the working frequency.
type Fix struct {
	User      UserID    `json:"user"`
	Frequency Frequency `json:"frequency"`
	At        Position  `json:"at"`
	Color     string    `json:"color,omitempty"`
}

// Map is a user who was told positions: those of the fixes on Channels.
type Map struct {
	User     UserID      `json:"user"`
	Channels []Frequency `json:"channels"`        // sorted; only those with a fix
	Stale    bool        `json:"stale,omitempty"` // the link broke, or a new client came: it is told anew
}

// GPSRound is what was told of positions, and when. All maps were brought up to date in
// one round, so what a map shows follows from the fixes.
type GPSRound struct {
	At    int64 `json:"at,omitempty"`    // of the last round, ms since the epoch
	Due   int64 `json:"due,omitempty"`   // of the next one; 0: nothing has changed
	Fixes []Fix `json:"fixes,omitempty"` // by User
	Maps  []Map `json:"maps,omitempty"`  // by User
}

func (g GPSRound) clone() GPSRound {
	g.Fixes, g.Maps = list(g.Fixes), list(g.Maps)
	for i := range g.Maps {
		g.Maps[i].Channels = list(g.Maps[i].Channels)
	}
	return g
}

// relocate notes that a user's radio or access has changed: it may have another fix or
// none, and may see other units on its map. Without any fix there is nothing to see.
func (s *step) relocate(u *User) {
	if u.Position != nil || len(s.d.GPS.Fixes) > 0 {
		s.dueGPS()
	}
}

// emptyMap notes that a user's client may not show what the user was told: it is a
// new one, or has missed some of it.
func (s *step) emptyMap(id UserID) {
	if n, found := findMap(s.d.GPS.Maps, id); found {
		s.d.GPS.Maps[n].Stale = true
		s.dueGPS()
	}
}

func findMap(maps []Map, id UserID) (int, bool) {
	return slices.BinarySearchFunc(maps, id, func(m Map, id UserID) int { return compare(m.User, id) })
}

func (s *step) dueGPS() {
	if s.d.GPS.Due == 0 {
		s.d.GPS.Due = max(s.now, s.d.GPS.At+gpsInterval)
	}
}

// fixes are the fixes of all units whose radios report one, and the channels that
// they are on.
func (s *State) fixes() (all []Fix, on []Frequency) {
	for _, u := range players(s.users.all) {
		if u.Position == nil || u.Current == 0 || !u.Radio.GPS || !u.hears() {
			continue
		}
		ch := s.resolve(u.Current)
		if p := s.codeplug(u); ch == nil || (p != nil && !p.Features.GPS) {
			continue
		}
		at := Position{X: math.Round(u.Position.X), Y: math.Round(u.Position.Y), Z: math.Round(u.Position.Z)}
		all = append(all, Fix{User: u.ID, Frequency: ch.at, At: at, Color: ch.color()})
		insertSorted(&on, ch.at)
	}
	return all, on
}

// color is that of the channel's units on a map: the first one that a zone gives to the
// channel.
func (ch *channel) color() string {
	for _, p := range ch.zones {
		if p.cfg.GPS.Color != "" {
			return p.cfg.GPS.Color
		}
	}
	return ""
}

// locates says whether the units of a channel are on a player's map. The channel's list
// names whole forces, even those that do not see its zone: a map shows who is where, not
// which channels there are.
func (s *State) locates(u *User, nac string, ch *channel) bool {
	if u.Granted.GPS.Has(ch.at) {
		return true
	}
	for _, p := range ch.zones {
		if nac != "" && nacIn(p.cfg.GPS.VisibleToNacs, nac) {
			return true
		}
	}
	return false
}

// mapped are the channels, of those with a fix, whose units a user sees. A radio
// that is switched off, or has no access, shows none.
func (s *State) mapped(u *User, on []Frequency) []Frequency {
	switch {
	case !u.hears() || u.Facts.Refused:
		return nil
	case u.ID.Dispatcher():
		return on
	}
	var sees []Frequency
	nac := s.nac(u)
	for _, f := range on {
		if s.locates(u, nac, s.channelAt(f)) {
			sees = append(sees, f)
		}
	}
	return sees
}

// otherFixes are the channels on which the fixes of two rounds differ, sorted.
func otherFixes(before, now []Fix) []Frequency {
	var on []Frequency
	for len(before) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || (len(before) > 0 && before[0].User < now[0].User):
			insertSorted(&on, before[0].Frequency)
			before = before[1:]
		case len(before) == 0 || now[0].User < before[0].User:
			insertSorted(&on, now[0].Frequency)
			now = now[1:]
		default:
			if before[0] != now[0] {
				insertSorted(&on, before[0].Frequency)
				insertSorted(&on, now[0].Frequency)
			}
			before, now = before[1:], now[1:]
		}
	}
	return on
}

// viewers are users whose maps show the same channels and are told together.
type viewers struct {
	channels []Frequency
	users    []UserID
}

// tellGPS tells everybody whose map has changed what it shows now, if a round is
// due: one event for all who see the same.
func (s *step) tellGPS() {
	g := &s.d.GPS
	if g.Due == 0 || s.now < g.Due {
		return
	}
	fixes, on := s.fixes()
	other := otherFixes(g.Fixes, fixes)
	var groups []viewers
	var maps []Map
	for _, u := range s.users.all {
		n, found := findMap(g.Maps, u.ID)
		if !u.Linked || (!found && len(on) == 0) {
			continue
		}
		var old Map
		if found {
			old = g.Maps[n]
		}
		if u.LostAt > 0 { // told when it is back
			if found {
				old.Stale = true
				maps = append(maps, old)
			}
			continue
		}
		sees := s.mapped(u, on)
		if len(sees) > 0 {
			maps = append(maps, Map{User: u.ID, Channels: sees})
		}
		if !found && len(sees) == 0 {
			continue
		}
		if old.Stale || !slices.Equal(old.Channels, sees) || slices.ContainsFunc(sees, func(f Frequency) bool { return contains(other, f) }) {
			groups = addViewer(groups, sees, u.ID)
		}
	}
	g.At, g.Due, g.Fixes, g.Maps = s.now, 0, fixes, maps
	s.by = Actor{Surface: BySystem}
	for _, v := range groups {
		shown := slices.DeleteFunc(slices.Clone(fixes), func(f Fix) bool { return !contains(v.channels, f.Frequency) })
		s.tell(Audience{Users: v.users}, UnitsLocated{shown})
	}
}

func addViewer(groups []viewers, channels []Frequency, id UserID) []viewers {
	for i := range groups {
		if slices.Equal(groups[i].channels, channels) {
			groups[i].users = append(groups[i].users, id)
			return groups
		}
	}
	return append(groups, viewers{channels, []UserID{id}})
}
