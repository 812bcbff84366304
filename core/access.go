package core

import (
	"math"
	"slices"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// mayDispatch: scripts, integrations and the admin page may do everything; on
// Socket.IO only dispatchers and players with the dispatch right.
func (s *step) mayDispatch() error {
	if s.by.Surface != BySocket || s.by.User.Dispatcher() {
		return nil
	}
	if u := s.user(s.by.User); u != nil && s.dispatchRight(u) {
		return nil
	}
	return forbidden("", "Only dispatchers may do this")
}

// mayActFor: everybody may for itself.
func (s *step) mayActFor(id UserID) error {
	if id == s.by.User {
		return nil
	}
	return s.mayDispatch()
}

func (s *State) dispatchRight(u *User) bool {
	if u.ID.Dispatcher() || u.Granted.Dispatch {
		return true
	}
	p := s.codeplug(u)
	return p != nil && p.Features.Dispatch
}

// channelAt finds a configured channel.
func (s *State) channelAt(f Frequency) *channel {
	n, found := slices.BinarySearchFunc(s.channels, f, func(c channel, f Frequency) int { return compare(c.at, f) })
	if !found {
		return nil
	}
	return &s.channels[n]
}

// resolve finds the configured channel that f belongs to: itself, or the
// talkgroup whose working frequency it is.
func (s *State) resolve(f Frequency) *channel {
	if ch := s.channelAt(f); ch != nil {
		return ch
	}
	if g := s.group(f); g != nil {
		return s.channelAt(g.Control)
	}
	return nil
}

func (s *State) digital(f Frequency) bool {
	ch := s.resolve(f)
	return ch != nil && ch.cfg.Type == Digital
}

// nacIn: no list means everybody.
func nacIn(list []string, nac string) bool { return slices.Contains(list, nac) }

// seesZone says whether a place's zone is shown to a user.
func (s *State) seesZone(u *User, zone int) bool {
	if u.ID.Dispatcher() {
		return true
	}
	if p := s.codeplug(u); p != nil && len(p.Zones) > 0 && !slices.Contains(p.Zones, zone+1) {
		return false
	}
	nacs := s.cfg.Zones[zone].NacIDs
	return len(nacs) == 0 || nacIn(nacs, s.nac(u)) || u.Granted.Zones.Has(zone+1)
}

// mayConnect: may the user transmit on the channel? Access by NAC id needs the
// zone to be shown; ACE entries add to that.
func (s *State) mayConnect(u *User, ch *channel) bool {
	if u.ID.Dispatcher() {
		return true
	}
	if u.Facts.Refused {
		return false
	}
	if u.Granted.Connect.Has(ch.at) {
		return true
	}
	for _, p := range ch.zones {
		if s.seesZone(u, p.zone) && (len(p.cfg.AllowedNacs) == 0 || nacIn(p.cfg.AllowedNacs, s.nac(u))) {
			return true
		}
	}
	return false
}

// mayScan: may the user listen in?
func (s *State) mayScan(u *User, ch *channel) bool {
	if u.ID.Dispatcher() {
		return true
	}
	if u.Facts.Refused {
		return false
	}
	if p := s.codeplug(u); p != nil && !p.Features.Scan {
		return false
	}
	if u.Granted.Scan.Has(ch.at) || s.mayConnect(u, ch) {
		return true
	}
	for _, p := range ch.zones {
		if s.seesZone(u, p.zone) && nacIn(p.cfg.ScanAllowedNacs, s.nac(u)) {
			return true
		}
	}
	return false
}

// codeplug is what a player's radio is programmed with: the one of its job
// (NAC id), else the one that names its unit id.
func (s *State) codeplug(u *User) *Codeplug {
	if !u.ID.Player() {
		return nil
	}
	nac := s.nac(u)
	id := ""
	for _, j := range s.cfg.JobCodeplugs {
		if j.Job == nac {
			id = j.Codeplug
		}
	}
	for i := range s.cfg.Codeplugs {
		p := &s.cfg.Codeplugs[i]
		if p.ID == id || (id == "" && p.UnitID != "" && p.UnitID == u.Facts.Unit) {
			return p
		}
	}
	return nil
}

// covered: may the user stay where it is tuned to? Who was placed there by
// authority may, as long as it has a radio at all.
func (s *State) covered(u *User) bool {
	ch := s.resolve(u.Current)
	return ch != nil && (s.mayConnect(u, ch) || (u.Placed && !u.Facts.Refused))
}

// enforce ends memberships that the user's access no longer covers.
func (s *step) enforce(id UserID) {
	if u := s.user(id); u.Current != 0 && !s.covered(u) {
		s.leaveCurrent(id, "left")
	}
	for _, f := range slices.Clone(s.user(id).Scans) {
		if ch := s.resolve(f); ch == nil || !s.mayScan(s.user(id), ch) {
			s.stopScan(id, f)
		}
	}
	u := s.user(id)
	for _, f := range slices.Clone(u.Audio3D) {
		if s.resolve(f) == nil || (u.ID.Player() && u.Facts.Refused) {
			removeSorted(&u.Audio3D, f)
		}
		s.rerouted = true // the right to scan may have come or gone
	}
	right := s.dispatchRight(u)
	for len(u.Follows) > 0 && !right {
		s.unfollow(u, u.Follows[len(u.Follows)-1])
	}
	if u.Armed != "" && (!right || s.announcement(u.Armed) == nil) {
		u.Armed = ""
		s.tell(only(id), GroupArmed{User: id})
	}
}
