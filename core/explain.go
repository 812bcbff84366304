//go:build !wasm

package core

import (
	"fmt"
	"slices"
	"strings"
)

// Action is what an Explanation is about.
type Action string

// The actions, named as in objects of the access rules.
const (
	ActConnect  Action = "connect"  // transmit on a channel
	ActScan     Action = "scan"     // listen to a channel
	ActGPS      Action = "gps"      // see the units of a channel on the map
	ActDispatch Action = "dispatch" // do what dispatchers may do; of no channel
)

// Actions lists them.
var Actions = []Action{ActConnect, ActScan, ActGPS, ActDispatch}

// Explanation says why a user may do something on a channel, or may not.
type Explanation struct {
	User      UserID
	Name      string
	Nac       string // "": none, or the secret of the dispatch panel
	NacFrom   string // in words
	Frequency Frequency
	Channel   string
	Action    Action
	Allowed   bool
	Rules     []Rule   // that were asked, in that order
	Change    []string // what to change for another answer
}

// What a rule says. One that allows is enough, unless one before it forbids.
const (
	RuleAllows  = "allows"
	RuleForbids = "forbids" // whatever the rules after it say
	RuleSilent  = "silent"  // it does not apply
)

// Rule is one of the rules that decide.
type Rule struct {
	Name  string // dispatcher, radioAccessCheck, codeplug, ace, game server, zone, nac
	Says  string
	Text  string
	Entry *ACE // of the access rules, if it is one
}

// Explain says why a user who is on the radio may do something, or may not. The answer is
// that of the rules themselves (keyable, mayConnect, mayScan, locates, dispatchRight); the list says
// how they come to it.
func (v View) Explain(id UserID, f Frequency, a Action) (Explanation, error) {
	s := v.s
	u := s.user(id)
	if u == nil {
		return Explanation{}, &Error{NotFound, "userId", "The user " + id.String() + " is not on the radio"}
	}
	e := Explanation{User: id, Name: v.shown(u).Name, Nac: s.shownNac(u), NacFrom: s.nacFrom(u), Action: a}
	x := &explainer{s: s, u: u, e: &e}
	if a == ActDispatch {
		e.Allowed = s.dispatchRight(u)
		x.dispatch()
		return e, nil
	}
	if !slices.Contains(Actions, a) {
		return e, invalid("action", fmt.Sprintf("action must be one of %v", Actions))
	}
	ch := s.resolve(f)
	if ch == nil {
		return e, &Error{NotFound, "frequency", "Channel not found"}
	}
	e.Frequency, e.Channel = ch.at, ch.cfg.Name
	x.ch = ch
	switch a {
	case ActConnect:
		e.Allowed = x.placed() || s.mayConnect(u, ch)
		x.connect()
	case ActScan:
		e.Allowed = s.mayScan(u, ch)
		x.scan()
	case ActGPS:
		e.Allowed = u.ID.Dispatcher() || !u.Facts.Refused && s.locates(u, s.nac(u), ch)
		x.gps()
	}
	return e, nil
}

// nacFrom says where a user's NAC id comes from.
func (s *State) nacFrom(u *User) string {
	_, set := s.findOverride(u.ID)
	switch {
	case set:
		return "it was set by hand"
	case u.Facts.CallbackNac != "":
		return "Config.getUserNacId"
	case u.Granted.Nac != "":
		return "the access rules (" + s.aceObject("nac."+s.unlessSecret(u.Granted.Nac)) + ")"
	case u.Facts.Nac != "":
		return "the game server, or the client"
	}
	return "nothing gives it one"
}

type explainer struct {
	s  *State
	u  *User
	ch *channel
	e  *Explanation
}

func (x *explainer) add(name, says, format string, args ...any) {
	x.e.Rules = append(x.e.Rules, Rule{Name: name, Says: says, Text: fmt.Sprintf(format, args...)})
}

func (x *explainer) change(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(x.e.Change, line) {
		x.e.Change = append(x.e.Change, line)
	}
}

// dispatcher ends the list for dispatchers, who may do everything.
func (x *explainer) dispatcher() bool {
	if x.u.ID.Dispatcher() {
		x.add("dispatcher", RuleAllows, "%s is a dispatcher: dispatchers may do everything", x.u.ID)
		return true
	}
	return false
}

// refused ends the list for players without radio access.
func (x *explainer) refused() bool {
	if x.u.Facts.Refused {
		x.add("radioAccessCheck", RuleForbids, "Config.radioAccessCheck said no for this player, or failed")
		x.change("change what Config.radioAccessCheck returns for this player; the player has to connect again")
		return true
	}
	return false
}

