package core

import (
	"slices"
	"strings"
)

// ACL is the game server's access control list: entries (add_ace) and
// inheritance (add_principal). Names are compared in lower case.
type ACL struct {
	Entries []ACE         `json:"entries,omitempty"`
	Inherit []Inheritance `json:"inherit,omitempty"`
}

// lower is a copy in lower case.
func (l ACL) lower() ACL {
	l.Entries, l.Inherit = slices.Clone(l.Entries), slices.Clone(l.Inherit)
	for i := range l.Entries {
		e := &l.Entries[i]
		e.Principal, e.Object = strings.ToLower(e.Principal), strings.ToLower(e.Object)
	}
	for i := range l.Inherit {
		in := &l.Inherit[i]
		in.Child, in.Parent = strings.ToLower(in.Child), strings.ToLower(in.Parent)
	}
	return l
}

// ACE allows or denies an object and everything below it to a principal.
type ACE struct {
	Principal string `json:"principal"`
	Object    string `json:"object"`
	Allow     bool   `json:"allow"`
}

// Inheritance makes Child inherit from Parent.
type Inheritance struct {
	Child  string `json:"child"`
	Parent string `json:"parent"`
}

// Access is the answer for one principal and object.
type Access uint8

// The answers; a greater one overrides a smaller one.
const (
	Silent Access = iota // no entry matches
	Allowed
	Denied
)

// Ask evaluates one principal: the object itself and each of its parents (the
// name without its last dotted part), for the principal and all that it inherits
// from. A matching deny anywhere wins; else any allow. The entries must be in
// lower case.
func (l *ACL) Ask(principal, object string) Access {
	return l.of(principal).ask(strings.ToLower(object))
}

// entries are the ACEs that apply to one principal.
type entries []ACE

// of collects the entries that apply to a principal: its own, those that it
// inherits (cycles are harmless) and those of builtin.everyone.
func (l *ACL) of(principal string) entries {
	all := []string{strings.ToLower(principal), "builtin.everyone"}
	for i := 0; i < len(all); i++ {
		for _, in := range l.Inherit {
			if in.Child == all[i] && !slices.Contains(all, in.Parent) {
				all = append(all, in.Parent)
			}
		}
	}
	var own entries
	for _, e := range l.Entries {
		if slices.Contains(all, e.Principal) {
			own = append(own, e)
		}
	}
	return own
}

func (own entries) ask(object string) Access {
	answer := Silent
	for {
		for _, e := range own {
			if e.Object == object {
				if !e.Allow {
					return Denied
				}
				answer = Allowed
			}
		}
		dot := strings.LastIndexByte(object, '.')
		if dot < 0 {
			return answer
		}
		object = object[:dot]
	}
}

// holder has the entries of each of a player's own principals. The principals are
// asked one by one: one yes is enough.
type holder []entries

// may asks for one thing in several spellings: a principal that is denied one
// spelling is denied the thing.
func (h holder) may(spellings ...string) bool {
	for _, own := range h {
		answer := Silent
		for _, o := range spellings {
			answer = max(answer, own.ask(o))
		}
		if answer == Allowed {
			return true
		}
	}
	return false
}

// named says whether an allow entry names exactly this object.
func (h holder) named(object string) bool {
	return slices.ContainsFunc(h, func(own entries) bool {
		return slices.ContainsFunc(own, func(e ACE) bool { return e.Allow && e.Object == object })
	})
}

// Grant is a list of frequencies, or a plain yes or no for all of them.
type Grant struct {
	Listed      bool        `json:"listed,omitempty"` // Frequencies is the answer; else All
	All         bool        `json:"all,omitempty"`
	Frequencies []Frequency `json:"frequencies,omitempty"` // sorted
}

// Has says whether the grant covers f.
func (g Grant) Has(f Frequency) bool {
	if g.Listed {
		return contains(g.Frequencies, f)
	}
	return g.All
}

// ZoneGrant is a Grant over 1-based zone indices.
type ZoneGrant struct {
	Listed bool  `json:"listed,omitempty"`
	All    bool  `json:"all,omitempty"`
	Zones  []int `json:"zones,omitempty"` // sorted
}

// Has says whether the grant covers a zone (1-based).
func (g ZoneGrant) Has(zone int) bool {
	if g.Listed {
		return slices.Contains(g.Zones, zone)
	}
	return g.All
}

// Grants is the ACE permission result of one player (getAcePermissions).
type Grants struct {
	Connect  Grant     `json:"connect"`
	Scan     Grant     `json:"scan"`
	GPS      Grant     `json:"gps"`
	Zones    ZoneGrant `json:"zones"`
	Dispatch bool      `json:"dispatch,omitempty"`
	Nac      string    `json:"nac,omitempty"`
}

