package rest

import (
	"net/http"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// Recordings are the recorded transmissions; *recdesk.Desk is one.
type Recordings interface {
	// Serve does what a route of recordings asks for; name is the route's, without
	// /api/recordings: "GET /{file}". It returns an error only if it has not answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}

// recordingPath begins the paths of recordings.
const recordingPath = "/api/recordings"

// recordings serves a route of recordings.
func (h *Handler) recordings(route wire.Route) endpoint {
	name := route.Method + " " + strings.TrimPrefix(route.Path, recordingPath)
	return func(w http.ResponseWriter, r *http.Request, by caller) error {
		actor := core.Actor{Surface: core.ByREST, Name: "master token"}
		if asks := by.asking(); asks.Name != "" {
			actor.Name = asks.Name
		}
		return h.o.Recordings.Serve(name, w, r, actor)
	}
}

// routed is a path as the router takes it: names of files have to be known from the words
// beside them, which are of letters alone. GET /api/recordings/delete is no file.
func routed(path string) string {
	if path == recordingPath+"/{file}" {
		return recordingPath + "/{file:" + fileName + "}"
	}
	return path
}

// fileName matches what has more in it than letters.
const fileName = `.*[^a-z].*`

// noRecordings is a service that has never recorded anything.
type noRecordings struct{}

func (noRecordings) Serve(string, http.ResponseWriter, *http.Request, core.Actor) error {
	return errNoRecorder
}

var errNoRecorder = &reply.Refusal{Status: http.StatusNotFound, Message: "The recorder is off and there are no recordings: Config.recording switches it on"}
