package core

import (
	"regexp"
	"slices"
	"sort"
	"time"
)

// State is the radio. One goroutine owns it. Its memory is Data, plain sorted
// slices, beside what is derived from the Config.
type State struct {
	cfg      *Config
	channels []channel // derived from cfg, sorted by frequency
	callsign *regexp.Regexp
	nacs     []string // every NAC id that cfg names, sorted
	d        Data
	routes   *RouteTable     // the last table handed out
	selves   map[UserID]Self // what each user was told last of itself; derived, so no part of Data
}

// Data is everything that the radio remembers. Slices are sorted (by the field
// named in the comment), so that the same state has the same bytes.
type Data struct {
	Now       int64         `json:"now"`               // the latest moment seen, ms since the epoch
	Users     []User        `json:"users"`             // by ID
	Aliases   []Alias       `json:"aliases"`           // by Owner, Want
	Talks     []Talk        `json:"talks"`             // in the order of key-up
	Groups    []TrunkGroup  `json:"groups"`            // by Frequency
	Alerts    []ActiveAlert `json:"alerts"`            // by Frequency
	Panics    []Panic       `json:"panics"`            // by Frequency, User
	Patches   []Patch       `json:"patches"`           // by number
	LastPatch int           `json:"lastPatch"`         // number of the newest patch ever made
	Callsigns []Callsign    `json:"callsigns"`         // by User
	NacSet    []NacOverride `json:"nacSet"`            // by User
	Storage   string        `json:"storage,omitempty"` // why nothing can be stored; "": it can
}

// channel is a configured frequency with all places where it is configured.
type channel struct {
	at    Frequency
	cfg   *Channel // the first place: name, type, range
	zones []place
}

type place struct {
	zone int // 0-based
	cfg  *Channel
}

// New makes a silent radio, or says which value of the Config is wrong. The
// caller must not change the Config's lists afterwards.
func New(cfg Config) (*State, error) {
	s := &State{routes: &RouteTable{}, selves: map[UserID]Self{}}
	if err := s.configure(cfg); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *State) configure(cfg Config) error {
	if err := cfg.Check(); err != nil {
		return err
	}
	pattern, err := cfg.Callsign.compile()
	if err != nil {
		return err // Check has seen it
	}
	var channels []channel
	for z := range cfg.Zones {
		for i := range cfg.Zones[z].Channels {
			ch := &cfg.Zones[z].Channels[i]
			n, found := slices.BinarySearchFunc(channels, ch.Frequency, func(c channel, f Frequency) int { return compare(c.at, f) })
			if !found {
				channels = slices.Insert(channels, n, channel{at: ch.Frequency, cfg: ch})
			}
			channels[n].zones = append(channels[n].zones, place{z, ch})
		}
	}
	cfg.ACL = cfg.ACL.lower()
	s.cfg, s.channels, s.callsign, s.nacs = &cfg, channels, pattern, cfg.nacs()
	return nil
}

// Step applies one command at the given moment. It never blocks. When it
// returns an error the command has changed nothing; Output then only carries
// what the passing of time brought, and must be acted on all the same.
func (s *State) Step(now time.Time, by Actor, cmd Command) (Output, error) {
	st := s.begin(now)
	st.by = by
	if u := s.user(by.User); u != nil && by.Name == "" {
		st.by.Name = s.name(u) // ids are used again; records say who it was
	}
	if cmd == nil {
		return st.end(), invalid("", "There is no command")
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
	// state, so a simulated clock that starts at the epoch starts a bit later.
	s.d.Now = max(now.UnixMilli(), s.d.Now, 1)
	st := &step{State: s, now: s.d.Now, by: Actor{Surface: BySystem}}
	st.expire()
	return st
}

// expire ends what time ends, in a fixed order.
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
	s.tellSelves()
	if at := s.nextWake(); at > 0 {
		s.out.Wake = time.UnixMilli(max(at, s.now))
	}
	return s.out
}

// reroute publishes a new table when somebody is heard by others than before.
func (s *step) reroute() {
	t := s.routes
	switch {
	case s.rerouted:
		t = s.buildRoutes()
	case len(s.retalked) > 0:
		t = s.rebuildRoutes(s.retalked)
	}
	if t != s.routes && !t.equal(s.routes) {
		s.routes, s.out.Routes = t, t
	}
}

// nextWake is the earliest moment at which time alone changes something.
func (s *step) nextWake() int64 {
	var at int64
	earliest := func(t int64) {
		if t > 0 && (at == 0 || t < at) {
			at = t
		}
	}
	for i := range s.d.Talks {
		earliest(s.talkDeadline(&s.d.Talks[i]))
	}
	for i := range s.d.Users {
		if u := &s.d.Users[i]; u.LostAt > 0 {
			earliest(u.LostAt + s.cfg.ResumeWindow)
		}
	}
	if s.cfg.PanicTimeout > 0 {
		for i := range s.d.Panics {
			earliest(s.d.Panics[i].Since + s.cfg.PanicTimeout)
		}
	}
	for i := range s.d.Alerts {
		earliest(s.d.Alerts[i].Repeat)
	}
	return at
}

func compare[T UserID | Frequency | int](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// insertSorted puts v into a sorted set; it says whether v is new.
func insertSorted[T UserID | Frequency](set *[]T, v T) bool {
	n, found := slices.BinarySearch(*set, v)
	if !found {
		*set = slices.Insert(*set, n, v)
	}
	return !found
}

// removeSorted takes v out of a sorted set; it says whether v was there.
func removeSorted[T UserID | Frequency](set *[]T, v T) bool {
	n, found := slices.BinarySearch(*set, v)
	if found {
		*set = slices.Delete(*set, n, n+1)
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

func (s *State) user(id UserID) *User {
	n := sort.Search(len(s.d.Users), func(i int) bool { return s.d.Users[i].ID >= id })
	if n < len(s.d.Users) && s.d.Users[n].ID == id {
		return &s.d.Users[n]
	}
	return nil
}
