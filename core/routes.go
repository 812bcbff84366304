package core

import "slices"

// Reason says why somebody hears a talker. If several paths lead there, the one
// with the smallest Reason counts (speaker, listener, userListener, 3DAudio).
type Reason uint8

const (
	AsSpeaker  Reason = iota // tuned to the channel
	AsListener               // scanning it
	AsFollower               // following the talker
	As3D                     // near a radio that plays it
	AsLoopback               // the self-test: the talker hears itself
)

// String is the receiveType of the reason in the event voice.
func (r Reason) String() string {
	return [...]string{"speaker", "listener", "userListener", "3DAudio", "loopback"}[r]
}

// Leg is one listener of one talker, and the reason.
type Leg struct {
	Listener  UserID
	Frequency Frequency // the channel on which this listener hears the talker
	Patch     int       // number of the patch that the path used; 0: none
	Reason    Reason
	Digital   bool  // Frequency is a digital channel: its codec rule applies to this leg
	Fade      uint8 // how far the signal is below 100, in steps; 0: it is full
}

// Signal is the strength of the signal on this leg, 0-100.
func (l Leg) Signal() int { return 100 - int(l.Fade) }

// SameMessage says whether two legs carry the same message to their listeners.
func (l Leg) SameMessage(m Leg) bool {
	return l.Reason == m.Reason && l.Frequency == m.Frequency && l.Patch == m.Patch && l.Fade == m.Fade
}

// SamePath says whether two legs differ at most in their signal.
func (l Leg) SamePath(m Leg) bool {
	l.Fade = m.Fade
	return l == m
}

// Row is one talk, or a running self-test. Legs with the same Reason, Frequency, Patch
// and Fade are adjacent (a run), so that a relay prepares each message once.
type Row struct {
	Talker  UserID
	Keyed   Frequency // the channel whose floor the talker holds; zero: the self-test
	Control Frequency // base of the talkgroup, if Keyed is a working frequency
	Digital bool      // Keyed is a digital channel
	Talk    int       // number of its transmission; 0: the self-test
	Since   int64     // start of its transmission, ms since the epoch
	Legs    []Leg
}

// ID is the public name of the row's transmission.
func (r Row) ID() string { return Transmission{Number: r.Talk, StartedAt: r.Since}.ID() }

// RouteTable says who hears each talker, and why. It is immutable. It has rows
// only for talkers who hold a floor and for running self-tests. Without a row there
// is no audio, so the media plane needs no code for permissions.
//
// Each listener occurs at most once in all rows of one talker.
type RouteTable struct {
	rows []Row // by Talker, then Keyed
}

// Rows gives all rows of a talker, sorted by Keyed. The result is shared: read only.
func (t *RouteTable) Rows(talker UserID) []Row {
	from, to := t.find(talker)
	return t.rows[from:to]
}

// find gives the range of a talker's rows.
func (t *RouteTable) find(talker UserID) (from, to int) {
	from, _ = slices.BinarySearchFunc(t.rows, talker, func(r Row, id UserID) int { return compare(r.Talker, id) })
	for to = from; to < len(t.rows) && t.rows[to].Talker == talker; to++ {
	}
	return from, to
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
	return slices.EqualFunc(t.rows, o.rows, Row.equal)
}

func (r Row) equal(o Row) bool {
	return r.Talker == o.Talker && r.Keyed == o.Keyed && r.Control == o.Control && r.Digital == o.Digital && r.Talk == o.Talk && r.Since == o.Since && slices.Equal(r.Legs, o.Legs)
}

// Routes is the table in force.
func (s *State) Routes() *RouteTable { return s.routes }

// buildRoutes builds the whole table.
func (s *State) buildRoutes() *RouteTable {
	var talkers []UserID
	for _, t := range s.talks {
		talkers = append(talkers, t.User)
	}
	for _, u := range s.users.all {
		if u.Loopback {
			talkers = append(talkers, u.ID)
		}
	}
	t := &RouteTable{}
	slices.Sort(talkers)
	for _, id := range slices.Compact(talkers) {
		t.rows = append(t.rows, s.rows(id)...)
	}
	return t
}

