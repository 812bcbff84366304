package checkcmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"squelch/core"
)

// summary prints what a radio has: how many of each, and their names.
func summary(w io.Writer, c *core.Config, callbacks, scripts, radios []string, services [][3]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "radio\t\t%s\n", c.ServerName)
	row := func(what string, names []string) {
		fmt.Fprintf(t, "%s\t%d\t%s\n", what, len(names), strings.Join(names, ", "))
	}
	row("zones", named(c.Zones, func(z core.Zone) string { return z.Name }))
	for _, z := range c.Zones {
		row("  "+z.Name, named(z.Channels, channel))
	}
	row("alerts", named(c.Alerts, func(a core.Alert) string { return a.Name }))
	row("tones", named(c.Tones, func(o core.Tone) string { return o.Name }))
	row("announcement groups", named(c.AnnouncementGroups, func(g core.AnnouncementGroup) string { return g.ID }))
	row("codeplugs", named(c.Codeplugs, func(p core.Codeplug) string { return p.ID }))
	if s := c.Signal; s != nil {
		fmt.Fprintf(t, "signal\t%d\tsites, range %g m\n", len(s.Sites), s.Range)
	}
	fmt.Fprintf(t, "permissions\t%d\n", len(c.ACL.Entries)+len(c.ACL.Inherit))
	for _, s := range services {
		fmt.Fprintf(t, "%s\t%s\t%s\n", s[0], s[1], s[2])
	}
	if len(callbacks) > 0 {
		row("callbacks", callbacks)
	}
	if len(scripts) > 0 {
		row("scripts", scripts)
	}
	if len(radios) > 0 {
		row("other radios", radios)
	}
	return t.Flush()
}

func named[T any](list []T, name func(T) string) []string {
	var all []string
	for _, one := range list {
		all = append(all, name(one))
	}
	return all
}

// channel is a channel in a few words: "DISP 154.755", "TRUNK 856.1125 trunked".
func channel(c core.Channel) string {
	text := c.Name + " " + c.Frequency.String()
	if c.Type != core.Conventional {
		text += " " + string(c.Type)
	}
	return text
}
