//go:build !wasm

package door

import (
	"strings"

	"squelch/core/wire"
)

// deskJob is the Job of a route that a desk of the service serves; "": none does.
func deskJob(path string) Job {
	switch {
	case strings.HasPrefix(path, "/api/themes"):
		return Themes
	case strings.HasPrefix(path, recordings):
		return Recordings
	case path == "/api/timeline":
		return Past
	case path == "/readyz", path == "/metrics", path == "/radio/dispatch/explain", strings.HasPrefix(path, "/api/cluster"):
		return Operation
	}
	return ""
}

// ofDesk says whether the adapter does what a job's body asks for.
func ofDesk(job Job) bool { return job == Themes || job == Recordings || job == Operation }

// ServiceOnly says whether a route is served by a desk of the service, so that a simulation
// does not have it.
func ServiceOnly(path string) bool { return deskJob(path) != "" }

// recordings begins the paths of recordings.
const recordings = "/api/recordings"

// deskPath is the path of wire.Routes that a path of a desk is one of. Names of files
// have more in them than letters.
func deskPath(path string) string {
	file, is := strings.CutPrefix(path, recordings+"/")
	if !is || strings.Contains(file, "/") || strings.Trim(file, "abcdefghijklmnopqrstuvwxyz") == "" {
		return path
	}
	return recordings + "/{file}"
}

// deskBody refuses a body whose fields are right one by one, but not together.
func deskBody(body any) error {
	if d, is := body.(*wire.RecordingsDelete); is {
		return d.Check()
	}
	return nil
}