// rebuildRoutes builds the rows of some talkers again and shares the others with
// the table in force. If all are heard as before, the result is that table itself.
func (s *State) rebuildRoutes(talkers []UserID) *RouteTable {
	old := s.routes
	slices.Sort(talkers)
	var t *RouteTable
	kept := 0 // rows of old that are in t
	for _, id := range slices.Compact(talkers) {
		from, to := old.find(id)
		fresh := s.rows(id)
		if slices.EqualFunc(fresh, old.rows[from:to], Row.equal) {
			continue
		}
		if t == nil {
			t = &RouteTable{rows: make([]Row, 0, len(old.rows)+len(fresh))}
		}
		t.rows = append(append(t.rows, old.rows[kept:from]...), fresh...)
		kept = to
	}
	if t == nil {
		return old
	}
	t.rows = append(t.rows, old.rows[kept:]...)
	if len(t.rows) == 0 {
		t.rows = nil // as in a table that buildRoutes makes
	}
	return t
}

// rows are all rows of one talker, by Keyed.
func (s *State) rows(talker UserID) []Row {
	var rows []Row
	if u := s.user(talker); u != nil && u.Loopback {
		rows = s.loopback(u)
	}
	for _, t := range s.x.talks[talker] {
		n := len(rows)
		for n > 0 && rows[n-1].Keyed > t.Frequency {
			n--
		}
		row := Row{Talker: t.User, Keyed: t.Frequency, Digital: s.digital(t.Frequency), Talk: t.Entry, Since: t.began(), Legs: s.legs(&t.Talk)}
		if g := s.group(t.Frequency); g != nil {
			row.Control = g.Control
		}
		rows = insert(rows, n, row)
	}
	if len(rows) > 1 {
		once(rows)
	}
	return rows
}

// listeners are those who may hear a talk: everybody on the channels on which it is
// heard or registered for their 3D voice, and everybody who follows the talker.
func (s *State) listeners(talk *Talk, heard []audibleAt) []*User {
	all := s.x.followers[talk.User]
	for _, h := range heard {
		o := s.x.at(h.at)
		all = union(all, o.speakers, o.scanners, o.near)
	}
	return all
}

// loopback is the row of a user's self-test, if the user can hear.
func (s *State) loopback(u *User) []Row {
	if !u.hears() {
		return nil
	}
	leg := Leg{Listener: u.ID, Frequency: u.Current, Reason: AsLoopback, Digital: s.digital(u.Current)}
	return []Row{{Talker: u.ID, Legs: []Leg{leg}}}
}

// legs finds every listener of one talk, each by its best path.
func (s *State) legs(talk *Talk) []Leg {
	heard := s.audibleOn(talk.Frequency)
	around := s.listeners(talk, heard)
	aloud := &loudspeakers{s: s, heard: heard, around: around}
	up := s.uplink(talk)
	var legs []Leg
	for _, u := range around {
		if u.ID == talk.User || !u.hears() {
			continue
		}
		if leg, ok := s.leg(u, talk, heard, aloud); ok {
			if legs == nil {
				legs = make([]Leg, 0, len(around))
			}
			leg.Fade = up.fade(u, leg.Frequency)
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
		if c := compare(int(a.Fade), int(b.Fade)); c != 0 {
			return c
		}
		return compare(a.Listener, b.Listener)
	})
	return legs
}

func (s *State) leg(u *User, talk *Talk, heard []audibleAt, aloud *loudspeakers) (Leg, bool) {
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

// once keeps each listener's best leg of all rows of one talker: somebody who keys
// two channels is heard once by those who monitor both.
func once(rows []Row) {
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
		rows[i].Legs = slices.DeleteFunc(rows[i].Legs, func(l Leg) bool { return best[l.Listener] != i })
	}
}
