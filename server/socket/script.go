package socket

import (
	"context"
	"encoding/json"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// script passes an event of a player's client on.
func (h *Hub) script(from core.UserID, e wire.ScriptEvent) error {
	if e.Name == wire.RefreshNac && h.Refresh != nil {
		ctx, cancel := context.WithTimeout(context.Background(), commandTime)
		defer cancel()
		return h.Refresh(ctx, from)
	}
	args := make([]json.RawMessage, len(e.Args))
	for i, a := range e.Args {
		args[i] = json.RawMessage(a)
	}
	if h.Scripts == nil || !h.Scripts(from, e.Name, args) {
		return door.ErrNoScript
	}
	return nil
}

// Announce sends an event that is no fact of the radio: a script's. It goes to the
// clients themselves and not by way of their rooms, which a client that has just come
// enters a moment later. A client whose link is lost misses it.
func (h *Hub) Announce(m wire.Message) {
	event := h.encode(m)
	if event == nil {
		return
	}
	for _, id := range m.To.Users {
		if c := h.client(id); c != nil {
			c.conn.SendPrepared(event) // if not: its link ends, or it does not read
		}
	}
}
