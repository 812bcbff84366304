package rest

import (
	"context"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// playerConnect makes a player known to the radio and gives it a token.
func (h *Handler) playerConnect(w http.ResponseWriter, r *http.Request, by caller) error {
	data, err := h.body(w, r)
	if err != nil {
		return err
	}
	var body wire.PlayerConnect
	if err := wire.Decode(data, &body); err != nil {
		return err
	}
	id := body.ServerID.User
	if !id.Player() {
		return invalid("serverId", "serverId must be positive")
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	facts := body.Facts()
	h.o.Joining(ctx, id, &facts)
	known := false
	if err := h.o.Engine.View(ctx, func(v core.View) { _, known = v.User(id) }); err != nil {
		return err
	}
	if _, err := h.o.Engine.Do(ctx, by.gameServer(), core.Register{User: id, Facts: facts}); err != nil {
		return err
	}
	token, err := h.o.Sessions.PlayerConnect(ctx, int(id), data)
	if err != nil {
		if !known { // nothing of a refused player stays
			_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), by.gameServer(), core.Drop{User: id})
		}
		return err
	}
	reply.JSON(w, http.StatusOK, wire.PlayerReply{Success: true, PlayerToken: token})
	return nil
}

// playerDrop ends a player's token, then the player.
func (h *Handler) playerDrop(w http.ResponseWriter, r *http.Request, by caller) error {
	var body wire.PlayerDrop
	if err := h.decode(w, r, &body); err != nil {
		return err
	}
	if !body.ServerID.User.Player() {
		return invalid("serverId", "serverId must be positive")
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	if err := h.o.Sessions.PlayerDrop(ctx, int(body.ServerID.User)); err != nil {
		// The token is refused from now on, so nobody stays with it.
		_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), by.gameServer(), core.Drop{User: body.ServerID.User})
		return err
	}
	return h.byGameServer(ctx, w, by, &body)
}

func (h *Handler) playerPositions(w http.ResponseWriter, r *http.Request, by caller) error {
	var body wire.PlayerPositions
	if err := h.decode(w, r, &body); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	return h.byGameServer(ctx, w, by, &body)
}

func (h *Handler) byGameServer(ctx context.Context, w http.ResponseWriter, by caller, body wire.Commanding) error {
	cmd, err := body.Command(0)
	if err != nil {
		return err
	}
	if _, err := h.o.Engine.Do(ctx, by.gameServer(), cmd); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}
