package rest

import (
	"net/http"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
)

// Ready answers /readyz: 200 if why is "", else 503 with the reason.
func Ready(w http.ResponseWriter, why string) {
	w.Header().Set("Cache-Control", "no-store")
	if why != "" {
		reply.JSON(w, http.StatusServiceUnavailable, wire.Failure{Error: why})
		return
	}
	reply.JSON(w, http.StatusOK, wire.Ready{Ready: true})
}

func (h *Handler) ready(w http.ResponseWriter, _ *http.Request, _ caller) error {
	why := ""
	if h.o.Ready != nil {
		why = h.o.Ready()
	}
	Ready(w, why)
	return nil
}

func (h *Handler) metrics(w http.ResponseWriter, r *http.Request, _ caller) error {
	if h.o.Metrics == nil {
		return door.ErrNoPath
	}
	h.o.Metrics.ServeHTTP(w, r)
	return nil
}
