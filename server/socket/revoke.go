package socket

import (
	"context"
	"errors"

	"squelch/core"
	"squelch/core/door"
)

// EndSession closes every socket of an owner (the lineage of sessions, or an API
// key's Owner) and returns the users that they belonged to. When it returns without
// an error, all of them have left the radio, also those whose link was broken: nobody
// can recover them. End the sessions first, so that no new socket of theirs stays
// (see connected).
func (h *Hub) EndSession(ctx context.Context, owner string) ([]core.UserID, error) {
	var held []core.UserID
	err := h.Engine().View(ctx, func(v core.View) { held = door.Users(v, owner) })
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		if c := h.client(id); c != nil {
			c.conn.Disconnect(true)
		}
		step := door.End(id, core.ByAdmin)
		_, err := h.Engine().Do(ctx, step.By, step.Command)
		var refusal *core.Error
		if err != nil && !errors.As(err, &refusal) { // a refusal means that the user has left by itself
			return held, err
		}
	}
	return held, nil
}
