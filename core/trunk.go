package core

import (
	"math"
	"slices"
)

// trunkStep is the spacing of working frequencies: 12.5 kHz, that of P25 channels.
const trunkStep Frequency = 12_500

// maxPool bounds the search for a free working frequency; 4096 steps are
// 51.2 MHz, more than any band that an operator writes as one range.
const maxPool = 4096

// TrunkGroup is a working frequency in use by units of a talkgroup that are near
// each other. Control is the talkgroup's base.
type TrunkGroup struct {
	Frequency Frequency `json:"frequency"`
	Control   Frequency `json:"control"`
}

// group finds the group whose working frequency is f; nil: none.
func (s *State) group(f Frequency) *TrunkGroup {
	n, found := slices.BinarySearchFunc(s.d.Groups, f, byFrequency)
	if !found {
		return nil
	}
	return &s.d.Groups[n]
}

func byFrequency(g TrunkGroup, f Frequency) int { return compare(g.Frequency, f) }

// pooled says whether units of the channel are put on working frequencies.
func (ch *channel) pooled() bool { return ch.cfg.Type == Trunked && ch.cfg.Low != 0 }

// landing finds the frequency that a user who asks for a channel is put on.
// Conventional and digital channels are one frequency. On a talkgroup, a dispatcher
// gets what it asked for (the base reaches every group); a player who asks for the
// base stays in its group, or joins that of the nearest member within coverage, or
// else gets a free working frequency. The error, of kind Full, says that there is
// none.
func (s *State) landing(u *User, ch *channel, asked Frequency) (Frequency, error) {
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

// nearby is the working frequency of the nearest other member within coverage; 0:
// none. Members whose position is unknown share one group.
func (s *State) nearby(u *User, ch *channel) Frequency {
	best, at := math.Inf(1), Frequency(0)
	for _, m := range players(s.x.at(ch.at).units) {
		if m == u {
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

// distance is in metres. Two unknown positions are in the same place; an unknown
// one is infinitely far from a known one.
func distance(a, b *Position) float64 {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		return math.Inf(1)
	}
	x, y, z := a.X-b.X, a.Y-b.Y, a.Z-b.Z
	return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z)) // the conversions: no fused multiply-add, which rounds differently on some machines
}

// freeWorking is the lowest frequency of the pool that nobody uses. Configured
// channels, the control channel among them, are left out.
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
	s.addGroup(TrunkGroup{Frequency: f, Control: control})
	s.refreshTalks("opened", f, control)
}

// closeGroup frees a working frequency. Talks on it end: a dispatcher may have keyed
// it without being on it.
func (s *step) closeGroup(f Frequency) {
	g := s.group(f)
	if g == nil {
		return
	}
	control := g.Control
	for _, t := range slices.Backward(slices.Clone(s.x.at(f).keyed)) {
		s.endTalk(t, "closed")
	}
	s.dropGroup(f)
	s.refreshTalks("closed", f, control)
}

// emptyGroup drops those who only listen on a working frequency, once no unit uses
// it any more.
func (s *step) emptyGroup(f Frequency) {
	if s.group(f) == nil || len(s.speakersOn(f)) > 0 {
		return
	}
	for _, u := range slices.Clone(s.x.at(f).near) {
		s.dropAudio3D(u, f)
	}
	for _, u := range slices.Clone(s.x.at(f).scanners) {
		to := s.at(f)
		s.dropScan(u, f)
		s.tell(to, ListenerLeft{User: u.ID, Frequency: f})
	}
}

// settle regroups units that have strayed. It runs after a command, never inside
// one: a unit must not be moved while another one is being placed.
func (s *step) settle() {
	s.by = Actor{Surface: BySystem}
	for _, u := range slices.Clone(s.x.strays) {
		s.regroup(u)
	}
	s.unsettled = false
}

// strayed says whether a unit of a talkgroup has travelled further than the coverage
// from where it was grouped.
func (s *State) strayed(u *User) bool {
	if u.Control == 0 || u.Position == nil || u.ID.Dispatcher() {
		return false
	}
	ch := s.channelAt(u.Control)
	return ch != nil && ch.cfg.Coverage > 0 && (u.Anchor == nil || distance(u.Anchor, u.Position) > ch.cfg.Coverage)
}

// regroup moves a unit that has strayed, unless a talk is heard in its group: then
// it waits for the end of the talk.
func (s *step) regroup(u *User) {
	if !s.strayed(u) || s.groupTalks(u.Current) {
		return
	}
	ch := s.channelAt(u.Control)
	to := s.nearby(u, ch)
	if to == 0 && len(s.speakersOn(u.Current)) > 1 {
		free, err := s.freeWorking(ch.cfg)
		if err != nil {
			return // a full pool: the unit stays where it is heard
		}
		to = free
	}
	if to == 0 || to == u.Current {
		s.setAnchor(u, u.Position)
		return
	}
	from, placed := u.Current, u.Placed
	s.tune(u, ch, to, "moved")
	u.Placed = placed
	s.tell(dispatchAnd(u.ID), UserMoved{User: u.ID, From: from, To: to, Control: ch.at, Auto: true})
}

func (s *State) groupTalks(f Frequency) bool { return len(s.x.at(f).heard) > 0 }
