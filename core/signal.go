package core

import "math"

const (
	// signalInterval is how often, in ms, a user is told its own strength at most.
	signalInterval = 1000
	// ownStep is the step of a unit's own strength: what a display with ten bars shows.
	ownStep = 10
	// legStep is the step of a leg's. It is coarse, so that listeners who move stay in
	// the same run and rows seldom change, and fine enough to hear somebody drive away.
	legStep = 20

	// maxSites bounds what is looked through for each leg; a network that covers the
	// game's map has a few.
	maxSites = 64
	// maxReach, in metres, is ten times the game's map.
	maxReach = 100_000
)

// Signal makes distance audible. A leg always exists: the signal says how well it is
// heard, not whether.
type Signal struct {
	Range    float64 `json:"range"`           // metres at which a signal is lost, for channels without coverage and sites without a range; 0: never
	Sites    []Site  `json:"sites,omitempty"` // repeaters; none: radios reach each other directly
	Noise    int     `json:"noise"`           // how loud clients make the noise of a weak analogue signal, 0-100
	Dropouts int     `json:"dropouts"`        // how much clients cut out of a weak signal, 0-100
}

// Site is a repeater. All sites repeat each other.
type Site struct {
	At    Position `json:"at"`
	Range float64  `json:"range,omitempty"` // metres; 0: the channel's coverage
}

// SignalRound is when users were told their own strengths.
type SignalRound struct {
	At  int64 `json:"at,omitempty"`  // of the last round, ms since the epoch
	Due int64 `json:"due,omitempty"` // of the next one; 0: nothing has changed
}

func (c *Config) checkSignal(p *problems) {
	s := c.Signal
	if s == nil {
		return
	}
	reach := func(field string, v float64) {
		if !finite(v) || v < 0 || v > maxReach {
			p.add(field, field+" must be 0 to "+itoa(maxReach)+" m")
		}
	}
	reach("signal.range", s.Range)
	if len(s.Sites) > maxSites {
		p.add("signal.sites", "signal.sites must have at most "+itoa(maxSites)+" entries")
	}
	for i, site := range s.Sites {
		at := "signal.sites[" + itoa(i+1) + "]"
		reach(at+".range", site.Range)
		if !finite(site.At.X) || !finite(site.At.Y) || !finite(site.At.Z) {
			p.add(at, at+" must have finite numbers for x, y and z")
		}
	}
	for _, v := range []struct {
		key   string
		level int
	}{{"signal.noise", s.Noise}, {"signal.dropouts", s.Dropouts}} {
		if v.level < 0 || v.level > 100 {
			p.add(v.key, v.key+" must be 0-100")
		}
	}
}

// strength is that of a signal, 0-1: it falls with the square of the distance, to nothing
// at the end of its reach. Where a position is unknown, the signal is full.
func strength(a, b *Position, reach float64) float64 {
	if a == nil || b == nil || reach == 0 {
		return 1
	}
	r := distance(a, b) / reach
	return max(0, 1-float64(r*r)) // the conversion: no fused multiply-add, which rounds differently on some machines
}

// lost is how much of a full signal is missing, 0-100 in steps.
func lost(strength float64, step int) int {
	return int(math.Floor((1-strength)*100/float64(step)+0.5)) * step
}

// reach is how far a channel's signal goes, in metres; 0: everywhere.
func (s *State) reach(ch *channel) float64 {
	if ch != nil && ch.cfg.Coverage > 0 {
		return ch.cfg.Coverage
	}
	return s.cfg.Signal.Range
}

// atSite is the strength between a user and its best site. A console is wired to them.
func (s *State) atSite(u *User, ch *channel) float64 {
	best, reach := 0.0, s.reach(ch)
	for i := range s.cfg.Signal.Sites {
		site := &s.cfg.Signal.Sites[i]
		own := site.Range
		if own == 0 {
			own = reach
		}
		best = max(best, strength(u.Position, &site.At, own))
	}
	return best
}

// uplink is one talker's path to its listeners.
type uplink struct {
	s      *State
	talker *User
	up     float64 // strength at the best site
}

func (s *State) uplink(t *Talk) uplink {
	l := uplink{s: s, talker: s.user(t.User)}
	if s.cfg.Signal != nil && len(s.cfg.Signal.Sites) > 0 {
		l.up = s.atSite(l.talker, s.resolve(t.Frequency))
	}
	return l
}

// fade is how much of the talker's signal is missing for a listener on f, 0-100: with
// sites, that of the weaker of the two paths; without, that of the direct path.
func (l uplink) fade(listener *User, f Frequency) uint8 {
	s := l.s
	if s.cfg.Signal == nil {
		return 0
	}
	ch := s.resolve(f)
	if len(s.cfg.Signal.Sites) > 0 {
		return uint8(lost(min(l.up, s.atSite(listener, ch)), legStep))
	}
	return uint8(lost(strength(l.talker.Position, listener.Position, s.reach(ch)), legStep))
}

// ownFade is how much a unit's own strength on its channel is below 100: at the best
// site or, without sites, to the nearest other unit on the channel.
func (s *State) ownFade(u *User) int {
	if s.cfg.Signal == nil || !u.ID.Player() || u.Current == 0 || u.Position == nil {
		return 0
	}
	ch := s.resolve(u.Current)
	if len(s.cfg.Signal.Sites) > 0 {
		return lost(s.atSite(u, ch), ownStep)
	}
	near, alone := 0.0, true
	for _, o := range players(s.x.at(u.Current).speakers) {
		if o != u && o.Position != nil {
			near, alone = max(near, strength(u.Position, o.Position, s.reach(ch))), false
		}
	}
	if alone {
		return 0
	}
	return lost(near, ownStep)
}

// refade notes that a user has moved or changed its channel: voice to and from it may
// be stronger or weaker now.
func (s *step) refade(u *User) {
	if s.cfg.Signal != nil {
		s.rerouteFor(u)
		s.dueSignal()
	}
}

func (s *step) dueSignal() {
	if s.d.Signal.Due == 0 {
		s.d.Signal.Due = max(s.now, s.d.Signal.At+signalInterval)
	}
}

// measure brings everybody's own strength up to date, if that is due.
func (s *step) measure() {
	r := &s.d.Signal
	if r.Due == 0 || s.now < r.Due {
		return
	}
	r.At, r.Due = s.now, 0
	for _, u := range players(s.users.all) {
		if now := s.ownFade(u); now != u.Fade {
			u.Fade = now
			s.notice(u.ID)
		}
	}
}
