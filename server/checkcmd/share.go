package checkcmd

import (
	"slices"
	"strings"

	"squelch/core"
)

// standIn takes the place of the dispatch login. Nobody has it as a NAC id, so what
// only that login opens stays closed.
const standIn = "(dispatch)"

// shareable is a configuration without what must stay with its operator: the login of
// the dispatch panel, wherever it occurs, and the persons that permissions.cfg names.
// Everybody else has the same rights as on the original.
func shareable(c core.Config) core.Config {
	nac := func(n string) string {
		if n != "" && n == c.DispatchNac {
			return standIn
		}
		return n
	}
	nacs := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			list[i] = nac(list[i])
		}
		return list
	}
	out := c
	out.DispatchNac = nac(c.DispatchNac)
	out.Zones = slices.Clone(c.Zones)
	for i := range out.Zones {
		z := &out.Zones[i]
		z.NacIDs, z.Channels = nacs(z.NacIDs), slices.Clone(z.Channels)
		for j := range z.Channels {
			ch := &z.Channels[j]
			ch.AllowedNacs, ch.ScanAllowedNacs, ch.GPS.VisibleToNacs = nacs(ch.AllowedNacs), nacs(ch.ScanAllowedNacs), nacs(ch.GPS.VisibleToNacs)
		}
	}
	out.JobCodeplugs = slices.Clone(c.JobCodeplugs)
	for i := range out.JobCodeplugs {
		out.JobCodeplugs[i].Job = nac(out.JobCodeplugs[i].Job)
	}
	out.ACL = anonymous(c.ACL, c.ResourceName+".nac."+c.DispatchNac)
	return out
}

// anonymous is a list without entries about individual persons and without one
// object.
func anonymous(l core.ACL, object string) core.ACL {
	return core.ACL{
		Entries: slices.DeleteFunc(slices.Clone(l.Entries), func(e core.ACE) bool {
			return person(e.Principal) || strings.EqualFold(e.Object, object)
		}),
		Inherit: slices.DeleteFunc(slices.Clone(l.Inherit), func(i core.Inheritance) bool { return person(i.Child) || person(i.Parent) }),
	}
}

// person tells a principal that is one person (a licence, an account, an address)
// from groups and from the ids that a game server assigns anew each day.
func person(principal string) bool {
	return strings.HasPrefix(strings.ToLower(principal), "identifier.")
}
