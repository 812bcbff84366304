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

// Announce sends an event that is no fact of the radio: a script's, or that themes have
// changed. To users it goes by their clients and not by way of their rooms, which a
// client that has just come enters a moment later; a client whose link is lost misses
// it. Dispatchers get it in their room, also those whose link comes back.
func (h *Hub) Announce(m wire.Message) {
	event := h.encode(m)
	if event == nil {
		return
	}
	if m.To.Dispatchers {
		h.send(message{core.Audience{Dispatchers: true}, event}, 0)
	}
	for _, id := range m.To.Users {
		if c := h.client(id); c != nil {
			c.conn.SendPrepared(event) // if not: its link ends, or it does not read
		}
	}
}

// AnnounceTo sends an event to the dispatchers whose credentials have a scope; only API
// keys may lack one. A dispatcher whose link is lost misses it.
func (h *Hub) AnnounceTo(scope wire.Scope, m wire.Message) {
	event := h.encode(m)
	if event == nil {
		return
	}
	need := wire.ScopeSetOf(scope)
	h.mu.Lock()
	var to []*client
	for id, c := range h.clients {
		if id.Dispatcher() && (c.who.Caller.Kind != door.Key || c.who.Caller.Scopes.Check(need) == nil) {
			to = append(to, c)
		}
	}
	h.mu.Unlock()
	for _, c := range to {
		c.conn.SendPrepared(event)
	}
}
