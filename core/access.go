package core

import (
	"math"
	"slices"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// mayDispatch refuses actors without the dispatch right. Scripts, integrations
// and the admin page always have it; on Socket.IO only dispatchers, and players
// to whom it was granted.
func (s *step) mayDispatch() error {
	if s.by.Surface != BySocket || s.by.User.Dispatcher() {
		return nil
	}
	if u := s.user(s.by.User); u != nil && s.dispatchRight(u) {
		return nil
	}
	return forbidden("", "Only dispatchers may do this")
}

// mayActFor lets users act for themselves, and those with the dispatch right for
// anybody.
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

// nacIn says whether a list names a NAC id. Whether an empty list admits
// everybody is for the caller to decide.
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

// mayConnect says whether the user may transmit on the channel. Access by NAC id
// needs a zone that the user sees; ACE entries add to that.
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

// mayScan says whether the user may listen to the channel.
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

// codeplug is what a player's radio is programmed with: the codeplug of the
// player's job (NAC id), else the one with the player's unit id.
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

// covered says whether the user may stay on its channel. A user who was placed
// there by authority may, as long as it has radio access at all. A channel whose
// frequency has become a working one of a talkgroup is gone.
func (s *State) covered(u *User) bool {
	ch := s.resolve(u.Current)
	return ch != nil && (ch.at == u.Current || ch.at == u.Control) && (s.mayConnect(u, ch) || (u.Placed && !u.Facts.Refused))
}

// enforce ends memberships, follows and an armed group that the user's access no
// longer covers.
func (s *step) enforce(u *User) {
	if u.Current != 0 && !s.covered(u) {
		s.leaveCurrent(u, "left")
	}
	for _, f := range slices.Clone(u.Scans) {
		if ch := s.resolve(f); ch == nil || !s.mayScan(u, ch) {
			s.stopScan(u, f)
		}
	}
	for _, f := range slices.Clone(u.Audio3D) {
		if s.resolve(f) == nil || (u.ID.Player() && u.Facts.Refused) {
			s.dropAudio3D(u, f)
		}
		s.rerouteOn(f) // the right to scan may have come or gone
	}
	if t := s.hotTalk(u.ID); t != nil && u.Facts.Refused { // it may be on a channel that the user is not on
		s.endTalk(t, "left")
	}
	right := s.dispatchRight(u)
	for len(u.Follows) > 0 && !right {
		s.unfollow(u, u.Follows[len(u.Follows)-1])
	}
	if u.Armed != "" && (!right || s.announcement(u.Armed) == nil) {
		u.Armed = ""
		s.tell(only(u.ID), GroupArmed{User: u.ID})
	}
}
