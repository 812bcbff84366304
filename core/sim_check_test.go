package core

import (
	"fmt"
	"math"
	"slices"
)

func (m *sim) check() error {
	for _, f := range []func() error{m.checkUsers, m.checkTalks, m.checkTrunks, m.checkLists, m.checkRoutes, m.checkSelves, m.checkMaps, m.checkStrengths, m.checkIndex, m.checkViews, m.checkInterest} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (m *sim) checkUsers() error {
	s := m.s
	for i, u := range s.users.all {
		if i > 0 && s.users.all[i-1].ID >= u.ID {
			return fmt.Errorf("users are not sorted")
		}
		if !u.Linked && (u.Current != 0 || len(u.Scans)+len(u.Audio3D)+len(u.Follows) > 0 || !u.Registered) {
			return fmt.Errorf("%d is not linked and yet a member", u.ID)
		}
		if u.Current != 0 && !s.covered(u) {
			return fmt.Errorf("%d is on %s without access", u.ID, u.Current)
		}
		if u.Control != 0 && (s.group(u.Current) == nil || s.group(u.Current).Control != u.Control) {
			return fmt.Errorf("%d is on %s of %s, which is no group", u.ID, u.Current, u.Control)
		}
		for _, f := range u.Scans {
			if ch := s.resolve(f); ch == nil || !s.mayScan(u, ch) {
				return fmt.Errorf("%d scans %s without access", u.ID, f)
			}
		}
		for _, f := range u.Audio3D {
			if s.resolve(f) == nil || (u.ID.Player() && u.Facts.Refused) {
				return fmt.Errorf("%d hears 3D of %s, which is gone or closed to it", u.ID, f)
			}
		}
		for _, f := range u.Follows {
			if s.user(f) == nil || !s.dispatchRight(u) {
				return fmt.Errorf("%d follows %d", u.ID, f)
			}
		}
	}
	return nil
}

// checkSelves: every linked user has been told its own record as it is.
func (m *sim) checkSelves() error {
	linked := 0
	for _, u := range m.s.users.all {
		if !u.Linked {
			continue
		}
		linked++
		if told, known := m.s.selves[u.ID]; !known || !told.equal(m.s.self(u)) {
			return fmt.Errorf("%d was told %+v of itself, and it is %+v", u.ID, told, m.s.self(u))
		}
	}
	if len(m.s.selves) != linked {
		return fmt.Errorf("%d records are remembered of %d users", len(m.s.selves), linked)
	}
	return nil
}

// quality is the strength of a path, 0-1, by the definition.
func quality(a, b *Position, reach float64) float64 {
	if a == nil || b == nil || reach == 0 {
		return 1
	}
	return math.Max(0, 1-math.Pow(distance(a, b)/reach, 2))
}

// bestSite is the strength at the best site for a channel.
func (m *sim) bestSite(at *Position, f Frequency) float64 {
	reach := m.s.resolve(f).cfg.Coverage
	if reach == 0 {
		reach = m.s.cfg.Signal.Range
	}
	best := 0.0
	for _, site := range m.s.cfg.Signal.Sites {
		if site.Range > 0 {
			best = math.Max(best, quality(at, &site.At, site.Range))
		} else {
			best = math.Max(best, quality(at, &site.At, reach))
		}
	}
	return best
}

// between is the strength between two units on a channel without sites.
func (m *sim) between(a, b *Position, f Frequency) float64 {
	if c := m.s.resolve(f).cfg.Coverage; c > 0 {
		return quality(a, b, c)
	}
	return quality(a, b, m.s.cfg.Signal.Range)
}

// rounding is by how much a strength may differ that is computed in another way, in
// hundredths.
const rounding = 1e-9

// fade is what a leg's signal lacks of 100, before it is rounded. It does not use the
// code of the rules that it checks.
func (m *sim) fade(talker UserID, l Leg, keyed Frequency) float64 {
	from, to := m.s.user(talker).Position, m.s.user(l.Listener).Position
	switch {
	case m.s.cfg.Signal == nil || l.Reason == AsLoopback:
		return 0
	case len(m.s.cfg.Signal.Sites) > 0:
		return 100 - 100*math.Min(m.bestSite(from, keyed), m.bestSite(to, l.Frequency))
	}
	return 100 - 100*m.between(from, to, l.Frequency)
}

// checkStrengths: unless a round is due, every unit's own strength is that of its place.
func (m *sim) checkStrengths() error {
	s := m.s
	if r := s.d.Signal; r.Due != 0 {
		if r.Due < r.At+1000 {
			return fmt.Errorf("a round of strengths is due at %d, the last was at %d", r.Due, r.At)
		}
		return nil
	}
	for _, u := range s.users.all {
		best := 1.0
		switch {
		case s.cfg.Signal == nil || u.ID < 0 || u.Current == 0 || u.Position == nil:
		case len(s.cfg.Signal.Sites) > 0:
			best = m.bestSite(u.Position, u.Current)
		default:
			var others []float64
			for _, o := range s.users.all {
				if o != u && o.ID > 0 && o.Current == u.Current && o.Position != nil {
					others = append(others, m.between(u.Position, o.Position, u.Current))
				}
			}
			if others != nil {
				best = slices.Max(others)
			}
		}
		if want := 100 - 100*best; u.Fade%10 != 0 || math.Abs(want-float64(u.Fade)) > 5+rounding {
			return fmt.Errorf("%d lacks %d of its strength, not %g", u.ID, u.Fade, want)
		}
		if u.Fade > 0 {
			m.seen["weak unit"]++
		}
	}
	return nil
}

// checkMaps: unless a round is due, everybody's map shows the units that it may and no
// others. It does not use the code of the rules that it checks.
func (m *sim) checkMaps() error {
	s, g := m.s, m.s.d.GPS
	if g.Due != 0 {
		if g.Due < g.At+1000 {
			return fmt.Errorf("a round of positions is due at %d, the last was at %d", g.Due, g.At)
		}
		return nil
	}
	var fixes []Fix
	on := map[Frequency]bool{}
	for _, u := range s.users.all {
		p, known := s.View().Subscriber(u.ID)
		if u.ID < 0 || u.Position == nil || !u.Linked || u.LostAt > 0 || u.Radio.Off || !u.Radio.GPS || u.Current == 0 || (known && !p.Features.GPS) {
			continue
		}
		f := u.Current
		if u.Control != 0 {
			f = u.Control
		}
		fixes = append(fixes, Fix{u.ID, f, *u.Position, s.channelAt(f).cfg.GPS.Color})
		on[f] = true
	}
	if !slices.Equal(fixes, g.Fixes) {
		return fmt.Errorf("the fixes are %v, not %v", g.Fixes, fixes)
	}
	var maps []Map
	for _, u := range s.users.all {
		var sees []Frequency
		for f := range on {
			if u.ID < 0 || slices.Contains(s.channelAt(f).cfg.GPS.VisibleToNacs, s.nac(u)) || u.Granted.GPS.Has(f) {
				sees = append(sees, f)
			}
		}
		slices.Sort(sees)
		n, found := findMap(g.Maps, u.ID)
		if u.LostAt > 0 {
			if found {
				maps = append(maps, g.Maps[n])
			}
		} else if len(sees) > 0 && u.Linked && !u.Radio.Off && !u.Facts.Refused {
			maps = append(maps, Map{User: u.ID, Channels: sees})
			m.seen["map"]++
		}
	}
	if !slices.EqualFunc(maps, g.Maps, func(a, b Map) bool {
		return a.User == b.User && slices.Equal(a.Channels, b.Channels) && a.Stale == b.Stale
	}) {
		return fmt.Errorf("the maps show %v, not %v", g.Maps, maps)
	}
	return nil
}

func (m *sim) checkTalks() error {
	s := m.s
	for _, t := range s.talks {
		u := s.user(t.User)
		switch {
		case u == nil || !u.Linked || u.Radio.Off:
			return fmt.Errorf("%d talks and is off the air", t.User)
		case s.resolve(t.Frequency) == nil:
			return fmt.Errorf("%d talks on %s, which is gone", t.User, t.Frequency)
		case t.User.Player() && u.Current != t.Frequency && t.Until == 0:
			return fmt.Errorf("%d talks on %s and is on %s", t.User, t.Frequency, u.Current)
		}
		if t.Until > 0 {
			m.seen["hot microphone"]++
			ch := s.resolve(t.Frequency)
			if _, panic := s.panicAt(ch.at, t.User); !panic || !t.Override || len(s.x.talks[t.User]) != 1 || u.Facts.Refused {
				return fmt.Errorf("the microphone of %d is hot on %s without a panic, or talks elsewhere too", t.User, t.Frequency)
			}
		}
		var heard []Frequency
		for _, h := range s.audibleOn(t.Frequency) {
			insertSorted(&heard, h.at)
		}
		if !slices.Equal(heard, t.Heard) {
			return fmt.Errorf("%d is heard on %v, not %v", t.User, heard, t.Heard)
		}
	}
	for _, p := range m.clashes() {
		if s.cfg.Bonking.BlockTransmission && !m.pairs[p] {
			return fmt.Errorf("talks %v hold one floor", p)
		}
	}
	return nil
}

func (m *sim) checkTrunks() error {
	for i, g := range m.s.d.Groups {
		switch {
		case i > 0 && m.s.d.Groups[i-1].Frequency >= g.Frequency:
			return fmt.Errorf("groups are not sorted")
		case !m.s.workable(g):
			return fmt.Errorf("group %v is outside its pool", g)
		case len(m.s.speakersOn(g.Frequency)) == 0:
			return fmt.Errorf("group %v is empty and not freed", g)
		}
	}
	return nil
}

func (m *sim) checkLists() error {
	s := m.s
	in := map[Frequency]string{}
	for _, p := range s.d.Patches {
		if len(p.Frequencies) < 2 {
			return fmt.Errorf("patch %s joins %v", p.ID(), p.Frequencies)
		}
		for _, f := range p.Frequencies {
			ch := s.channelAt(f)
			if in[f] != "" || ch == nil || ch.cfg.Type == Trunked {
				return fmt.Errorf("%s is in %s and %s, or cannot be patched", f, in[f], p.ID())
			}
			in[f] = p.ID()
		}
	}
	for i, a := range s.d.Alerts {
		if s.channelAt(a.Frequency) == nil || (i > 0 && s.d.Alerts[i-1].Frequency >= a.Frequency) {
			return fmt.Errorf("alert at %s is out of place", a.Frequency)
		}
	}
	for i, p := range s.d.Panics {
		n, found := s.panicAt(p.Frequency, p.User)
		if s.channelAt(p.Frequency) == nil || n != i || !found {
			return fmt.Errorf("panic %v is out of place", p)
		}
	}
	if err := m.checkTransmissions(); err != nil {
		return err
	}
	if err := m.checkEmergencies(); err != nil {
		return err
	}
	for _, a := range s.d.Aliases {
		if u := s.user(a.ID); u == nil || u.Owner != a.Owner {
			return fmt.Errorf("alias %v leads nowhere", a)
		}
	}
	return nil
}

// checkTransmissions: what the log has on the air are the talks.
func (m *sim) checkTransmissions() error {
	all := m.s.d.Transmissions
	on := map[int]*held{}
	for _, t := range m.s.talks {
		on[t.Entry] = t
	}
	for i, e := range all {
		t := on[e.Number]
		if i > 0 && e.Number <= all[i-1].Number || (t == nil) != (e.EndedAt > 0) || (t != nil && (t.User != e.User || t.Frequency != e.Frequency)) {
			return fmt.Errorf("transmission %+v is out of place: %+v", e, t)
		}
		delete(on, e.Number)
	}
	for n := range on {
		return fmt.Errorf("talk %+v has no entry", on[n])
	}
	if len(all) > 2*ShownTransmissions+len(m.s.talks)+1 || len(m.s.lastTransmissions()) > ShownTransmissions || (len(all) > 0 && all[len(all)-1].Number != m.s.d.LastTransmission) {
		return fmt.Errorf("%d transmissions, the last is number %d", len(all), m.s.d.LastTransmission)
	}
	for _, r := range m.s.routes.rows {
		for _, e := range m.s.d.Transmissions {
			if e.Number == r.Talk && (e.ID() != r.ID() || e.Frequency != r.Keyed || e.Control != r.Control || e.EndedAt != 0) {
				return fmt.Errorf("the row %+v is that of %+v", r, e)
			}
		}
	}
	return nil
}

// checkEmergencies: every panic has one open record, and every other open record has
// ended.
func (m *sim) checkEmergencies() error {
	d, last := m.s.d, 0
	for _, r := range d.Emergencies {
		i, _ := m.s.emergencyAt(r.Frequency, r.User)
		_, on := m.s.panicAt(r.Frequency, r.User)
		if r.Gone {
			i, on = slices.Index(d.Emergencies, r), false // the id may be another's
		}
		if r.Number <= last || r.Number > d.LastEmergency || d.Emergencies[i].Number != r.Number || r.ClosedAt > 0 || (r.AckAt > 0) != (r.AckBy != "") {
			return fmt.Errorf("emergency %+v is out of place", r)
		}
		if on != (r.EndedAt == 0) || on != (r.EndedBy == "") {
			return fmt.Errorf("panic is %t and the record is %+v", on, r)
		}
		last = r.Number
	}
	for _, p := range d.Panics {
		if _, open := m.s.emergencyAt(p.Frequency, p.User); !open {
			return fmt.Errorf("panic %v has no record", p)
		}
	}
	return nil
}

func (m *sim) checkRoutes() error {
	s := m.s
	if fresh := s.buildRoutes(); !fresh.equal(s.routes) {
		return fmt.Errorf("routes in force are not those of the state:\n%v\n%v", s.routes.rows, fresh.rows)
	}
	rows := 0
	for _, r := range s.routes.rows {
		if r.Keyed != 0 {
			rows++
			if s.talk(r.Talker, r.Keyed) == nil {
				return fmt.Errorf("a row of %d on %s without a floor", r.Talker, r.Keyed)
			}
		} else if u := s.user(r.Talker); u == nil || !u.Loopback {
			return fmt.Errorf("a loopback row of %d without a self-test", r.Talker)
		}
	}
	if rows != len(s.talks) {
		return fmt.Errorf("%d rows for %d talks", rows, len(s.talks))
	}
	for _, r := range s.routes.rows {
		var runs []Leg
		for i, l := range r.Legs {
			if i > 0 && l.SameMessage(r.Legs[i-1]) {
				continue
			}
			if slices.ContainsFunc(runs, l.SameMessage) {
				return fmt.Errorf("legs of %d with the same message are apart: %v", r.Talker, r.Legs)
			}
			runs = append(runs, l)
		}
	}
	for _, u := range s.users.all {
		heard := map[UserID]bool{}
		for _, r := range s.routes.Rows(u.ID) {
			for _, l := range r.Legs {
				if heard[l.Listener] {
					return fmt.Errorf("%d hears %d twice", l.Listener, r.Talker)
				}
				heard[l.Listener] = true
				if err := m.checkLeg(r, l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *sim) checkLeg(r Row, l Leg) error {
	u := m.s.user(l.Listener)
	switch {
	case u == nil || !u.Linked || u.LostAt > 0 || u.Radio.Off:
		return fmt.Errorf("a leg to %d, who is absent or switched off", l.Listener)
	case (l.Listener == r.Talker) != (r.Keyed == 0):
		return fmt.Errorf("a leg of %d to itself", r.Talker)
	case l.Digital != m.s.digital(l.Frequency):
		return fmt.Errorf("a leg to %d has the codec of another channel", l.Listener)
	}
	if want := m.fade(r.Talker, l, r.Keyed); l.Fade%20 != 0 || math.Abs(want-float64(l.Fade)) > 10+rounding {
		return fmt.Errorf("a leg of %d to %d lacks %d of its signal, not %g", r.Talker, l.Listener, l.Fade, want)
	}
	if l.Fade > 0 {
		m.seen["weak leg"]++
	}
	member := true
	switch l.Reason {
	case AsSpeaker:
		member = u.Current == l.Frequency
	case AsListener:
		member = contains(u.Scans, l.Frequency)
	case As3D:
		member = contains(u.Audio3D, l.Frequency) && !u.Radio.Earbuds && m.near(u, l.Frequency)
	case AsFollower:
		member = contains(u.Follows, r.Talker)
	}
	if !member {
		return fmt.Errorf("a leg to %d as %s of %s, which it is not", l.Listener, l.Reason, l.Frequency)
	}
	return nil
}

// near says whether a radio that u can hear plays f. It does not use the code of the
// rules that it checks.
func (m *sim) near(u *User, f Frequency) bool {
	ch := m.s.resolve(f)
	if u.ID.Dispatcher() || (u.Position == nil && m.s.mayScan(u, ch)) {
		return true
	}
	for _, c := range m.s.users.all {
		on := c.Current == f || c.Control == f || contains(c.Scans, f)
		for _, g := range m.s.d.Groups {
			on = on || (g.Control == f && contains(c.Scans, g.Frequency))
		}
		if on && c.ID != u.ID && !c.Radio.Off && !c.Radio.Earbuds && c.Position != nil && u.Position != nil &&
			distance(c.Position, u.Position) <= m.s.cfg.Audio3DRange {
			return true
		}
	}
	return false
}

// checkInterest: whoever hears a talk has an interest in the channel that is keyed, and had it
// before the talk began, unless it follows a dispatcher or a unit that an emergency put on
// another channel.
func (m *sim) checkInterest() error {
	v := m.s.View()
	for _, r := range v.Routes().All() {
		if r.Keyed == 0 {
			continue
		}
		for _, l := range r.Legs {
			if !contains(v.Interest([]UserID{l.Listener}), r.Keyed) {
				return fmt.Errorf("%d hears %d, who keys %s, and has no interest in it", l.Listener, r.Talker, r.Keyed)
			}
			if l.Reason != AsFollower && !contains(m.s.joined([]UserID{l.Listener}), r.Keyed) {
				return fmt.Errorf("%d is a member of what joins %s, and would have no interest in it if nobody talked", l.Listener, r.Keyed)
			}
		}
	}
	return nil
}
