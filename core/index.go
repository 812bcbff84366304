package core

import "slices"

// index has what could also be found by looking at every user and every talk. With
// it a command costs what it touches, however many others are on the radio. All of
// it follows from Data and the Config, so it is not part of Data: a restored radio
// builds it again (reindex), and TestSimulation compares it with the users and
// talks after every step.
//
// It is made of the fields below. Those of User and Talk, and Data.Groups, are
// written in member.go and nowhere else; patch.go, alert.go and panic.go enter what
// they change themselves.
//
//	User.Current, Control    on[f].speakers, on[f].units, strays
//	User.Scans, Audio3D      on[f].scanners, on[f].near
//	User.Follows             followers
//	User.Owner               owned
//	User.LostAt              lost, fading
//	User.Position, Anchor    strays
//	Talks, Talk.Heard        on[f].keyed, on[f].heard, talks, timed, fading
//	Talk.Until               timed, hot
//	Data.Groups, Patches     on[f].working, on[f].patch
//	Data.Alerts, Panics      repeatAt, panicSince
//
// Whatever else a channel's view shows of a user (name, NAC id, radio, …) is
// followed by a call of stale.
type index struct {
	on        map[Frequency]*occupancy
	followers map[UserID][]*User // who follows a user
	owned     map[string][]*User // who belongs to an owner; not those without one
	talks     map[UserID][]*held // of a talker
	lost      []*User            // broken links, the first to break first
	strays    []*User            // units of talkgroups that have travelled too far from where they were grouped
	timed     []*held            // players' talks, the oldest first: the one that the time-out timer ends next
	hot       []*held            // hot microphones, which have a timer of their own
	fading    []*held            // talks whose talker's link is broken

	panicSince int64 // Since of the oldest panic, ms since the epoch; 0: none
	repeatAt   int64 // the next Repeat of an alert, ms since the epoch; 0: none
}

// occupancy is who and what is on one frequency. Users are sorted by ID, talks by
// key-up.
type occupancy struct {
	speakers []*User     // Current is this
	units    []*User     // Control is this: they are on one of its working frequencies
	scanners []*User     // scan it
	near     []*User     // registered for its 3D voice
	working  []Frequency // its working frequencies in use, sorted
	keyed    []*held     // talks that were keyed here
	heard    []*held     // talks that are heard here
	patch    int         // the number of the patch that it is in; 0: none

	view *ChannelView // as it was last shown; nil: something has changed since
}

// held is a Talk that never moves in memory, so that the index can point to it.
type held struct {
	Talk
	nr int // counts key-ups
}

// nobody is the occupancy of an unused frequency. It is never written.
var nobody occupancy

// at is who and what is on a frequency. Read only.
func (x *index) at(f Frequency) *occupancy {
	if o := x.on[f]; o != nil {
		return o
	}
	return &nobody
}

// use is the same for writing.
func (x *index) use(f Frequency) *occupancy {
	o := x.on[f]
	if o == nil {
		o = &occupancy{}
		x.on[f] = o
	}
	return o
}

// reindex builds the index from all that the radio remembers.
func (s *State) reindex() {
	s.x = index{on: map[Frequency]*occupancy{}, followers: map[UserID][]*User{}, owned: map[string][]*User{}, talks: map[UserID][]*held{}}
	for _, u := range s.users.all {
		s.x.tune(u)
		for _, f := range u.Scans {
			addUser(&s.x.use(f).scanners, u)
		}
		for _, f := range u.Audio3D {
			addUser(&s.x.use(f).near, u)
		}
		for _, id := range u.Follows {
			s.x.follow(u, id)
		}
		s.x.own(u)
		s.x.lose(u)
		s.restray(u)
	}
	for _, g := range s.d.Groups {
		insertSorted(&s.x.use(g.Control).working, g.Frequency)
	}
	for i := range s.d.Patches {
		s.x.patch(&s.d.Patches[i])
	}
	for _, t := range s.talks {
		s.x.key(t, s.user(t.User))
		for _, f := range t.Heard {
			addTalk(&s.x.use(f).heard, t)
		}
	}
	s.x.panics(s.d.Panics)
	s.x.alerts(s.d.Alerts)
}

// tune enters a user on its speaker channel; untune removes it.
func (x *index) tune(u *User) {
	if u.Current != 0 {
		addUser(&x.use(u.Current).speakers, u)
	}
	if u.Control != 0 {
		addUser(&x.use(u.Control).units, u)
	}
}

func (x *index) untune(u *User) {
	if u.Current != 0 {
		dropUser(&x.use(u.Current).speakers, u)
	}
	if u.Control != 0 {
		dropUser(&x.use(u.Control).units, u)
	}
}

func (x *index) follow(u *User, target UserID) {
	who := x.followers[target]
	addUser(&who, u)
	x.followers[target] = who
}

func (x *index) unfollow(u *User, target UserID) {
	who := x.followers[target]
	dropUser(&who, u)
	if x.followers[target] = who; len(who) == 0 {
		delete(x.followers, target)
	}
}

