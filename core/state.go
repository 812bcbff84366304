package core

import (
	"regexp"
	"slices"
	"time"
)

// State is the radio. One goroutine owns it. What it remembers is Data, except that
// users and talks are held by pointer here. All else follows from that and from the
// Config.
type State struct {
	cfg      *Config
	channels []channel // derived from cfg, sorted by frequency
	callsign *regexp.Regexp
	nacs     []string // every NAC id that cfg names, sorted
	d        Data     // except Users and Talks, which are here:
	users    roster
	talks    []*held // in the order of key-up
	x        index
	routes   *RouteTable     // the last table handed out
	selves   map[UserID]Self // the own record that each user was sent last; derived, so not part of Data
}

// Data is everything that the radio remembers. Slices are sorted (by the field
// named in the comment), so that the same state has the same bytes.
type Data struct {
	Now              int64             `json:"now"`               // the latest moment seen, ms since the epoch
	Users            []User            `json:"users"`             // by ID
	Aliases          []Alias           `json:"aliases"`           // by Owner, Want
	Talks            []Talk            `json:"talks"`             // in the order of key-up
	Groups           []TrunkGroup      `json:"groups"`            // by Frequency
	Alerts           []ActiveAlert     `json:"alerts"`            // by Frequency
	Panics           []Panic           `json:"panics"`            // by Frequency, User
	Patches          []Patch           `json:"patches"`           // by Number
	Emergencies      []EmergencyRecord `json:"emergencies"`       // the open ones, by Number
	LastEmergency    int               `json:"lastEmergency"`     // number of the newest record ever made
	Transmissions    []Transmission    `json:"transmissions"`     // the last ones, by Number
	LastTransmission int               `json:"lastTransmission"`  // number of the newest
	LastPatch        int               `json:"lastPatch"`         // number of the newest patch ever made
	Callsigns        []Callsign        `json:"callsigns"`         // by User
	NacSet           []NacOverride     `json:"nacSet"`            // by User
	Storage          string            `json:"storage,omitempty"` // why nothing can be stored; "": it can
	GPS              GPSRound          `json:"gps,omitzero"`
	Signal           SignalRound       `json:"signal,omitzero"`
}

// channel is a configured frequency, with all zones that list it.
type channel struct {
	at    Frequency
	cfg   *Channel // its entry in the first of them: name, type, range
	zones []listing
}

type listing struct {
	zone int // 0-based
	cfg  *Channel
}

// New makes a radio with nobody on it. The error is that of Config.Check. The caller
// must not change the Config's lists afterwards.
func New(cfg Config) (*State, error) {
	s := &State{users: newRoster(nil), routes: &RouteTable{}, selves: map[UserID]Self{}}
	if err := s.configure(cfg); err != nil {
		return nil, err
	}
	s.reindex()
	return s, nil
}

func (s *State) configure(cfg Config) error {
	if err := cfg.Check(); err != nil {
		return err
	}
	pattern, err := cfg.Callsign.compile()
	if err != nil {
		return err // cannot happen after Check
	}
	var channels []channel
	for z := range cfg.Zones {
		for i := range cfg.Zones[z].Channels {
			ch := &cfg.Zones[z].Channels[i]
			n, found := slices.BinarySearchFunc(channels, ch.Frequency, func(c channel, f Frequency) int { return compare(c.at, f) })
			if !found {
				channels = insert(channels, n, channel{at: ch.Frequency, cfg: ch})
			}
			channels[n].zones = append(channels[n].zones, listing{z, ch})
		}
	}
	cfg.ACL = cfg.ACL.lower()
	s.cfg, s.channels, s.callsign, s.nacs = &cfg, channels, pattern, cfg.nacs()
	return nil
}

