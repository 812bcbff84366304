package core

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// checkIndex compares the index with what is found by looking at everybody.
func (m *sim) checkIndex() error {
	s := m.s
	if s.d.Users != nil || s.d.Talks != nil {
		return fmt.Errorf("users or talks are kept twice")
	}
	if len(s.users.byID) != len(s.users.all) {
		return fmt.Errorf("%d users are found by id, %d are listed", len(s.users.byID), len(s.users.all))
	}
	want := index{on: map[Frequency]*occupancy{}, followers: map[UserID][]*User{}, owned: map[string][]*User{}, talks: map[UserID][]*held{}}
	on := func(f Frequency) *occupancy {
		if want.on[f] == nil {
			want.on[f] = &occupancy{}
		}
		return want.on[f]
	}
	for _, u := range s.users.all {
		if s.user(u.ID) != u {
			return fmt.Errorf("%d is not found", u.ID)
		}
		if u.Current != 0 {
			on(u.Current).speakers = append(on(u.Current).speakers, u)
		}
		if u.Control != 0 {
			on(u.Control).units = append(on(u.Control).units, u)
		}
		for _, f := range u.Scans {
			on(f).scanners = append(on(f).scanners, u)
		}
		for _, f := range u.Audio3D {
			on(f).near = append(on(f).near, u)
		}
		for _, id := range u.Follows {
			want.followers[id] = append(want.followers[id], u)
		}
		if u.Owner != "" {
			want.owned[u.Owner] = append(want.owned[u.Owner], u)
		}
		if u.LostAt > 0 {
			want.lost = append(want.lost, u)
		}
		if u.ID.Player() && u.Control != 0 && u.Position != nil {
			if c := s.resolve(u.Control).cfg.Coverage; c > 0 && (u.Anchor == nil || distance(u.Anchor, u.Position) > c) {
				want.strays = append(want.strays, u)
			}
		}
	}
	slices.SortStableFunc(want.lost, func(a, b *User) int { return int(a.LostAt - b.LostAt) })
	for i, t := range s.talks {
		if i > 0 && s.talks[i-1].nr >= t.nr {
			return fmt.Errorf("talks are not in the order of key-up")
		}
		on(t.Frequency).keyed = append(on(t.Frequency).keyed, t)
		for _, f := range t.Heard {
			on(f).heard = append(on(f).heard, t)
		}
		want.talks[t.User] = append(want.talks[t.User], t)
		if t.Until > 0 {
			want.hot = append(want.hot, t)
		} else if t.User.Player() {
			want.timed = append(want.timed, t)
		}
		if s.user(t.User).LostAt > 0 {
			want.fading = append(want.fading, t)
		}
	}
	slices.SortStableFunc(want.timed, func(a, b *held) int { return int(a.Since - b.Since) }) // after a hot microphone a talk's timer begins anew
	for _, g := range s.d.Groups {
		on(g.Control).working = append(on(g.Control).working, g.Frequency)
	}
	for _, p := range s.d.Patches {
		for _, f := range p.Frequencies {
			on(f).patch = p.Number
		}
	}
	for _, p := range s.d.Panics {
		if want.panicSince == 0 || p.Since < want.panicSince {
			want.panicSince = p.Since
		}
	}
	for _, a := range s.d.Alerts {
		if a.Repeat != 0 && (want.repeatAt == 0 || a.Repeat < want.repeatAt) {
			want.repeatAt = a.Repeat
		}
	}
	return sameIndex(&want, &s.x)
}

