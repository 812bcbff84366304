package rest

import (
	"errors"
	"net/http"

	"squelch/server/reply"
)

func asError[E error](err error, into *E) bool { return errors.As(err, into) }

// health always answers 200: the caller wants the text.
func (h *Handler) health(w http.ResponseWriter, r *http.Request, by caller) error {
	step, err := h.decide(r.Context(), w, r, "GET /api/health", by)
	if err != nil {
		reply.JSON(w, http.StatusOK, h.door.Degraded(h.o.Now().UnixMilli(), err))
		return nil
	}
	return h.do(r.Context(), w, step)
}
