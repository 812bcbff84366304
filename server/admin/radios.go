package admin

import (
	"net/http"

	"squelch/core/wire"
	"squelch/server/reply"
)

// radios lists the radios of the host.
func (h *Handler) radios(w http.ResponseWriter, _ *http.Request) error {
	out := wire.AdminRadioList{Radios: []wire.AdminRadio{}}
	if h.o.Radios != nil {
		out.Radios = h.o.Radios()
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}