// sameIndex compares two indices without their views. An empty list equals a nil one.
func sameIndex(want, got *index) error {
	if len(got.on) != len(want.on) || len(got.followers) != len(want.followers) || len(got.owned) != len(want.owned) || len(got.talks) != len(want.talks) {
		return fmt.Errorf("the index has entries for %d channels, %d followed users, %d owners and %d talkers, not %d, %d, %d, %d",
			len(got.on), len(got.followers), len(got.owned), len(got.talks), len(want.on), len(want.followers), len(want.owned), len(want.talks))
	}
	for f, w := range want.on {
		g := got.at(f)
		if !slices.Equal(g.speakers, w.speakers) || !slices.Equal(g.units, w.units) || !slices.Equal(g.scanners, w.scanners) || !slices.Equal(g.near, w.near) ||
			!slices.Equal(g.working, w.working) || !slices.Equal(g.keyed, w.keyed) || !slices.Equal(g.heard, w.heard) || g.patch != w.patch {
			return fmt.Errorf("the index has of %s\n%+v, not\n%+v", f, *g, *w)
		}
	}
	for id, w := range want.followers {
		if !slices.Equal(got.followers[id], w) {
			return fmt.Errorf("%d is followed by %v, not %v", id, ids(got.followers[id]), ids(w))
		}
	}
	for owner, w := range want.owned {
		if !slices.Equal(got.owned[owner], w) {
			return fmt.Errorf("%s owns %v, not %v", owner, ids(got.owned[owner]), ids(w))
		}
	}
	for id, w := range want.talks {
		if !slices.Equal(got.talks[id], w) {
			return fmt.Errorf("%d holds %d talks, not %d", id, len(got.talks[id]), len(w))
		}
	}
	switch {
	case !slices.Equal(got.lost, want.lost):
		return fmt.Errorf("lost are %v, not %v", ids(got.lost), ids(want.lost))
	case !slices.Equal(got.strays, want.strays):
		return fmt.Errorf("strays are %v, not %v", ids(got.strays), ids(want.strays))
	case !slices.Equal(got.timed, want.timed), !slices.Equal(got.fading, want.fading), !slices.Equal(got.hot, want.hot):
		return fmt.Errorf("%d talks are timed and %d fade, not %d and %d", len(got.timed), len(got.fading), len(want.timed), len(want.fading))
	case got.panicSince != want.panicSince || got.repeatAt != want.repeatAt:
		return fmt.Errorf("panics since %d, repeat at %d, not %d and %d", got.panicSince, got.repeatAt, want.panicSince, want.repeatAt)
	}
	return nil
}

// wake is the next moment at which time alone changes something, found by looking at
// everything.
func (m *sim) wake() time.Time {
	s, moments := m.s, []int64{}
	for _, t := range s.talks {
		if t.Until > 0 {
			moments = append(moments, t.Until)
		} else if t.User.Player() && s.cfg.TimeoutTimer > 0 {
			moments = append(moments, t.Since+s.cfg.TimeoutTimer)
		}
		if s.user(t.User).LostAt > 0 {
			moments = append(moments, t.Touched+s.cfg.TalkLease)
		}
	}
	for _, u := range s.users.all {
		if u.LostAt > 0 {
			moments = append(moments, u.LostAt+s.cfg.ResumeWindow)
		}
	}
	for _, p := range s.d.Panics {
		if s.cfg.PanicTimeout > 0 {
			moments = append(moments, p.Since+s.cfg.PanicTimeout)
		}
	}
	for _, a := range s.d.Alerts {
		if a.Repeat > 0 {
			moments = append(moments, a.Repeat)
		}
	}
	if s.d.GPS.Due > 0 {
		moments = append(moments, s.d.GPS.Due)
	}
	if s.d.Signal.Due > 0 {
		moments = append(moments, s.d.Signal.Due)
	}
	if len(moments) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(max(slices.Min(moments), s.d.Now))
}

// checkViews: a kept view of a channel shows the channel as it is.
func (m *sim) checkViews() error {
	v := m.s.View()
	for f, o := range m.s.x.on {
		if o.view == nil {
			continue
		}
		m.seen["kept view"]++
		if now := v.freshChannel(f); !reflect.DeepEqual(*o.view, now) {
			return fmt.Errorf("%s is shown as\n%+v, and it is\n%+v", f, *o.view, now)
		}
	}
	return nil
}
