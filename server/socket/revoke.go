package socket

import (
	"context"
	"errors"

	"squelch/core"
)

// EndSession closes every socket of an owner, the lineage of sessions, and
// returns whom they belonged to. All of them have left the radio when it
// returns, those with a broken link too: nobody takes their place on the air up
// again. End the sessions themselves first: then no new socket of them stays
// (see connected).
func (h *Hub) EndSession(ctx context.Context, owner string) ([]core.UserID, error) {
	var held []core.UserID
	err := h.Engine().View(ctx, func(v core.View) { held = v.Owned(owner) })
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		if c := h.client(id); c != nil {
			c.sock.Disconnect(true)
		}
		_, err := h.Engine().Do(ctx, core.Actor{Surface: core.ByAdmin}, core.Unlink{User: id, Clean: true})
		var refusal *core.Error
		if err != nil && !errors.As(err, &refusal) { // a refusal: it has gone by itself
			return held, err
		}
	}
	return held, nil
}
