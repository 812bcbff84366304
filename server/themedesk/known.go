package themedesk

import (
	"maps"
	"slices"

	"squelch/server/audit"
	"squelch/themes"
)

// known is what the audit log tells of: the themes that are not built in, by their slug,
// and the default that was chosen, or else the configuration's.
type known struct {
	themes map[string]themes.Installed
	choice string
}

// change makes a change that its caller audits. What others have changed until then is
// audited as theirs; settle notes the change as known before anybody looks again.
func (d *Desk) change(edit func() error, settle func(*known)) error {
	d.looking.Lock()
	notes := d.take()
	err := edit()
	if err == nil && d.known != nil {
		settle(d.known)
	}
	d.looking.Unlock()
	d.note(notes)
	return err
}

// foreign is the entries for what was changed without this desk: by the command line,
// whose user the service does not know.
func (d *Desk) foreign() (notes []audit.Entry) {
	all, chosen, err := d.o.Library.Contents()
	if err != nil {
		return nil // nothing is removed only because it cannot be read
	}
	was, is := d.known, &known{themes: map[string]themes.Installed{}, choice: d.o.Default}
	if chosen != nil {
		is.choice = *chosen
	}
	d.known = is
	add := func(action, slug string, detail map[string]any) {
		notes = append(notes, audit.Entry{Time: d.o.Now().UnixMilli(), Actor: audit.Actor{Name: "command line"},
			Surface: audit.Core, Action: action, Target: slug, Detail: detail})
	}
	for _, t := range all {
		if t.BuiltIn {
			continue
		}
		is.themes[t.Slug] = t
		if was == nil {
			continue
		}
		if old, had := was.themes[t.Slug]; !had {
			add("theme.install", t.Slug, installation(t, nil))
		} else if old.Build != t.Build || old.From != t.From || !old.InstalledAt.Equal(t.InstalledAt) {
			add("theme.install", t.Slug, installation(t, &old))
		}
	}
	if was == nil {
		return nil
	}
	gone := ""
	for _, slug := range slices.Sorted(maps.Keys(was.themes)) {
		old := was.themes[slug]
		if _, has := is.themes[slug]; !has {
			add("theme.remove", slug, removal(&old))
			if slug == was.choice {
				gone = slug
			}
		}
	}
	// With the chosen theme its choice goes, which is no choice of its own.
	if is.choice != was.choice && (gone == "" || is.choice != d.o.Default) {
		add("theme.default", is.choice, nil)
	}
	return notes
}

// installation is what an entry says of a theme that was installed in place of was, nil:
// of none.
func installation(now themes.Installed, was *themes.Installed) map[string]any {
	detail := map[string]any{"name": now.Name, "version": now.Version, "author": now.Author, "build": now.Build, "from": now.From}
	if now.HasJS {
		detail["js"] = now.ScriptSHA256
	}
	if was != nil {
		detail["replaced"] = was.Version
	}
	return detail
}

// removal is what an entry says of a theme that was removed.
func removal(was *themes.Installed) map[string]any {
	detail := map[string]any{}
	if was != nil {
		detail["name"], detail["version"], detail["build"] = was.Name, was.Version, was.Build
	}
	return detail
}
