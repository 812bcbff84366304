package reply

import (
	"net/http"

	"squelch/core"
)

// Desk serves all routes of one subject: *themedesk.Desk and *recdesk.Desk do.
type Desk interface {
	// Serve does what a route asks for; name is the route's, without the path that all of
	// the desk's begin with: "POST /review". It returns an error only if it has not
	// answered.
	Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error
}
