package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
)

// playerConnect makes a player known to the radio and gives it a token.
func (h *Handler) playerConnect(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/player/connect", by)
	if err != nil {
		return err
	}
	player := newcomer{Register: step.Command.(core.Register), body: step.Body.(json.RawMessage)}
	tokens, refused, err := h.enrol(ctx, step.By, []newcomer{player}, nil)
	if err = cmp.Or(err, refused[player.User]); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.PlayerReply{Success: true, PlayerToken: tokens[int(player.User)]})
	return nil
}

// playerDrop ends a player's token, then the player.
func (h *Handler) playerDrop(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/player/drop", by)
	if err != nil {
		return err
	}
	id := step.Command.(core.Drop).User
	if err := h.o.Sessions.PlayerDrop(ctx, int(id)); err != nil {
		// The token is refused from now on, so nobody stays with it.
		_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), step.By, step.Command)
		return err
	}
	return h.do(ctx, w, step)
}

// callbacks gives the game server those of the operator's callbacks that it has to
// answer.
func (h *Handler) callbacks(w http.ResponseWriter, _ *http.Request, _ caller) error {
	var out *wire.GameCallbacks
	if h.o.Callbacks != nil {
		out = h.o.Callbacks()
	}
	if out == nil {
		return door.Missing("GET /api/game/callbacks")
	}
	w.Header().Set("Cache-Control", "no-store")
	reply.JSON(w, http.StatusOK, out)
	return nil
}
