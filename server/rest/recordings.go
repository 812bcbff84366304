package rest

import (
	"net/http"

	"squelch/core"
	"squelch/server/reply"
)

// recordingPath begins the paths of recordings.
const recordingPath = "/api/recordings"

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
