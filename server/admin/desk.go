package admin

import (
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
	for path, desk := range map[string]Desk{"/admin/api/themes": h.o.Themes, "/admin/api/recordings": h.o.Recordings} {
		below, is := strings.CutPrefix(route.Path, path)
		if !is {
			continue
		}
		return func(w http.ResponseWriter, r *http.Request) error {
			if desk == nil {
				return errNoPath
			}
			return desk.Serve(route.Method+" "+below, w, r, actor())
		}
	}
	return nil
}
