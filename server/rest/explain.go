package rest

import (
	"net/http"
	"net/url"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// explain says why a user may do something, or may not.
func (h *Handler) explain(w http.ResponseWriter, r *http.Request, _ caller) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid("", "The query is malformed")
	}
	if err := reply.OnlyParameters(q, "userId", "frequency", "action"); err != nil {
		return err
	}
	ask, err := wire.ReadQuestion(q)
	if err != nil {
		return err
	}
	var e core.Explanation
	var refused error
	if err := h.o.Engine.View(r.Context(), func(v core.View) { e, refused = v.Explain(ask.User, ask.Frequency, ask.Action) }); err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	reply.JSON(w, http.StatusOK, wire.ExplainedOf(e, h.o.Where))
	return nil
}