// or is the union of two grants.
func (g Grants) or(o Grants) Grants {
	return Grants{
		Connect:  orGrant(g.Connect, o.Connect),
		Scan:     orGrant(g.Scan, o.Scan),
		GPS:      orGrant(g.GPS, o.GPS),
		Zones:    orZones(g.Zones, o.Zones),
		Dispatch: g.Dispatch || o.Dispatch,
		Nac:      firstOf(g.Nac, o.Nac),
	}
}

func orGrant(a, b Grant) Grant {
	if (!a.Listed && a.All) || (!b.Listed && b.All) {
		return Grant{All: true}
	}
	if !a.Listed && !b.Listed {
		return Grant{}
	}
	both := slices.Clone(a.Frequencies)
	for _, f := range b.Frequencies {
		insertSorted(&both, f)
	}
	return Grant{Listed: true, Frequencies: both}
}

func orZones(a, b ZoneGrant) ZoneGrant {
	if (!a.Listed && a.All) || (!b.Listed && b.All) {
		return ZoneGrant{All: true}
	}
	if !a.Listed && !b.Listed {
		return ZoneGrant{}
	}
	both := slices.Clone(a.Zones)
	for _, z := range b.Zones {
		insertSorted(&both, z)
	}
	return ZoneGrant{Listed: true, Zones: both}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// regrant asks the ACL for everything that a player could be granted. ACEs
// cannot be listed, so every configured frequency (canonical and configured
// spelling), zone and NAC id is probed.
func (s *State) regrant(u *User) {
	if !u.ID.Player() {
		return
	}
	who := holder{s.cfg.ACL.of("player." + u.ID.String())}
	for _, id := range u.Facts.Identifiers {
		who = append(who, s.cfg.ACL.of("identifier."+id))
	}
	g := Grants{
		Connect:  s.probe(who, "connect"),
		Scan:     s.probe(who, "scan"),
		GPS:      s.probe(who, "gps"),
		Zones:    s.probeZones(who),
		Dispatch: who.may(s.aceObject("dispatch")),
	}
	// A NAC id is an identity, so only an entry that names it grants it: an admin
	// who has the parent object must not get everybody's.
	for _, n := range s.nacs {
		if o := s.aceObject("nac." + n); who.named(o) && who.may(o) {
			g.Nac = n
			break
		}
	}
	u.Granted = g.or(u.Facts.Given)
	s.stale(u)
}

func (s *State) aceObject(name string) string {
	return strings.ToLower(s.cfg.ResourceName + "." + name)
}

// names says whether any entry is for an object with this prefix.
func (l *ACL) names(prefix string) bool {
	return slices.ContainsFunc(l.Entries, func(e ACE) bool { return strings.HasPrefix(e.Object, prefix) })
}

func (s *State) probe(who holder, kind string) Grant {
	if !s.cfg.ACL.names(s.aceObject(kind + ".")) {
		return Grant{All: who.may(s.aceObject(kind))}
	}
	g := Grant{Listed: true}
	for _, ch := range s.channels {
		objects := []string{s.aceObject(kind + "." + ch.at.String())}
		for _, p := range ch.zones {
			if o := s.aceObject(kind + "." + p.cfg.Shown); p.cfg.Shown != "" && !slices.Contains(objects, o) {
				objects = append(objects, o)
			}
		}
		if who.may(objects...) {
			g.Frequencies = append(g.Frequencies, ch.at)
		}
	}
	return g
}

func (s *State) probeZones(who holder) ZoneGrant {
	if !s.cfg.ACL.names(s.aceObject("zone.")) {
		return ZoneGrant{All: who.may(s.aceObject("zone"))}
	}
	g := ZoneGrant{Listed: true}
	for i := range s.cfg.Zones {
		if who.may(s.aceObject("zone." + itoa(i+1))) {
			g.Zones = append(g.Zones, i+1)
		}
	}
	return g
}

// nacs is every NAC id that the configuration or the ACL names, sorted.
func (c *Config) nacs() []string {
	var all []string
	for _, z := range c.Zones {
		all = append(all, z.NacIDs...)
		for _, ch := range z.Channels {
			all = slices.Concat(all, ch.AllowedNacs, ch.ScanAllowedNacs, ch.GPS.VisibleToNacs)
		}
	}
	for _, j := range c.JobCodeplugs {
		all = append(all, j.Job)
	}
	prefix := strings.ToLower(c.ResourceName + ".nac.")
	for _, e := range c.ACL.Entries {
		if n, ok := strings.CutPrefix(e.Object, prefix); ok {
			if !slices.ContainsFunc(all, func(a string) bool { return strings.EqualFold(a, n) }) {
				all = append(all, n)
			}
		}
	}
	var sorted []string
	for _, nac := range all {
		if n, found := slices.BinarySearch(sorted, nac); !found {
			sorted = insert(sorted, n, nac)
		}
	}
	return sorted
}
