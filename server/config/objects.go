package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"squelch/core"
	"squelch/server/nearest"
)

// objectKinds follow the resource's name in an object.
var objectKinds = []string{"connect", "scan", "gps", "zone", "dispatch", "nac"}

// objects knows what the objects of permissions can name on one radio.
type objects struct {
	resource string
	spelled  []string // of channels, as objects name them: canonical, and as configured
	zones    []string
	nacs     []string
	partly   bool // there may be more channels, zones and NAC ids
}

func objectsOf(c *core.Config) *objects {
	o := &objects{resource: strings.ToLower(c.ResourceName)}
	add := func(list *[]string, s string) {
		if s = strings.ToLower(s); s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, z := range c.Zones {
		o.zones = append(o.zones, z.Name)
		for _, nac := range z.NacIDs {
			add(&o.nacs, nac)
		}
		for _, ch := range z.Channels {
			add(&o.spelled, ch.Frequency.String())
			add(&o.spelled, ch.Shown)
			for _, nac := range slices.Concat(ch.AllowedNacs, ch.ScanAllowedNacs, ch.GPS.VisibleToNacs) {
				add(&o.nacs, nac)
			}
		}
	}
	for _, j := range c.JobCodeplugs {
		add(&o.nacs, j.Job)
	}
	return o
}

// Check warns of entries without an effect on this radio, with the nearest name that
// would have one. They stay in force, because the game server reads them too. A radio
// that could be read only partly may have more channels, zones and NAC ids than are
// known, so entries about these are not checked.
func (p *Permissions) Check(c *core.Config, partly bool) {
	o := objectsOf(c)
	o.partly = partly
	var others []string
	first := 0
	for _, e := range p.ACL.Entries { // in the order of the file
		msg, other := o.odd(e)
		switch {
		case other && msg == "":
			if first == 0 {
				first = p.at[e]
			}
			if name := firstText(e.Object, 40); !slices.Contains(others, name) {
				others = append(others, name)
			}
		case msg != "":
			p.warn(p.at[e], "%s %s", firstText(e.Object, 80), msg)
		}
	}
	if len(others) > 0 {
		p.warn(first, "objects of other resources have no effect here: %s", some(others))
	}
	p.tell()
}

// odd says what is wrong with an entry; "" if nothing is. other: it belongs to
// another resource.
func (o *objects) odd(e core.ACE) (msg string, other bool) {
	if clean := strings.Trim(strings.ReplaceAll(e.Object, "*", ""), "."); clean != e.Object {
		if clean == "" {
			clean = o.resource
		}
		if msg, other := o.odd(core.ACE{Principal: e.Principal, Object: clean, Allow: e.Allow}); msg != "" && !other {
			return "has no effect: permissions have no wildcard *" + perhaps(o.meant(clean)), false
		}
		return "has no effect: permissions have no wildcard *; " + clean + " covers everything below it", false
	}
	parts := strings.SplitN(e.Object, ".", 3)
	if parts[0] != o.resource {
		return o.foreign(parts)
	}
	if len(parts) == 1 {
		return "", false
	}
	kind, rest := parts[1], ""
	if len(parts) == 3 {
		rest = parts[2]
	}
	switch {
	case o.partly && slices.Contains(objectKinds, kind):
		return "", false
	case kind == "connect", kind == "scan", kind == "gps":
		return o.channel(kind, rest), false
	case kind == "zone":
		return o.zone(rest), false
	case kind == "nac":
		return o.nac(rest, e.Allow), false
	case kind == "dispatch":
		if rest != "" {
			return "has no effect; did you mean " + o.resource + ".dispatch?", false
		}
		return "", false
	}
	if near := o.meant(e.Object); near != "" {
		return "has no effect" + perhaps(near), false
	}
	return "has no effect: " + o.resource + ". must be followed by one of " + strings.Join(objectKinds, ", "), false
}

// meant is the object with an effect that a misspelt one may have meant; "" if there
// is none.
func (o *objects) meant(object string) string {
	_, below, _ := strings.Cut(object, ".")
	if below == "" {
		return o.resource
	}
	kind, rest := kindOf(below)
	if near := o.named(kind, rest); near != "" {
		return o.resource + "." + near
	}
	return ""
}

// named is the nearest name, with its kind, that has an effect.
func (o *objects) named(kind, rest string) string {
	switch {
	case kind == "":
		return ""
	case kind == "dispatch", rest == "" && kind != "nac":
		return kind
	case kind == "nac" && rest == "":
		return ""
	case o.partly:
		return kind + "." + rest // it may be there
	case kind == "zone":
		if o.zone(rest) == "" {
			return kind + "." + rest
		}
		if i := slices.Index(o.zones, nearest.Name(rest, o.zones)); i >= 0 {
			return kind + "." + strconv.Itoa(i+1)
		}
		return ""
	case kind == "nac":
		if near := nearest.Name(rest, o.nacs); near != "" {
			rest = near
		}
		return kind + "." + rest
	}
	if o.channel(kind, rest) == "" {
		return kind + "." + rest
	}
	if near := o.near(rest); near != "" {
		return kind + "." + near
	}
	return ""
}

// kindOf finds the kind in what follows the resource's name, even if it is misspelt
// or something else than a dot comes after it.
func kindOf(below string) (kind, rest string) {
	const separators = "._-:/"
	for _, kind := range objectKinds {
		if rest, found := strings.CutPrefix(below, kind); found && strings.IndexAny(rest, "0123456789") == 0 {
			return kind, rest
		}
	}
	if i := strings.IndexAny(below, separators); i > 0 {
		if kind = nearest.Name(below[:i], objectKinds); kind != "" {
			return kind, strings.TrimLeft(below[i:], separators)
		}
	}
	head, rest, _ := strings.Cut(below, ".")
	return nearest.Name(head, objectKinds), rest
}

// foreign: the name in front is not this radio's, perhaps on purpose.
func (o *objects) foreign(parts []string) (msg string, other bool) {
	near := nearest.Name(parts[0], []string{o.resource}) != ""
	if !near && len(parts) > 1 {
		near = nearest.Name(parts[1], objectKinds) != ""
	}
	if !near {
		return "", true
	}
	return "has no effect: resourceName is " + o.resource + perhaps(o.meant(strings.Join(parts, "."))), false
}

// channel: rest is empty, a channel, or the beginning of some (the dot of a
// frequency is a level too).
func (o *objects) channel(kind, rest string) string {
	if rest == "" || slices.ContainsFunc(o.spelled, func(s string) bool { return s == rest || strings.HasPrefix(s, rest+".") }) {
		return ""
	}
	near := o.near(rest)
	if near == "" {
		return "has no effect: there is no such channel"
	}
	return "has no effect: there is no such channel" + perhaps(o.resource+"."+kind+"."+near)
}

// near is the nearest spelling of a channel; "" if none is near.
func (o *objects) near(rest string) string {
	if f, err := core.ParseFrequency(rest); err == nil && slices.Contains(o.spelled, f.String()) {
		return f.String() // the channel, in a spelling that is not looked up
	}
	return nearest.Name(rest, o.spelled)
}

func (o *objects) zone(rest string) string {
	n, err := strconv.Atoi(rest)
	switch {
	case rest == "" || err == nil && n >= 1 && n <= len(o.zones) && strconv.Itoa(n) == rest:
		return ""
	case err == nil && len(o.zones) > 0:
		return fmt.Sprintf("has no effect: zones are numbered 1 to %d", len(o.zones))
	}
	if near := nearest.Name(rest, o.zones); near != "" {
		return fmt.Sprintf("has no effect: zones are numbered%s", perhaps(fmt.Sprintf("%s.zone.%d (%s)", o.resource, 1+slices.Index(o.zones, near), near)))
	}
	return fmt.Sprintf("has no effect: zones are numbered 1 to %d", len(o.zones))
}

// nac: an entry creates an id if the configuration does not have it, so only a likely
// misspelling is warned of.
func (o *objects) nac(rest string, allow bool) string {
	if rest == "" && allow {
		return "gives nobody a NAC id: write " + o.resource + ".nac.<NAC id>"
	}
	if near := nearest.Name(rest, o.nacs); rest != "" && near != "" && near != rest {
		return "names a NAC id that opens nothing" + perhaps(o.resource+".nac."+near)
	}
	return ""
}
