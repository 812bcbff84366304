package core

import "slices"

// Reason says why a listener hears a talker, in the order of preference when
// several paths lead there (decisions: speaker, listener, userListener, 3DAudio).
type Reason uint8

const (
	AsSpeaker  Reason = iota // tuned to the channel
	AsListener               // scanning it
	AsFollower               // following the talker
	As3D                     // near a radio that plays it
	AsLoopback               // the self-test: the talker hears itself
)

// String is the receiveType of the spec's voice event.
func (r Reason) String() string {
	return [...]string{"speaker", "listener", "userListener", "3DAudio", "loopback"}[r]
}

// Leg is one listener of one talker.
type Leg struct {
	Listener  UserID
	Frequency Frequency // the channel on which this listener hears it
	Patch     int       // number of the patch that the path used; 0: none
	Reason    Reason
	Digital   bool // Frequency is a digital channel: its codec rule applies to this leg
}

// SameMessage says whether two legs carry the same message, listener aside.
func (l Leg) SameMessage(m Leg) bool {
	return l.Reason == m.Reason && l.Frequency == m.Frequency && l.Patch == m.Patch
}

// Row is one talk: a talker who holds the floor of the channel that was keyed.
// Legs with the same Reason, Frequency and Patch are adjacent, so that a relay
// prepares each distinct message once.
type Row struct {
	Talker  UserID
	Keyed   Frequency // zero: the loopback row
	Digital bool      // Keyed is a digital channel
	Legs    []Leg
}

// RouteTable says who hears each talker, and why. It is immutable. It has rows
// only for talkers who hold a floor (and for running self-tests): no row, no
// audio, so the media plane needs no permission code.
//
// Within one talker's rows every listener occurs at most once.
type RouteTable struct {
	rows []Row // by Talker, then Keyed
}

// Rows gives all rows of a talker, sorted by Keyed. The result is shared: read only.
func (t *RouteTable) Rows(talker UserID) []Row {
	lo, hi := 0, len(t.rows)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.rows[mid].Talker < talker {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end := lo
	for end < len(t.rows) && t.rows[end].Talker == talker {
		end++
	}
	return t.rows[lo:end]
}

// Row finds the row of a talker on the channel that was keyed.
func (t *RouteTable) Row(talker UserID, keyed Frequency) (*Row, bool) {
	rows := t.Rows(talker)
	for i := range rows {
		if rows[i].Keyed == keyed {
			return &rows[i], true
		}
	}
	return nil, false
}

// All gives every row. Read only.
func (t *RouteTable) All() []Row { return t.rows }

func (t *RouteTable) equal(o *RouteTable) bool {
	return slices.EqualFunc(t.rows, o.rows, func(a, b Row) bool {
		return a.Talker == b.Talker && a.Keyed == b.Keyed && a.Digital == b.Digital && slices.Equal(a.Legs, b.Legs)
	})
}

// Routes is the table in force.
func (s *State) Routes() *RouteTable { return s.routes }

// buildRoutes makes the whole table.
func (s *State) buildRoutes() *RouteTable {
	t := &RouteTable{}
	near := s.nearTalks()
	for i := range s.d.Talks {
		t.rows = append(t.rows, s.row(&s.d.Talks[i], near))
	}
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.Loopback {
			t.rows = append(t.rows, s.loopback(u)...)
		}
	}
	t.finish()
	return t
}

// rebuildRoutes makes the rows of some talkers anew and shares the others with
// the table in force: a key-up costs one row, however many others talk.
func (s *State) rebuildRoutes(talkers []UserID) *RouteTable {
	t := &RouteTable{}
	for _, r := range s.routes.rows {
		if !slices.Contains(talkers, r.Talker) {
			t.rows = append(t.rows, r)
		}
	}
	for i := range s.d.Talks {
		if talk := &s.d.Talks[i]; slices.Contains(talkers, talk.User) {
			t.rows = append(t.rows, s.row(talk, everybody))
		}
	}
	slices.Sort(talkers)
	for _, id := range slices.Compact(talkers) {
		if u := s.user(id); u != nil && u.Loopback {
			t.rows = append(t.rows, s.loopback(u)...)
		}
	}
	t.finish()
	return t
}

func (s *State) row(talk *Talk, near candidates) Row {
	return Row{Talker: talk.User, Keyed: talk.Frequency, Digital: s.digital(talk.Frequency), Legs: s.legs(talk, near)}
}

// candidates finds who may be listening to a talk, as sorted indices into Users.
type candidates func(s *State, talk *Talk, heard []heardAt) []int

