package themedesk

import (
	"squelch/core/wire"
	"squelch/themes"
)

// review is what a person must see of a theme before it is installed.
func (d *Desk) review(p *themes.Package) wire.ThemeReview {
	r := p.Review(d.o.Library.Find(p.Manifest.Slug))
	out := wire.ThemeReview{Success: true,
		Theme: wire.Theme{Slug: r.Slug, Name: r.Name, Version: r.Version, Author: r.Author, Description: r.Description,
			HasJS: r.HasJS, Build: r.Build, CSS: r.CSS, Picture: r.Picture},
		Files: []wire.ThemeFile{}, Removed: []wire.ThemeRemoval{}, Warnings: append([]string{}, r.Warnings...),
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, wire.ThemeFile{Name: f.Name, Bytes: f.Bytes})
	}
	for _, x := range r.Removed {
		out.Removed = append(out.Removed, wire.ThemeRemoval{File: x.File, Line: x.Line, Column: x.Column, What: x.What, Why: x.Why})
	}
	if r.HasJS {
		s := &wire.ThemeScript{File: r.JS, Bytes: len(r.Script), SHA256: r.ScriptSHA256, Source: r.Script, Hints: []wire.ThemeHint{}}
		for _, h := range r.Hints {
			s.Hints = append(s.Hints, wire.ThemeHint{Line: h.Line, What: h.What, Why: h.Why})
		}
		out.Script = s
	}
	if w := r.Replaces; w != nil {
		out.Replaces = &wire.ThemeReplaced{Name: w.Name, Version: w.Version, Author: w.Author, BuiltIn: w.BuiltIn, Same: w.Same, ScriptChanged: w.ScriptChanged}
	}
	return out
}
