package radio

import (
	"path/filepath"
	"time"

	"squelch/server/nearest"
	"squelch/server/themedesk"
	"squelch/themes"
)

// themeFolder is where the themes of the radio are, in its folder.
const themeFolder = "themes"

// openThemes opens the radio's themes. A folder that cannot be read is reported, and
// leaves the built-in ones.
func (r *Radio) openThemes() error {
	l := r.config.Server
	library, err := themes.Open(filepath.Join(r.folder, themeFolder), time.Now)
	if err != nil {
		return err
	}
	if slug := l.Themes.Default; slug != "" && library.Find(slug) == nil {
		var names []string
		for _, t := range library.List() {
			names = append(names, t.Slug)
		}
		near := nearest.Name(slug, names)
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		r.log.Warn("themes.default: there is no such theme, so there is no default"+near, "theme", slug)
	}
	r.themes, err = themedesk.New(themedesk.Options{Library: library, Default: l.Themes.Default, Market: l.Themes.Market, MaxZip: l.Limits.ThemeBytes,
		Audit: r.keeper.Audit(r.audit), Storage: r.keeper.Err, Tell: r.hub.Announce, Logf: r.warnf})
	if err != nil {
		return err
	}
	r.work.Go(func() { r.themes.Watch(r.quit) })
	return nil
}