// ace lists the entries of the access rules about a kind of object, and what the game server
// has granted.
func (x *explainer) ace(kind string, given bool) {
	s := x.s
	objects := []string{s.aceObject(kind)}
	if x.ch != nil && s.cfg.ACL.names(s.aceObject(kind+".")) {
		objects = []string{s.aceObject(kind + "." + x.ch.at.String())}
		for _, p := range x.ch.zones {
			if o := s.aceObject(kind + "." + p.cfg.Shown); p.cfg.Shown != "" && !slices.Contains(objects, o) {
				objects = append(objects, o)
			}
		}
	}
	x.entries(objects)
	if given {
		x.add("game server", RuleAllows, "the game server's own access rules give %s: they came with the player", objects[0])
	}
	if !x.e.Allowed {
		object := s.aceObject(kind)
		if x.ch != nil { // no more than is asked for
			object = s.aceObject(kind + "." + x.ch.at.String())
		}
		if who := x.principal(append(objects, object)); who != "" {
			x.change("add_ace %s %s allow, in permissions.cfg", who, object)
		}
	}
}

// principals are those of the player whom an entry can name.
func (x *explainer) principals() (all []string) {
	for _, id := range x.u.Facts.Identifiers {
		all = append(all, "identifier."+id)
	}
	return append(all, "player."+x.u.ID.String())
}

// principal is one to whom an entry can give objects; "": each is denied them, and a deny
// outweighs every allow.
func (x *explainer) principal(objects []string) string {
	for _, p := range x.principals() {
		own := x.s.cfg.ACL.of(p)
		if !slices.ContainsFunc(objects, func(o string) bool { return own.ask(o) == Denied }) {
			return p
		}
	}
	return ""
}

// entries lists what the access rules say of objects, principal by principal: one that is
// denied an object gets nothing from its other entries, and one yes is enough.
func (x *explainer) entries(objects []string) {
	found := false
	var seen []ACE
	for _, principal := range x.principals() {
		for _, e := range x.s.cfg.ACL.of(principal) {
			if slices.Contains(seen, e) || !slices.ContainsFunc(objects, func(o string) bool { return o == e.Object || strings.HasPrefix(o, e.Object+".") }) {
				continue
			}
			seen, found = append(seen, e), true
			says, word := RuleAllows, "allow"
			if !e.Allow {
				says, word = RuleForbids, "deny"
				if !x.e.Allowed {
					x.change("remove add_ace %s %s deny: it outweighs every allow of that principal", e.Principal, e.Object)
				}
			}
			x.e.Rules = append(x.e.Rules, Rule{Name: "ace", Says: says, Text: fmt.Sprintf("add_ace %s %s %s", e.Principal, e.Object, word), Entry: &e})
		}
	}
	if !found {
		x.add("ace", RuleSilent, "no entry of permissions.cfg gives %s to this player", objects[0])
	}
}

// zones lists the zones that have the channel, and whether their lists admit the player.
func (x *explainer) zones(list string, of func(*Channel) []string, emptyAdmits bool) {
	s, nac := x.s, x.s.nac(x.u)
	for _, p := range x.ch.zones {
		zone := &s.cfg.Zones[p.zone]
		if !s.seesZone(x.u, p.zone) {
			x.hidden(zone, p.zone)
			continue
		}
		names := of(p.cfg)
		switch {
		case len(names) == 0 && emptyAdmits:
			x.add("nac", RuleAllows, "%s in zone %s has no %s: everybody is admitted", p.cfg.Name, zone.Name, list)
		case nacIn(names, nac):
			x.add("nac", RuleAllows, "%s of %s in zone %s has the player's NAC id%s", list, p.cfg.Name, zone.Name, x.told())
		default:
			x.add("nac", RuleSilent, "%s of %s in zone %s is %s, and the player's NAC id is %s", list, p.cfg.Name, zone.Name, x.shown(names), x.own())
			if !x.e.Allowed && x.e.Nac != "" {
				x.change("add %q to %s of %s in zone %s", x.e.Nac, list, p.cfg.Name, zone.Name)
			}
		}
	}
}