func everybody(s *State, _ *Talk, _ []heardAt) []int {
	all := make([]int, len(s.d.Users))
	for i := range all {
		all[i] = i
	}
	return all
}

// nearTalks indexes the members of every frequency once, because a whole table
// would otherwise ask each user about each talk.
func (s *State) nearTalks() candidates {
	members, followers := map[Frequency][]int{}, map[UserID][]int{}
	for i := range s.d.Users {
		u := &s.d.Users[i]
		members[u.Current] = append(members[u.Current], i)
		for _, f := range u.Scans {
			members[f] = append(members[f], i)
		}
		for _, f := range u.Audio3D {
			members[f] = append(members[f], i)
		}
		for _, t := range u.Follows {
			followers[t] = append(followers[t], i)
		}
	}
	return func(_ *State, talk *Talk, heard []heardAt) []int {
		near := slices.Clone(followers[talk.User])
		for _, h := range heard {
			near = append(near, members[h.at]...)
		}
		slices.Sort(near)
		return slices.Compact(near)
	}
}

// loopback is the row of a running self-test, if the user can hear.
func (s *State) loopback(u *User) []Row {
	if !u.hears() {
		return nil
	}
	leg := Leg{Listener: u.ID, Frequency: u.Current, Reason: AsLoopback, Digital: s.digital(u.Current)}
	return []Row{{Talker: u.ID, Legs: []Leg{leg}}}
}

// finish sorts the rows and keeps each listener once per talker.
func (t *RouteTable) finish() {
	slices.SortFunc(t.rows, func(a, b Row) int {
		if c := compare(a.Talker, b.Talker); c != 0 {
			return c
		}
		return compare(a.Keyed, b.Keyed)
	})
	t.once()
}

// legs finds every listener of one talk, each by its best path.
func (s *State) legs(talk *Talk, near candidates) []Leg {
	heard := s.heardOn(talk.Frequency)
	around := near(s, talk, heard)
	aloud := &loudspeakers{s: s, heard: heard, around: around}
	var legs []Leg
	for _, i := range around {
		u := &s.d.Users[i]
		if u.ID == talk.User || !u.hears() {
			continue
		}
		if leg, ok := s.leg(u, talk, heard, aloud); ok {
			legs = append(legs, leg)
		}
	}
	slices.SortStableFunc(legs, func(a, b Leg) int {
		if c := compare(int(a.Reason), int(b.Reason)); c != 0 {
			return c
		}
		if c := compare(a.Frequency, b.Frequency); c != 0 {
			return c
		}
		return compare(a.Listener, b.Listener)
	})
	return legs
}

func (s *State) leg(u *User, talk *Talk, heard []heardAt, aloud *loudspeakers) (Leg, bool) {
	best := Leg{Listener: u.ID, Reason: AsLoopback}
	for _, h := range heard {
		reason := AsLoopback
		switch {
		case u.Current == h.at:
			reason = AsSpeaker
		case contains(u.Scans, h.at):
			reason = AsListener
		case contains(u.Audio3D, h.at):
			reason = As3D
		}
		if reason < best.Reason && (reason != As3D || s.overhears(u, h.at, aloud)) {
			best.Reason, best.Frequency, best.Patch = reason, h.at, h.patch
		}
	}
	if best.Reason > AsFollower && contains(u.Follows, talk.User) {
		best.Reason, best.Frequency, best.Patch = AsFollower, talk.Frequency, 0
	}
	best.Digital = s.digital(best.Frequency)
	return best, best.Reason < AsLoopback
}

// once keeps each listener's best leg over all rows of one talker: somebody who
// keys two channels is heard once by those who monitor both.
func (t *RouteTable) once() {
	for lo := 0; lo < len(t.rows); {
		hi := lo + 1
		for hi < len(t.rows) && t.rows[hi].Talker == t.rows[lo].Talker {
			hi++
		}
		if hi-lo > 1 {
			onceWithin(t.rows[lo:hi])
		}
		lo = hi
	}
}

func onceWithin(rows []Row) {
	best := map[UserID]int{}
	reason := map[UserID]Reason{}
	for i := range rows {
		for _, l := range rows[i].Legs {
			if r, seen := reason[l.Listener]; !seen || l.Reason < r {
				best[l.Listener], reason[l.Listener] = i, l.Reason
			}
		}
	}
	for i := range rows {
		// Cloned, because rows of a table in force may be shared.
		rows[i].Legs = slices.DeleteFunc(slices.Clone(rows[i].Legs), func(l Leg) bool { return best[l.Listener] != i })
	}
}