// Step applies one command at the given moment. It never blocks. If it returns an
// error, which is an *Error, the command has changed nothing; the Output then only
// carries what the passing of time brought, and must be acted on all the same.
func (s *State) Step(now time.Time, by Actor, cmd Command) (Output, error) {
	st := s.begin(now)
	st.by = by
	if u := s.user(by.User); u != nil && by.Name == "" {
		st.by.Name = s.name(u) // ids are reused; a record must say who it was
	}
	if cmd == nil {
		return st.end(), invalid("", "The command is missing")
	}
	err := s.stored(cmd)
	if err == nil {
		err = cmd.apply(st)
	}
	return st.end(), err
}

// Tick lets time pass. Call it at or after Output.Wake.
func (s *State) Tick(now time.Time) Output {
	return s.begin(now).end()
}

func (s *State) begin(now time.Time) *step {
	// A clock that jumps back stands still here. Zero means "never" in the
	// state, so a simulated clock that starts at the epoch starts at 1 ms.
	s.d.Now = max(now.UnixMilli(), s.d.Now, 1)
	st := &step{State: s, now: s.d.Now, by: Actor{Surface: BySystem}}
	st.expire()
	return st
}

// expire does what is due by now, in a fixed order.
func (s *step) expire() {
	s.expireTalks()
	s.expireLinks()
	s.expirePanics()
	s.repeatAlerts()
}

func (s *step) end() Output {
	if s.unsettled {
		s.settle()
	}
	s.reroute()
	s.measure()
	s.tellSelves()
	s.tellGPS()
	if at := s.nextWake(); at > 0 {
		s.out.Due = max(at, s.now)
	}
	return s.out
}

// reroute publishes a new table if anybody is heard by other listeners, or in
// another way, than before.
func (s *step) reroute() {
	t := s.routes
	if !s.rerouted {
		t = s.rebuildRoutes(s.retalked)
	} else if fresh := s.buildRoutes(); !fresh.equal(s.routes) {
		t = fresh
	}
	if t != s.routes {
		s.routes, s.out.Routes = t, t
	}
}

// nextWake is the earliest moment at which time alone changes something; 0: never.
func (s *step) nextWake() int64 {
	at := s.x.repeatAt
	if len(s.x.timed) > 0 {
		at = earlier(at, s.talkDeadline(s.x.timed[0]))
	}
	for _, t := range s.x.fading {
		at = earlier(at, s.talkDeadline(t))
	}
	for _, t := range s.x.hot {
		at = earlier(at, t.Until)
	}
	if len(s.x.lost) > 0 {
		at = earlier(at, s.x.lost[0].LostAt+s.cfg.ResumeWindow)
	}
	if s.cfg.PanicTimeout > 0 && s.x.panicSince > 0 {
		at = earlier(at, s.x.panicSince+s.cfg.PanicTimeout)
	}
	return earlier(earlier(at, s.d.GPS.Due), s.d.Signal.Due)
}

func compare[T UserID | Frequency | int | int64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// insert puts v at place n. (slices.Insert takes many values, and its code is four
// times as long for each type in core.wasm.)
func insert[T any](list []T, n int, v T) []T {
	list = append(list, v)
	copy(list[n+1:], list[n:])
	list[n] = v
	return list
}

// cutOut takes the value at place n out. (slices.Delete would be larger in core.wasm; see insert.)
func cutOut[T any](list []T, n int) []T {
	last := len(list) - 1
	copy(list[n:], list[n+1:])
	clear(list[last:])
	return list[:last]
}

// insertSorted puts v into a sorted set; it says whether v was missing.
func insertSorted[T UserID | Frequency | int](set *[]T, v T) bool {
	n, found := slices.BinarySearch(*set, v)
	if !found {
		*set = insert(*set, n, v)
	}
	return !found
}

// removeSorted takes v out of a sorted set; it says whether v was there.
func removeSorted[T UserID | Frequency](set *[]T, v T) bool {
	n, found := slices.BinarySearch(*set, v)
	if found {
		*set = cutOut(*set, n)
		if len(*set) == 0 {
			*set = nil
		}
	}
	return found
}

func contains[T UserID | Frequency](set []T, v T) bool {
	_, found := slices.BinarySearch(set, v)
	return found
}
