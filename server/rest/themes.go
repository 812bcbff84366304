package rest

import (
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// Themes are the installed themes; *themedesk.Desk is one.
type Themes interface {
	http.Handler // of the files, /themes/…
	// List may be called at any time; it does not wait for the disk.
	List() wire.ThemeList
	// Serve does what a route of themes asks for; name is the route's, without /api/themes:
	// "POST /review". It returns an error only if it has not answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}

// themePath begins the paths of themes.
const themePath = "/api/themes"

// themes serves a route of themes.
func (h *Handler) themes(route wire.Route) endpoint {
	name := route.Method + " " + strings.TrimPrefix(route.Path, themePath)
	return func(w http.ResponseWriter, r *http.Request, by caller) error {
		actor := core.Actor{Surface: core.ByREST, Name: "master token"}
		if by.key.ID != "" {
			actor.Name = by.key.Name
		}
		return h.o.Themes.Serve(name, w, r, actor)
	}
}

// noThemes is a service without themes.
type noThemes struct{}

func (noThemes) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

func (noThemes) List() wire.ThemeList { return wire.ThemeList{} }

func (noThemes) Serve(string, http.ResponseWriter, *http.Request, core.Actor) error {
	return door.ErrNoPath
}
