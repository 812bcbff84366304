package rest

import (
	"net/http"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
)

// Themes are the installed themes; *themedesk.Desk is one.
type Themes interface {
	http.Handler // of the files, /themes/…
	// List may be called at any time; it does not wait for the disk.
	List() wire.ThemeList
	reply.Desk
}

// themePath begins the paths of themes.
const themePath = "/api/themes"

// noThemes is a service without themes.
type noThemes struct{}

func (noThemes) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

func (noThemes) List() wire.ThemeList { return wire.ThemeList{} }

func (noThemes) Serve(string, http.ResponseWriter, *http.Request, core.Actor) error {
	return door.ErrNoPath
}
