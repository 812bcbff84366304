package admin

import (
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// Recordings are the recorded transmissions; *recdesk.Desk is one.
type Recordings interface {
	// Serve does what a route of recordings asks for; name is the route's, without
	// /admin/api/recordings: "POST /delete". "GET /state" is how the recorder is. It
	// returns an error only if it has not answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}

// recordingPath begins the paths of recordings.
const recordingPath = "/admin/api/recordings"

// recordings serves a route of recordings.
func (h *Handler) recordings(route wire.Route) endpoint {
	name := route.Method + " " + strings.TrimPrefix(route.Path, recordingPath)
	if name == "GET " {
		name = "GET /state"
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if h.o.Recordings == nil {
			return errNoPath
		}
		return h.o.Recordings.Serve(name, w, r, actor())
	}
}
