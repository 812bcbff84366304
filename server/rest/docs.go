package rest

import (
	"net/http"

	"squelch/server/address"
	"squelch/server/reply"
)

// described are the paths of the descriptions of the interfaces.
var described = map[string]bool{"/openapi.json": true, "/asyncapi.json": true, "/docs": true}

// describe serves one of them, to everybody: what the interfaces are is no secret.
func (h *Handler) describe(w http.ResponseWriter, r *http.Request, path string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD") // RFC 9110, section 15.5.6
		h.fail(w, r, &reply.Refusal{Status: http.StatusMethodNotAllowed, Message: "This path takes GET, HEAD"})
		return
	}
	if r.URL.Path != path { // what is relative on the page is beside it
		w.Header().Set("Location", address.Prefix(r)+path)
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	switch path {
	case "/openapi.json":
		allowOrigins(w)
		h.docs.OpenAPI(w, r)
	case "/asyncapi.json":
		allowOrigins(w)
		h.docs.AsyncAPI(w, r)
	default:
		h.docs.Page(w, r)
	}
}