func (x *index) own(u *User) {
	if u.Owner == "" {
		return
	}
	all := x.owned[u.Owner]
	addUser(&all, u)
	x.owned[u.Owner] = all
}

func (x *index) disown(u *User) {
	all := x.owned[u.Owner]
	dropUser(&all, u)
	if x.owned[u.Owner] = all; len(all) == 0 {
		delete(x.owned, u.Owner)
	}
}

// lose enters a user whose link is broken, with its talks; regain removes it.
func (x *index) lose(u *User) {
	if u.LostAt == 0 {
		return
	}
	if n, found := slices.BinarySearchFunc(x.lost, u, byLoss); !found {
		x.lost = insert(x.lost, n, u)
	}
	for _, t := range x.talks[u.ID] {
		addTalk(&x.fading, t)
	}
}

func (x *index) regain(u *User) {
	if n, found := slices.BinarySearchFunc(x.lost, u, byLoss); found {
		x.lost = cutOut(x.lost, n)
	}
	for _, t := range x.talks[u.ID] {
		dropTalk(&x.fading, t)
	}
}

func byLoss(a, b *User) int {
	if c := compare(a.LostAt, b.LostAt); c != 0 {
		return c
	}
	return compare(a.ID, b.ID)
}

// restray notes whether a unit has strayed.
func (s *State) restray(u *User) {
	if s.strayed(u) {
		addUser(&s.x.strays, u)
	} else {
		dropUser(&s.x.strays, u)
	}
}

// key enters a talk of u, which is nil if the data is damaged; unkey removes it.
// Where the talk is heard is entered by setHeard.
func (x *index) key(t *held, u *User) {
	addTalk(&x.use(t.Frequency).keyed, t)
	own := x.talks[t.User]
	addTalk(&own, t)
	x.talks[t.User] = own
	if t.Until > 0 {
		addTalk(&x.hot, t)
	} else if t.User.Player() {
		n, _ := slices.BinarySearchFunc(x.timed, t, byAge)
		x.timed = insert(x.timed, n, t)
	}
	if u != nil && u.LostAt > 0 {
		addTalk(&x.fading, t)
	}
}

func (x *index) unkey(t *held) {
	dropTalk(&x.use(t.Frequency).keyed, t)
	own := x.talks[t.User]
	dropTalk(&own, t)
	if x.talks[t.User] = own; len(own) == 0 {
		delete(x.talks, t.User)
	}
	if n, found := slices.BinarySearchFunc(x.timed, t, byAge); found {
		x.timed = cutOut(x.timed, n)
	}
	dropTalk(&x.fading, t)
	dropTalk(&x.hot, t)
}

func byAge(a, b *held) int {
	if c := compare(a.Since, b.Since); c != 0 {
		return c
	}
	return compare(a.nr, b.nr)
}

func (x *index) patch(p *Patch) {
	for _, f := range p.Frequencies {
		x.use(f).patch = p.Number
	}
}

func (x *index) unpatch(p *Patch) {
	for _, f := range p.Frequencies {
		x.use(f).patch = 0
		x.tidy(f)
	}
}

// panics finds the oldest of all panics; it is called whenever one begins or ends.
func (x *index) panics(all []Panic) {
	x.panicSince = 0
	for i := range all {
		x.panicSince = earlier(x.panicSince, all[i].Since)
	}
}

// alerts finds the next repeat of all alerts; it is called whenever one begins,
// ends or repeats.
func (x *index) alerts(all []ActiveAlert) {
	x.repeatAt = 0
	for i := range all {
		x.repeatAt = earlier(x.repeatAt, all[i].Repeat)
	}
}

// earlier is the earlier of two moments; 0 means never.
func earlier(a, b int64) int64 {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// tidy forgets a frequency that nobody uses, so that working frequencies do not
// pile up.
func (x *index) tidy(f Frequency) {
	if o := x.on[f]; o != nil && len(o.speakers)+len(o.units)+len(o.scanners)+len(o.near)+len(o.working)+len(o.keyed)+len(o.heard) == 0 && o.patch == 0 {
		delete(x.on, f)
	}
}

// The lists of talks below are in the order of key-up.

func findTalk(list []*held, t *held) (int, bool) {
	return slices.BinarySearchFunc(list, t, func(a, b *held) int { return compare(a.nr, b.nr) })
}

func addTalk(list *[]*held, t *held) {
	if n, found := findTalk(*list, t); !found {
		*list = insert(*list, n, t)
	}
}

func dropTalk(list *[]*held, t *held) {
	if n, found := findTalk(*list, t); found {
		*list = cutOut(*list, n)
	}
}

// talksIn is every talk that is in any of some lists, once.
func talksIn(lists ...[]*held) []*held {
	var all []*held
	for _, list := range lists {
		for _, t := range list {
			addTalk(&all, t)
		}
	}
	return all
}
