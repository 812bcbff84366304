package admin

import (
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// Themes are the installed themes; *themedesk.Desk is one.
type Themes interface {
	// Serve does what a route of themes asks for; name is the route's, without
	// /admin/api/themes: "POST /review". It returns an error only if it has not answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}

// themePath begins the paths of themes.
const themePath = "/admin/api/themes"

// themes serves a route of themes.
func (h *Handler) themes(route wire.Route) endpoint {
	name := route.Method + " " + strings.TrimPrefix(route.Path, themePath)
	return func(w http.ResponseWriter, r *http.Request) error {
		if h.o.Themes == nil {
			return errNoPath
		}
		return h.o.Themes.Serve(name, w, r, actor())
	}
}
