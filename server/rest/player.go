package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"squelch/core"
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
	player := step.Command.(core.Register)
	h.o.Joining(ctx, player.User, &player.Facts)
	known := false
	if err := h.o.Engine.View(ctx, func(v core.View) { _, known = v.User(player.User) }); err != nil {
		return err
	}
	if _, err := h.o.Engine.Do(ctx, step.By, player); err != nil {
		return err
	}
	token, err := h.o.Sessions.PlayerConnect(ctx, int(player.User), step.Body.(json.RawMessage))
	if err != nil {
		if !known { // a player without a token does not stay
			_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), step.By, core.Drop{User: player.User})
		}
		return err
	}
	reply.JSON(w, http.StatusOK, wire.PlayerReply{Success: true, PlayerToken: token})
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
