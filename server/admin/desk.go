package admin

import (
	"net/http"
	"strings"

	"squelch/core/wire"
	"squelch/server/reply"
)

// deskOf serves a route of a desk; nil: it is none's.
func (h *Handler) deskOf(route wire.Route) endpoint {
	for path, desk := range map[string]reply.Desk{"/admin/api/themes": h.o.Themes, "/admin/api/recordings": h.o.Recordings} {
		below, is := strings.CutPrefix(route.Path, path)
		if !is {
			continue
		}
		return func(w http.ResponseWriter, r *http.Request) error {
			if desk == nil {
				return errNoPath
			}
			return desk.Serve(route.Method+" "+below, w, r, actor(r.Context()))
		}
	}
	return nil
}
