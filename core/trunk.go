package core

import (
	"math"
	"slices"
)

// trunkStep is the raster of working frequencies: 12.5 kHz, the P25 channel
// spacing (decisions: "Trunked").
const trunkStep Frequency = 12_500

// maxPool bounds the search for a free working frequency; 4096 steps are
// 51.2 MHz, more than any band that an operator writes as one range.
const maxPool = 4096

// TrunkGroup is a working frequency in use by units of a talkgroup that are
// near each other.
type TrunkGroup struct {
	Frequency Frequency `json:"frequency"`
	Control   Frequency `json:"control"`
}

// group finds the talkgroup that uses f as a working frequency.
func (s *State) group(f Frequency) *TrunkGroup {
	n, found := slices.BinarySearchFunc(s.d.Groups, f, func(g TrunkGroup, f Frequency) int { return compare(g.Frequency, f) })
	if !found {
		return nil
	}
	return &s.d.Groups[n]
}

// pooled: units of the channel are put on working frequencies.
func (ch *channel) pooled() bool { return ch.cfg.Type == Trunked && ch.cfg.Low != 0 }

// place finds where a user lands who asks for a channel. Conventional and
// digital channels are one frequency. On a talkgroup a dispatcher stays where
// it asked (the base reaches every group); a player is put beside the nearest
// member within coverage, else on a free working frequency.
func (s *State) place(u *User, ch *channel, asked Frequency) (Frequency, error) {
	switch {
	case asked != ch.at: // a working frequency, by name
		return asked, nil
	case !ch.pooled() || u.ID.Dispatcher():
		return ch.at, nil
	case u.Control == ch.at:
		return u.Current, nil
	}
	if f := s.nearby(u, ch); f != 0 {
		return f, nil
	}
	return s.freeWorking(ch.cfg)
}

// nearby is the group of the nearest other member within coverage. Members
// whose position is unknown share one group.
func (s *State) nearby(u *User, ch *channel) Frequency {
	best, at := math.Inf(1), Frequency(0)
	for i := range s.d.Users {
		m := &s.d.Users[i]
		if m.ID == u.ID || m.Control != ch.at || m.ID.Dispatcher() {
			continue
		}
		d := distance(u.Position, m.Position)
		if ch.cfg.Coverage == 0 {
			d = 0
		}
		if d < best && (d <= ch.cfg.Coverage || ch.cfg.Coverage == 0) {
			best, at = d, m.Current
		}
	}
	return at
}

// distance in metres; two unknown places are together, one unknown is far.
func distance(a, b *Position) float64 {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		return math.Inf(1)
	}
	return math.Sqrt((a.X-b.X)*(a.X-b.X) + (a.Y-b.Y)*(a.Y-b.Y) + (a.Z-b.Z)*(a.Z-b.Z))
}

// freeWorking is the lowest frequency of the pool that nobody uses; the
// control frequency and configured channels are left out.
func (s *State) freeWorking(ch *Channel) (Frequency, error) {
	for n := range maxPool {
		w := ch.Low + Frequency(n)*trunkStep
		if w > ch.High {
			break
		}
		if s.channelAt(w) == nil && s.group(w) == nil {
			return w, nil
		}
	}
	return 0, &Error{Full, "frequency", "No free working frequency on " + ch.Frequency.String()}
}

func (s *step) openGroup(control, f Frequency) {
	if s.group(f) != nil {
		return
	}
	n, _ := slices.BinarySearchFunc(s.d.Groups, f, func(g TrunkGroup, f Frequency) int { return compare(g.Frequency, f) })
	s.d.Groups = slices.Insert(s.d.Groups, n, TrunkGroup{Frequency: f, Control: control})
	s.rehear("opened")
}

// closeGroup frees a working frequency. A dispatcher who keyed it without being
// on it talks to nobody now.
func (s *step) closeGroup(f Frequency) {
	if s.group(f) == nil {
		return
	}
	for i := len(s.d.Talks) - 1; i >= 0; i-- {
		if s.d.Talks[i].Frequency == f {
			s.endTalk(i, "closed")
		}
	}
	s.d.Groups = slices.DeleteFunc(s.d.Groups, func(g TrunkGroup) bool { return g.Frequency == f })
	s.rehear("closed")
}

// emptyGroup drops those who only listen on a working frequency that no unit
// uses any more.
func (s *step) emptyGroup(f Frequency) {
	if s.group(f) == nil || len(s.speakersOn(f)) > 0 {
		return
	}
	for i := range s.d.Users {
		u := &s.d.Users[i]
		removeSorted(&u.Audio3D, f)
		if contains(u.Scans, f) {
			to := s.at(f)
			removeSorted(&u.Scans, f)
			s.tell(to, ListenerLeft{User: u.ID, Frequency: f})
		}
	}
}

// settle regroups units that have travelled. It runs after a command, never
// inside one: a unit must not move while another one is being placed.
func (s *step) settle() {
	s.by = Actor{Surface: BySystem}
	for _, id := range s.userIDs() {
		s.regroup(id)
	}
	s.unsettled = false
}

// regroup moves a unit that has travelled more than the coverage from where it
// was grouped, unless somebody of its group is talking: then it waits for the
// end of the talk.
func (s *step) regroup(id UserID) {
	u := s.user(id)
	if u.Control == 0 || u.Position == nil || u.ID.Dispatcher() {
		return
	}
	ch := s.channelAt(u.Control)
	if ch.cfg.Coverage == 0 || (u.Anchor != nil && distance(u.Anchor, u.Position) <= ch.cfg.Coverage) || s.groupTalks(u.Current) {
		return
	}
	to := s.nearby(u, ch)
	if to == 0 && len(s.speakersOn(u.Current)) > 1 {
		free, err := s.freeWorking(ch.cfg)
		if err != nil {
			return // a full pool: the unit stays where it is heard
		}
		to = free
	}
	if to == 0 || to == u.Current {
		u.Anchor = clonePosition(u.Position)
		return
	}
	from, placed := u.Current, u.Placed
	s.tune(id, ch, to, "moved")
	s.user(id).Placed = placed
	s.tell(dispatchAnd(id), UserMoved{User: id, From: from, To: to, Control: ch.at, Auto: true})
}

func (s *State) groupTalks(f Frequency) bool {
	for i := range s.d.Talks {
		if contains(s.d.Talks[i].Heard, f) {
			return true
		}
	}
	return false
}
