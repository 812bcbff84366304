package admin

import (
	"net/http"

	"squelch/server/reply"
)

// errUnbuilt is the answer of a program without the page that players see.
var errUnbuilt = &reply.Refusal{Status: http.StatusNotFound, Message: "The resource's page is not part of this build of the service: run 'just panel', then build it again"}

// resource serves what a game server installs. Its address is the service's public
// one, or the one by which this browser reaches it.
func (h *Handler) resource(w http.ResponseWriter, r *http.Request) error {
	address := h.o.PublicURL
	if address == "" {
		address = "http://" + r.Host
		if h.o.Secure(r) {
			address = "https://" + r.Host
		}
	}
	var zip []byte
	if h.o.Resource != nil {
		var err error
		if zip, err = h.o.Resource(address); err != nil {
			return err
		}
	}
	if len(zip) == 0 {
		return errUnbuilt
	}
	reply.Private(w.Header(), "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="radio.zip"`)
	_, _ = w.Write(zip) // the browser may have gone
	return nil
}
