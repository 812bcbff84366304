//go:build !wasm

package core

import "slices"

// Interest is every channel whose voice some users may hear as they are now on the radio:
// their own, those that they scan or overhear, what patches and talkgroups join to them, and
// the channels of those whom they follow. It follows from membership, not from who talks, so
// that voice is on its way before somebody keys. Only one who follows somebody may hear more:
// a dispatcher may key a channel that it is not on, and that counts once it has. The result is
// sorted.
func (v View) Interest(users []UserID) []Frequency {
	all := v.s.joined(users)
	for _, id := range users {
		if u := v.s.user(id); u != nil {
			for _, target := range u.Follows {
				all = append(all, v.s.keyedBy(target)...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// joined is every channel on which a talk is heard where some users are members. A talk that is
// keyed on one of two channels is heard on the other if one that is keyed there is heard here,
// so it does not matter which of them is looked at.
func (s *State) joined(users []UserID) (all []Frequency) {
	on := map[Frequency]bool{}
	for _, id := range users {
		if u := s.user(id); u != nil {
			on[u.Current] = u.Current != 0
			for _, f := range u.Scans {
				on[f] = true
			}
			for _, f := range u.Audio3D {
				on[f] = true
			}
		}
	}
	for f, is := range on {
		if is {
			for _, a := range s.audibleOn(f) {
				all = append(all, a.at)
			}
		}
	}
	slices.Sort(all) // the map has no order, the core has one
	return slices.Compact(all)
}

// keyedBy is every channel that a user keys, or is on and may key.
func (s *State) keyedBy(id UserID) (all []Frequency) {
	u := s.user(id)
	if u == nil {
		return nil
	}
	if u.Current != 0 {
		all = append(all, u.Current)
	}
	if id.Dispatcher() { // a player keys its own channel only
		all = append(all, u.Scans...)
	}
	for _, t := range s.x.talks[id] {
		all = append(all, t.Frequency)
	}
	return all
}