// hidden says why a zone is not shown to the player.
func (x *explainer) hidden(zone *Zone, index int) {
	if p := x.s.codeplug(x.u); p != nil && len(p.Zones) > 0 && !slices.Contains(p.Zones, index+1) {
		x.add("zone", RuleSilent, "zone %s is hidden: the codeplug %s has the zones %v, not %d", zone.Name, p.ID, p.Zones, index+1)
		if !x.e.Allowed {
			x.change("add %d to zones of the codeplug %s", index+1, p.ID)
		}
		return
	}
	x.add("zone", RuleSilent, "zone %s is hidden: its nacIds are %s, and the player's NAC id is %s", zone.Name, x.shown(zone.NacIDs), x.own())
	if x.e.Allowed {
		return
	}
	object := x.s.aceObject("zone." + itoa(index+1))
	if who := x.principal([]string{object}); who != "" {
		x.change("add_ace %s %s allow, in permissions.cfg", who, object)
	}
	if x.e.Nac != "" {
		x.change("add %q to nacIds of zone %s", x.e.Nac, zone.Name)
	}
}

// told is a NAC id that a list has, after a space; "": it is a secret.
func (x *explainer) told() string {
	if x.e.Nac == "" {
		return ""
	}
	return " " + x.e.Nac
}

func (x *explainer) own() string {
	switch {
	case x.e.Nac != "":
		return x.e.Nac + " (" + x.e.NacFrom + ")"
	case x.s.nac(x.u) != "":
		return "secret"
	}
	return "missing (" + x.e.NacFrom + ")"
}

// shown is a list of NAC ids as it may be seen.
func (x *explainer) shown(nacs []string) string {
	var all []string
	for _, n := range nacs {
		if n = x.s.unlessSecret(n); n != "" {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return "empty"
	}
	return strings.Join(all, ", ")
}

// placed says whether a dispatcher has put the unit on the channel.
func (x *explainer) placed() bool {
	return x.u.Placed && (x.u.Current == x.ch.at || x.u.Control == x.ch.at)
}

func (x *explainer) connect() {
	if x.dispatcher() {
		return
	}
	if x.placed() {
		x.add("dispatcher", RuleAllows, "a dispatcher has put the unit on this channel: it may transmit there until it leaves")
		return
	}
	if x.refused() {
		return
	}
	x.ace("connect", x.u.Facts.Given.Connect.Has(x.ch.at))
	x.zones("allowedNacs", func(c *Channel) []string { return c.AllowedNacs }, true)
}

func (x *explainer) scan() {
	if x.dispatcher() || x.refused() {
		return
	}
	if p := x.s.codeplug(x.u); p != nil && !p.Features.Scan {
		x.add("codeplug", RuleForbids, "the codeplug %s has features.scan = false", p.ID)
		x.change("set features.scan of the codeplug %s to true", p.ID)
		return
	}
	x.ace("scan", x.u.Facts.Given.Scan.Has(x.ch.at))
	if x.s.mayConnect(x.u, x.ch) {
		x.add("connect", RuleAllows, "the player may transmit there, and who may transmit may listen")
		return
	}
	x.zones("scanAllowedNacs", func(c *Channel) []string { return c.ScanAllowedNacs }, false)
}

func (x *explainer) gps() {
	if x.dispatcher() || x.refused() {
		return
	}
	x.ace("gps", x.u.Facts.Given.GPS.Has(x.ch.at))
	nac := x.s.nac(x.u)
	for _, p := range x.ch.zones {
		list := p.cfg.GPS.VisibleToNacs
		if nac != "" && nacIn(list, nac) {
			x.add("nac", RuleAllows, "gps.visibleToNacs of %s has the player's NAC id%s", p.cfg.Name, x.told())
			continue
		}
		x.add("nac", RuleSilent, "gps.visibleToNacs of %s is %s, and the player's NAC id is %s", p.cfg.Name, x.shown(list), x.own())
		if !x.e.Allowed && x.e.Nac != "" {
			x.change("add %q to gps.visibleToNacs of %s", x.e.Nac, p.cfg.Name)
		}
	}
}

func (x *explainer) dispatch() {
	if x.dispatcher() {
		return
	}
	x.ace("dispatch", x.u.Facts.Given.Dispatch)
	p := x.s.codeplug(x.u)
	switch {
	case p == nil:
		x.add("codeplug", RuleSilent, "the player has no codeplug")
	case p.Features.Dispatch:
		x.add("codeplug", RuleAllows, "the codeplug %s has features.dispatch = true", p.ID)
	default:
		x.add("codeplug", RuleSilent, "the codeplug %s has features.dispatch = false", p.ID)
		x.change("set features.dispatch of the codeplug %s to true", p.ID)
	}
}
