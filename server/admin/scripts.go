package admin

import (
	"context"
	"errors"
	"net/http"

	"squelch/core/wire"
	"squelch/server/reply"
)

// ErrNoScript is returned for a script that does not exist.
var ErrNoScript = errors.New("there is no script of this name")

func (h *Handler) scripts(w http.ResponseWriter, _ *http.Request) error {
	out := wire.AdminScriptList{Scripts: []wire.AdminScript{}}
	if h.o.Scripts != nil {
		out.Scripts = h.o.Scripts.List()
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// restartScript restarts a script, whatever state it is in.
func (h *Handler) restartScript(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminScriptRestart
	if err := wire.Decode(b, &in); err != nil {
		return err
	}
	if h.o.Scripts == nil {
		return ErrNoScript
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), restartTime)
	defer cancel()
	err = h.o.Scripts.Restart(ctx, string(in.Name))
	if errors.Is(err, ErrNoScript) {
		return err
	}
	detail := map[string]any{}
	if err != nil {
		detail["error"] = err.Error()
	}
	h.noteDone(r, "admin.script.restart", string(in.Name), detail)
	if err != nil {
		return &reply.Refusal{Status: http.StatusConflict, Message: err.Error()}
	}
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}
