package rest

import (
	"cmp"
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// deskOf serves a route of a desk; nil: it is none's.
func (h *Handler) deskOf(route wire.Route) endpoint {
	for path, desk := range map[string]reply.Desk{themePath: h.o.Themes, recordingPath: h.o.Recordings} {
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
