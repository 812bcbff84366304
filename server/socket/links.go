package socket

// Links counts the clients by the transport of their link.
func (h *Hub) Links() map[string]int {
	h.mu.Lock()
	clients := make([]*client, 0, len(h.clients))
	for _, c := range h.clients {
		clients = append(clients, c)
	}
	h.mu.Unlock()
	links := map[string]int{"polling": 0, "websocket": 0, "webrtc": 0}
	for _, c := range clients {
		links[c.conn.Transport()]++
	}
	return links
}
