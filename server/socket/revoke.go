package socket

import (
	"context"
	"errors"

	"squelch/core"
)

// EndSession closes every socket of a session, named by its public key, and
// returns whom it belonged to. Users whose link is broken leave at once too,
// so that nobody takes their place on the air up again. End the session itself
// first: then no new socket of it stays (see connected).
func (h *Hub) EndSession(ctx context.Context, owner string) ([]core.UserID, error) {
	var held []core.UserID
	err := h.Engine().View(ctx, func(v core.View) {
		for _, u := range v.Snapshot().Users {
			if owner != "" && u.Owner == owner {
				held = append(held, u.ID)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		if c := h.client(id); c != nil {
			c.sock.Disconnect(true)
			continue
		}
		_, err := h.Engine().Do(ctx, core.Actor{Surface: core.ByAdmin}, core.Unlink{User: id, Clean: true})
		var refusal *core.Error
		if err != nil && !errors.As(err, &refusal) { // a refusal: it has gone by itself
			return held, err
		}
	}
	return held, nil
}
