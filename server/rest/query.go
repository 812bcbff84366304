package rest

import (
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

func asError[E error](err error, into *E) bool { return errors.As(err, into) }

// health answers 200 in any case: who asks wants the text.
func (h *Handler) health(w http.ResponseWriter, r *http.Request, _ caller) error {
	body := wire.Health{Status: "ok", Reason: h.o.Health(), Service: "radio", Version: wire.Version, Build: h.o.Build, Instance: h.o.Instance,
		Timestamp: wire.Timestamp(h.o.Now()), AuthMethod: "nac"}
	if h.external != nil {
		body.AuthMethod = "discord"
	}
	err := h.o.Engine.View(r.Context(), func(v core.View) { body.ServiceName = v.Config().ServerName })
	if err != nil && body.Reason == "" {
		body.Reason = err.Error()
	}
	if body.Reason != "" {
		body.Status = "degraded"
	}
	reply.JSON(w, http.StatusOK, body)
	return nil
}

// look replies with a part of the radio.
func look[T any](h *Handler, w http.ResponseWriter, r *http.Request, what func(core.View) T) error {
	var body T
	if err := h.o.Engine.View(r.Context(), func(v core.View) { body = what(v) }); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, body)
	return nil
}

func (h *Handler) status(w http.ResponseWriter, r *http.Request, _ caller) error {
	return look(h, w, r, wire.StatusOf)
}

func (h *Handler) dispatchStatus(w http.ResponseWriter, r *http.Request, _ caller) error {
	voice := h.o.Voice()
	return look(h, w, r, func(v core.View) wire.DispatchStatus {
		s := wire.DispatchStatusOf(v, h.o.Now())
		s.Voice = voice
		return s
	})
}

func (h *Handler) config(w http.ResponseWriter, r *http.Request, _ caller) error {
	themes := h.o.Themes()
	return look(h, w, r, func(v core.View) wire.ConfigBody { return wire.ConfigOf(v, themes) })
}

func (h *Handler) tones(w http.ResponseWriter, r *http.Request, _ caller) error {
	return look(h, w, r, func(v core.View) wire.ToneList { return wire.TonesOf(v.Config()) })
}

func (h *Handler) patches(w http.ResponseWriter, r *http.Request, _ caller) error {
	return look(h, w, r, wire.PatchesOf)
}
