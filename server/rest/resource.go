package rest

import (
	"bytes"
	"net/http"
	"time"

	"squelch/core/door"
)

// resource serves what a game server installs. Its address is the one by which this
// caller reaches the service.
func (h *Handler) resource(w http.ResponseWriter, r *http.Request, _ caller) error {
	missing := door.Missing("GET /radio/resource.zip")
	if h.o.Resource == nil {
		return missing
	}
	zip, err := h.o.Resource(h.base(r))
	if err != nil {
		return err
	}
	if len(zip) == 0 {
		return missing
	}
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", `attachment; filename="radio.zip"`)
	header.Set("Cache-Control", "no-cache")
	serve(w, r, hashOf(zip), time.Time{}, bytes.NewReader(zip))
	return nil
}
