package rest

import (
	"cmp"
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// Desk serves all routes of one subject: *themedesk.Desk and *recdesk.Desk do.
type Desk interface {
	// Serve does what a route asks for; name is the route's, without the path that all of
	// the desk's begin with: "POST /review". It returns an error only if it has not
	// answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}

// deskOf serves a route of a desk; nil: it is none's.
func (h *Handler) deskOf(route wire.Route) endpoint {
	for path, desk := range map[string]Desk{themePath: h.o.Themes, recordingPath: h.o.Recordings} {
		if !within(route.Path, path) {
			continue
		}
		name := route.Method + " " + strings.TrimPrefix(route.Path, path)
		return func(w http.ResponseWriter, r *http.Request, by caller) error {
			return desk.Serve(name, w, r, core.Actor{Surface: core.ByREST, Name: cmp.Or(by.asking().Name, "master token")})
		}
	}
	return nil
}
